//! The runner is killed a hundred times, anywhere in a run, and the run comes to its right end.
//!
//! Implementations approve themselves: a runner that trusts the list after a kill would count
//! stories without a review.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use events::{IterationMode, LoopEvent, Stamped};
use project::RunLock;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tasks::ReviewStatus;

use crate::harness::{Project, await_none_in};

/// Side by side, because most of a run is waiting.
const LANES: u64 = 4;
const KILLS_PER_LANE: usize = 25;

/// Moments that are too short to be met by chance: every other kill comes after one of these.
const WHERE_IT_MATTERS: [&str; 8] = [
    "iteration-started",
    "agent-ended",
    "work-committed",
    "changes-reverted",
    "check-started",
    "checks-judged",
    "story-status-changed",
    "iteration-ended",
];

/// The same for runs that remember and roll back.
const WHERE_MEMORY_MATTERS: [&str; 7] = [
    "context-assembled",
    "agent-ended",
    "handoff-saved",
    "attempt-failed",
    "rolled-back",
    "compaction-started",
    "story-status-changed",
];

/// The options of the runner in a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lane {
    Plain,
    Remembering,
}

impl Lane {
    fn matters(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &WHERE_IT_MATTERS,
            Self::Remembering => &WHERE_MEMORY_MATTERS,
        }
    }

    fn args(self) -> Vec<&'static str> {
        let more: &[&str] = match self {
            Self::Plain => &[],
            Self::Remembering => &["--handoffs", "--rollback"],
        };
        ARGS.iter().chain(more).copied().collect()
    }
}

/// Gives another sweep: `RALPH_KILL_SEED=7 cargo test`; `random` takes one from the clock.
const SEED_VARIABLE: &str = "RALPH_KILL_SEED";
const SEED: u64 = 20_251_115;

#[test]
fn a_hundred_kills_lose_nothing_and_let_nothing_through() {
    let seed = match std::env::var(SEED_VARIABLE).as_deref() {
        Ok("random") => SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64,
        Ok(text) => text.parse().unwrap(),
        Err(_) => SEED,
    };
    eprintln!("kill sweep: {SEED_VARIABLE}={seed}");
    let lanes: Vec<_> = (0..LANES)
        .map(|number| {
            let lane = if number % 2 == 0 { Lane::Plain } else { Lane::Remembering };
            let random = Random(seed.wrapping_add(number << 32) | 1);
            std::thread::spawn(move || sweep(lane, random))
        })
        .collect();
    let mut places = BTreeMap::<String, usize>::new();
    for (number, lane) in lanes.into_iter().enumerate() {
        let killed_after = lane.join().unwrap_or_else(|_| {
            panic!("lane {number} failed; see above; again with {SEED_VARIABLE}={seed}")
        });
        for place in killed_after {
            *places.entry(place).or_default() += 1;
        }
    }
    eprintln!("kill sweep: killed after {places:#?}");
    assert_eq!(places.values().sum::<usize>(), LANES as usize * KILLS_PER_LANE);
    for place in WHERE_IT_MATTERS.iter().chain(&WHERE_MEMORY_MATTERS) {
        assert!(places.contains_key(*place), "no runner was killed after {place}");
    }
}

/// Kills the runner in as many projects as needed and returns after which events.
fn sweep(lane: Lane, mut random: Random) -> Vec<String> {
    let mut killed_after = Vec::new();
    let mut tries = 0;
    while killed_after.len() < KILLS_PER_LANE {
        let project = cheating_project();
        let mut before = Counters::default();
        while !is_over(&project) {
            if killed_after.len() < KILLS_PER_LANE {
                let moment = match tries % 2 {
                    0 => Moment::After(random.below(40)),
                    _ => Moment::At(lane.matters()[tries / 2 % lane.matters().len()]),
                };
                tries += 1;
                let then = Duration::from_micros(random.below(15_000));
                killed_after.extend(kill(&project, lane, moment, then));
            } else {
                project.run(&lane.args()).assert_exit(0);
            }
            before = check_after_kill(&project, before);
        }
        check_end(&project);
        if lane == Lane::Remembering {
            check_squashed(&project);
        }
    }
    killed_after
}

/// Also if it was killed between its last event and its end.
fn is_over(project: &Project) -> bool {
    project.state().is_some_and(|state| state["ended"] == "complete")
}

const ARGS: [&str; 4] = ["--max-iterations", "500", "--retry-wait", "1ms"];

fn cheating_project() -> Project {
    let project = Project::new(3, &["test -d work && sleep 0.02", "git diff --quiet HEAD"]);
    let cheat =
        json!({"reviewStatus": "approved", "passes": true, "reviewCount": 1, "notes": "me"});
    let Value::Object(fields) = cheat else { unreachable!("it is an object") };
    // Nothing is committed, so the runner must keep the work and revert the cheat.
    let cheat = [
        Act::write("work/cheat.txt", "x\n"),
        Act::SetStory { story: None, fields },
        Act::finish("It is approved."),
    ];
    let mut scenario = Scenario::new();
    // Every other try, so that kills do not decide whether there is a cheat.
    for visit in [1, 3, 5, 7] {
        scenario = scenario.rule(When::mode(Mode::Implement).visit(visit), cheat.clone());
    }
    let fussy =
        [Act::request_changes("say more"), Act::commit("review: changes"), Act::finish("No.")];
    scenario = scenario.rule(When::mode(Mode::Review).story("US-2").visit(1), fussy);
    let account = json!({"project_summary": "A program.", "completed_work": [],
        "active_constraints": [], "architectural_decisions": [], "file_knowledge": []});
    let compacts =
        When::any().prompt_contains("# Ralph: compact the handoffs of earlier iterations");
    project.scenario(&scenario.rule(compacts, [Act::Structured(account)]));
    std::fs::write(project.root().join(".git/info/exclude"), format!("{SECRET}\n")).unwrap();
    std::fs::write(project.root().join(SECRET), "mine\n").unwrap();
    let often = json!({"memory": {"compactAfterIterations": 1}});
    std::fs::create_dir_all(project.layout().data_dir()).unwrap();
    std::fs::write(project.layout().local_settings(), often.to_string()).unwrap();
    project
}

/// The user's, and git does not know it.
const SECRET: &str = "users.secret";

/// Whatever an agent committed is in one commit of the runner's, also where it was killed in between.
#[track_caller]
fn check_squashed(project: &Project) {
    let log = test_repo::git(project.root(), &["log", "--format=%s"]);
    let of_agents = |subject: &&str| subject.starts_with("feat:") || subject.starts_with("review:");
    assert_eq!(log.lines().find(of_agents), None, "{log}");
    assert!(log.contains("ralph["), "{log}");
}

enum Moment {
    /// As many events.
    After(u64),
    /// The first event of a kind.
    At(&'static str),
}

/// Kills a runner shortly after an event and returns its last event; `None` if the run ended first.
fn kill(project: &Project, lane: Lane, moment: Moment, then: Duration) -> Option<String> {
    let mut runner = project.start(&lane.args());
    let mut last = "start".to_owned();
    let mut reported = 0;
    while match moment {
        Moment::After(events) => reported < events,
        Moment::At(kind) => last != kind,
    } {
        let Some(stamped) = runner.next() else { break };
        last = kind(&stamped);
        reported += 1;
    }
    // Not to wait for anything: the moment itself is what is random.
    std::thread::sleep(then);
    if runner.has_ended() {
        runner.finish().assert_exit(0);
        return None;
    }
    runner.kill();
    Some(last)
}

fn kind(stamped: &Stamped) -> String {
    let event = serde_json::to_value(&stamped.event).unwrap();
    event["type"].as_str().unwrap().to_owned()
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Counters {
    run: String,
    iterations: u64,
    accepted: u64,
    failed: u64,
    cost_usd: f64,
}

/// Invariants at any time.
#[track_caller]
fn check_after_kill(project: &Project, before: Counters) -> Counters {
    let state = project.state();
    let run = state.as_ref().and_then(|state| state["runId"].as_str()).unwrap_or_default();
    await_none_in(project.root(), Some(run));
    assert!(!RunLock::is_held(&project.layout()), "a dead runner holds the lock");
    let ids: Vec<String> =
        project.list().stories.iter().map(|story| story.id.to_string()).collect();
    assert_eq!(ids, ["US-1", "US-2", "US-3"], "a story is lost");
    let secret = std::fs::read_to_string(project.root().join(SECRET));
    assert_eq!(secret.unwrap(), "mine\n", "a file of the user's is lost");
    // A killed git leaves its locks, which is for the next run to see to.
    test_repo::git(project.root(), &["fsck", "--strict", "--no-dangling"]);
    let Some(state) = &state else { return before };
    let counters = &state["counters"];
    let now = Counters {
        run: run.to_owned(),
        iterations: counters["iterations"].as_u64().unwrap(),
        accepted: counters["accepted"].as_u64().unwrap(),
        failed: counters["failed"].as_u64().unwrap(),
        cost_usd: counters["costUsd"].as_f64().unwrap(),
    };
    if !before.run.is_empty() {
        assert_eq!(now.run, before.run, "another run has begun");
        assert!(now.iterations >= before.iterations, "{before:?} → {now:?}");
        assert!(now.accepted >= before.accepted, "{before:?} → {now:?}");
        assert!(now.failed >= before.failed, "{before:?} → {now:?}");
        assert!(now.cost_usd >= before.cost_usd, "{before:?} → {now:?}");
    }
    now
}

/// Everything is done, and by the book.
#[track_caller]
fn check_end(project: &Project) {
    project.assert_complete();
    let progress = std::fs::read_to_string(project.root().join("ralph/progress.txt")).unwrap();
    let (approvals, rejections) = verdicts(project);
    for story in project.list().stories {
        let id = story.id.as_str();
        // Only an honest review writes this line, and before it approves.
        assert!(
            progress.contains(&format!("{id}: approved\n")),
            "no review approved {id}: {progress}"
        );
        let by = approvals.get(id).unwrap_or_else(|| panic!("no event approves {id}"));
        assert!(
            by.iter().all(|mode| *mode == IterationMode::Review),
            "{id} was approved by {by:?}"
        );
        // A kill may have spared it the review that asks for changes.
        assert_eq!(
            story.review_count,
            1 + rejections.get(id).map_or(0, BTreeSet::len) as u64,
            "{id}"
        );
    }
}

/// Which kind of iteration approved each story, and which of its reviews requested changes, from
/// the event log. Events of a killed runner may be repeated.
fn verdicts(
    project: &Project,
) -> (BTreeMap<String, Vec<IterationMode>>, BTreeMap<String, BTreeSet<u64>>) {
    let state = project.state().unwrap();
    let folder = project.layout().run_dir(state["runId"].as_str().unwrap());
    let record = std::fs::read(folder.join("events.jsonl")).unwrap();
    let (mut approvals, mut rejections) = (BTreeMap::new(), BTreeMap::new());
    let mut running = BTreeMap::new();
    for line in record.split(|byte| *byte == b'\n') {
        // Half a line is what a killed writer leaves.
        match Stamped::from_line(line).map(|stamped| stamped.event) {
            Ok(LoopEvent::IterationStarted(events::IterationStarted {
                mode,
                story: Some(story),
                ..
            })) => {
                running.insert(story, mode);
            }
            Ok(LoopEvent::StoryStatusChanged { story, to: ReviewStatus::Approved, .. }) => {
                let by: &mut Vec<IterationMode> = approvals.entry(story.to_string()).or_default();
                by.push(running[&story]);
            }
            Ok(LoopEvent::StoryStatusChanged {
                story,
                to: ReviewStatus::ChangesRequested,
                reviews,
                ..
            }) => {
                let numbers: &mut BTreeSet<u64> = rejections.entry(story.to_string()).or_default();
                numbers.insert(reviews);
            }
            _ => {}
        }
    }
    (approvals, rejections)
}

/// Small and the same everywhere: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}
