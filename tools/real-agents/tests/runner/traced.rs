//! A run that is exported to a real OpenTelemetry collector: the spans of the real Claude Code are below those of its
//! sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::json;
use simulator::Turn;

use crate::child::Child;
use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::submitted;

const PATH_VARIABLE: &str = "RALPH_TEST_COLLECTOR";

/// What the collector prints of a span, by its names of the fields.
type Span = BTreeMap<String, String>;

struct Collector {
    child: Child,
    port: u16,
}

impl Collector {
    fn start(home: &Path) -> Self {
        // Free until the collector uses it.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let flags = "start --exporter blackhole --debug-log traces --debug-log metrics --debug-log-verbosity detailed \
                     --otlp-grpc-endpoint 127.0.0.1:0 --otlp-http-endpoint";
        let address = format!("127.0.0.1:{port}");
        let args = flags.split_whitespace().chain([address.as_str()]);
        let child = Child::start(&program(), args, vec![("HOME".into(), home.into())]);
        child.find(|line| line.contains("Starting Rotel").then_some(()));
        Self { child, port }
    }

    /// The spans and the names of metrics, until the metrics after the span of a run.
    fn received(&self) -> (Vec<Span>, BTreeSet<String>) {
        let (mut spans, mut metrics) = (Vec::<Span>::new(), BTreeSet::new());
        self.child.find(|line| {
            let (name, value) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
            match (name.trim(), value.trim(), spans.last_mut()) {
                (name, _, _) if name.starts_with("Span #") => spans.push(Span::new()),
                ("-> Name", metric, _) => drop(metrics.insert(metric.to_owned())),
                (name, value, Some(span)) => {
                    span.entry(name.to_owned()).or_insert_with(|| value.to_owned());
                }
                _ => {}
            }
            metrics.contains("ralph.run.duration").then_some(())
        });
        (spans, metrics)
    }
}

fn program() -> PathBuf {
    match std::env::var_os(PATH_VARIABLE) {
        Some(program) if !program.is_empty() => program.into(),
        _ => panic!("{PATH_VARIABLE} is not set: {PATH_VARIABLE}=$(scripts/fetch-collector.sh)"),
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and RALPH_TEST_COLLECTOR"]
fn spans_of_claude_code_are_below_its_session() {
    let setup = RunSetup::with_plugin();
    let collector = Collector::start(&setup.home.path());
    let url = format!("http://127.0.0.1:{}", collector.port);
    let settings = json!({
        "telemetry": { "otlp": url },
        "env": {
            "CLAUDE_CODE_ENABLE_TELEMETRY": "1", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
            "OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
            "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        },
        "isolation": { "hostPorts": [collector.port], "writablePaths": ["~/checks", "~/seen"] },
    });
    let local = setup.project().join(".ralph/settings.local.json");
    std::fs::write(local, settings.to_string()).unwrap();
    let submit = setup.stories().work("true", 0, submitted());
    let model = model([vec![submit, Turn::text("Submitted.")]]);
    let output = setup.run(&model, &["-n", "1"]);
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"], "{output}");

    let (spans, metrics) = collector.received();
    for name in ["gen_ai.client.token.usage", "ralph.cost", "ralph.stories"] {
        assert!(metrics.contains(name), "{metrics:?}");
    }
    let traces: BTreeSet<_> = spans.iter().map(|span| &span["Trace ID"]).collect();
    assert_eq!(traces.len(), 1, "{spans:#?}");
    let named = |name: &str| {
        let found = spans.iter().filter(|span| span["Name"] == name);
        found.collect::<Vec<_>>()
    };
    let parent_of = |span: &Span| spans.iter().find(|one| one["ID"] == span["Parent ID"]);
    let above = |span: &Span| {
        let chain = std::iter::successors(parent_of(span), |span| parent_of(span));
        chain.map(|span| span["Name"].clone()).collect::<Vec<_>>()
    };
    let ours = ["invoke_agent claude", "ralph.iteration", "ralph.story", "ralph.run"];
    let interactions: Vec<_> = named("claude_code.interaction").into_iter().map(above).collect();
    assert_eq!(interactions, [ours], "{spans:#?}");
    for inner in ["claude_code.llm_request", "claude_code.tool"] {
        assert!(!named(inner).is_empty(), "{spans:#?}");
        assert!(
            named(inner).into_iter().all(|span| above(span).ends_with(&ours.map(String::from))),
            "{spans:#?}"
        );
    }
}
