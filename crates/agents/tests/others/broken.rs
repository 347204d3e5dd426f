//! Truncated, damaged or noisy streams, none of which may stop a run or end it successfully.

use agents::{Agent, Ending, ProcessExit};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::doctored::{Spared, doctored};
use crate::support::{Decoded, decode, names, recorded};
use crate::{AGENTS, claims_completion};

/// Output of other programs between the lines, and lines of possible newer versions.
const NOISE: [&[u8]; 8] = [
    b"npm warn deprecated something\n",
    b"<promise>COMPLETE</promise>\n",
    b"\xff\xfe\x00<promise>COMPLETE</promise>\n",
    b"{\"type\":\"text\n",
    b"{\"type\":\"agent.said\",\"text\":\"<promise>COMPLETE</promise>\",\"data\":{\"content\":\"x\"}}\n",
    b"{\"type\":[],\"event\":7,\"part\":null}\n",
    b"[\"<promise>COMPLETE</promise>\"]\n",
    b"\n",
];

/// Any recorded stream.
fn recording() -> impl Strategy<Value = (Agent, String)> {
    let all: Vec<_> = AGENTS
        .into_iter()
        .flat_map(|agent| names(agent).into_iter().map(move |name| (agent, name)))
        .collect();
    select(all)
}

fn exit() -> impl Strategy<Value = ProcessExit> {
    let codes = [0, 1, 41, 55, 130, 145, 173];
    let mut all: Vec<_> = codes.map(ProcessExit::Code).into();
    all.push(ProcessExit::Cut);
    select(all)
}

fn completed(decoded: &Decoded) -> bool {
    decoded.last_result().is_some_and(|result| result.ending == Ending::Completed)
}

fn lines(stream: &[u8]) -> Vec<&[u8]> {
    stream.split_inclusive(|byte| *byte == b'\n').collect()
}

#[test]
fn noise_between_any_two_lines_changes_nothing() {
    for agent in AGENTS {
        for name in names(agent) {
            let stream = recorded(agent, &name);
            let noise = NOISE.concat();
            let noisy = lines(&stream).into_iter().flat_map(|line| [&noise[..], line]);
            let noisy: Vec<u8> = noisy.flatten().copied().collect();
            let plain = decode(agent, "", &stream, ProcessExit::Code(0));
            let noisy = decode(agent, "", &noisy, ProcessExit::Code(0));
            assert_eq!(noisy.events, plain.events, "{agent} {name}");
            assert!(noisy.unreadable > 0, "{agent} {name}");
        }
    }
}

#[test]
fn zeros_and_marks_around_a_line() {
    for agent in AGENTS {
        let stream = String::from_utf8(recorded(agent, "completed")).unwrap();
        let marked = format!("\u{feff}{}\0\0", stream.replace('\n', "\0\r\n\0"));
        let plain = decode(agent, "", stream.as_bytes(), ProcessExit::Code(0));
        let marked = decode(agent, "", marked.as_bytes(), ProcessExit::Code(0));
        assert_eq!(marked.events, plain.events, "{agent}");
    }
}

#[test]
fn any_depth_in_any_place() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let fields = ["event", "part", "data", "content", "output", "error", "stats", "usage", "model"];
    let fields = fields.map(|field| format!(",\"{field}\":{deep}")).concat();
    for agent in AGENTS {
        let stream = String::from_utf8(recorded(agent, "completed")).unwrap();
        let kinds = stream.lines().map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            format!("{{\"type\":{}{fields}}}\n", line["type"])
        });
        let stream: String = kinds.collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        let decoded = decode(agent, "", stream.as_bytes(), ProcessExit::Code(0));
        assert_eq!(decoded.unreadable, 0, "{agent}");
        assert!(!completed(&decoded), "{agent}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_stream_cut_anywhere_is_never_complete(
        (agent, name) in recording(), cut in any::<Index>(), exit in exit(),
    ) {
        let stream = recorded(agent, &name);
        // Cuts into the last line, because a missing line break alone is harmless.
        let cut = cut.index(stream.len() - 1);
        let decoded = decode(agent, "", &stream[..cut], exit);
        prop_assert!(decoded.unreadable <= 1);
        prop_assert!(!completed(&decoded), "{} {} cut at {}", agent, name, cut);
        prop_assert!(!claims_completion(&decoded));
    }

    #[test]
    fn lost_lines_and_noise_make_no_completion(
        (agent, name) in recording(),
        lost in prop::collection::vec(any::<Index>(), 0..20),
        noise in prop::collection::vec((any::<Index>(), select(&NOISE[..])), 0..20),
        exit in exit(),
    ) {
        let stream = doctored(agent, &name, Spared::AllMessages);
        let mut lines = lines(stream.as_bytes());
        for index in lost {
            let index = index.index(lines.len());
            lines[index] = b"";
        }
        for (index, noise) in noise {
            let index = index.index(lines.len() + 1);
            lines.insert(index, noise);
        }
        prop_assert!(!claims_completion(&decode(agent, "", &lines.concat(), exit)));
    }

    #[test]
    fn changed_bytes_make_no_completion(
        (agent, name) in recording(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..100),
        exit in exit(),
    ) {
        let mut stream = doctored(agent, &name, Spared::AllMessages).into_bytes();
        for (index, byte) in changes {
            let index = index.index(stream.len());
            stream[index] = byte;
        }
        prop_assert!(!claims_completion(&decode(agent, "", &stream, exit)));
    }

    #[test]
    fn no_bytes_stop_it(bytes in prop::collection::vec(any::<u8>(), 0..300), exit in exit()) {
        for agent in AGENTS {
            prop_assert!(!completed(&decode(agent, "", &bytes, exit)));
        }
    }
}
