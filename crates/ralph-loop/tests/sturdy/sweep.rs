//! Kills runners at chosen and at random moments, in projects that check what is left each time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use events::{IterationMode, LoopEvent, Stamped};
use project::RunLock;
use tasks::ReviewStatus;

use crate::harness::{Finished, Project, await_none_in, until};

/// Gives another sweep: `RALPH_KILL_SEED=7 cargo test`; `random` takes one from the clock.
const SEED_VARIABLE: &str = "RALPH_KILL_SEED";
const SEED: u64 = 20_251_115;

/// A project in which runners are killed.
pub(crate) trait Victim {
    fn project(&self) -> &Project;
    fn args(&self) -> Vec<&'static str>;
    fn check_after_kill(&mut self);
    fn check_end(&self);
    /// Of a run that was not killed.
    fn exit_codes(&self) -> &'static [i32] {
        &[0]
    }
}

/// The kills in projects of a kind, one project after the other.
#[derive(Clone, Copy)]
pub(crate) struct Sweep {
    pub(crate) kills: usize,
    /// Every other kill comes after one of these events: they are too short to be met by chance.
    pub(crate) moments: &'static [&'static str],
    /// The other kills come after fewer events than this.
    pub(crate) most_events: u64,
    pub(crate) begin: fn() -> Box<dyn Victim>,
}

/// Executes the sweeps side by side, because most of a run is waiting.
pub(crate) fn sweep_all(sweeps: &[Sweep]) {
    let seed = match std::env::var(SEED_VARIABLE).as_deref() {
        Ok("random") => SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64,
        Ok(text) => text.parse().unwrap(),
        Err(_) => SEED,
    };
    eprintln!("kill sweep: {SEED_VARIABLE}={seed}");
    let threads: Vec<_> = sweeps
        .iter()
        .zip(0_u64..)
        .map(|(sweep, number)| {
            let (sweep, random) = (*sweep, Random(seed.wrapping_add(number << 32) | 1));
            std::thread::spawn(move || sweep.execute(random))
        })
        .collect();
    let mut places = BTreeMap::<String, usize>::new();
    for (number, thread) in threads.into_iter().enumerate() {
        let killed_after = thread.join().unwrap_or_else(|_| {
            panic!("sweep {number} failed; see above; again with {SEED_VARIABLE}={seed}")
        });
        for place in killed_after {
            *places.entry(place).or_default() += 1;
        }
    }
    eprintln!("kill sweep: killed after {places:#?}");
    assert_eq!(
        places.values().sum::<usize>(),
        sweeps.iter().map(|sweep| sweep.kills).sum::<usize>()
    );
    for place in sweeps.iter().flat_map(|sweep| sweep.moments) {
        assert!(places.contains_key(*place), "no runner was killed after {place}");
    }
}

impl Sweep {
    /// Kills the runner in as many projects as needed and returns after which events.
    fn execute(self, mut random: Random) -> Vec<String> {
        let mut killed_after = Vec::new();
        let mut tries = 0;
        while killed_after.len() < self.kills {
            let mut victim = (self.begin)();
            let args = victim.args();
            let mut before = Counters::default();
            while !is_over(victim.project()) {
                if killed_after.len() < self.kills {
                    // A run that ends before its moment does not count: the next one is to meet that moment.
                    let number = killed_after.len();
                    let moment = match number % 2 {
                        0 => Moment::After(random.below(self.most_events)),
                        _ => Moment::At(self.moments[number / 2 % self.moments.len()]),
                    };
                    tries += 1;
                    assert!(tries < 10 * self.kills, "no run has {moment:?}");
                    let then = Duration::from_micros(random.below(15_000));
                    killed_after.extend(kill(&*victim, &args, moment, then));
                } else {
                    check_exit(&*victim, &victim.project().run(&args));
                }
                before = before.next(victim.project());
                victim.check_after_kill();
            }
            victim.check_end();
        }
        killed_after
    }
}

/// Also if it was killed between its last event and its end.
fn is_over(project: &Project) -> bool {
    project.state().is_some_and(|state| state["ended"] == "complete")
}

#[derive(Debug)]
enum Moment {
    /// As many events.
    After(u64),
    /// The first event of a kind.
    At(&'static str),
}

/// Kills a runner shortly after an event and returns its last event; `None` if the run ended first.
fn kill(victim: &dyn Victim, args: &[&str], moment: Moment, then: Duration) -> Option<String> {
    let mut runner = victim.project().start(args);
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
        check_exit(victim, &runner.finish());
        return None;
    }
    runner.kill();
    Some(last)
}

#[track_caller]
fn check_exit(victim: &dyn Victim, ended: &Finished) {
    let code = ended.status.code();
    let is_expected = code.is_some_and(|code| victim.exit_codes().contains(&code));
    assert!(is_expected, "{code:?}\n{}\n{:#?}", ended.stderr, ended.events.last());
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

impl Counters {
    /// No process and no lock is left, and the counters of the run did not go backwards.
    #[track_caller]
    fn next(self, project: &Project) -> Self {
        let state = project.state();
        let run = state.as_ref().and_then(|state| state["runId"].as_str()).unwrap_or_default();
        await_none_in(&project.around(), Some(run));
        // A program that it was just starting has the lock until it runs.
        let layout = project.layout();
        until("the lock of the dead runner is free", || (!RunLock::is_held(&layout)).then_some(()));
        let Some(state) = &state else { return self };
        let before = self;
        let counters = &state["counters"];
        let now = Self {
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
}

/// The events of the run, also those of killed runners.
pub(crate) fn logged(project: &Project) -> Vec<LoopEvent> {
    let Some(state) = project.state() else { return Vec::new() };
    let folder = project.layout().run_dir(state["runId"].as_str().unwrap());
    let record = std::fs::read(folder.join("events.jsonl")).unwrap_or_default();
    // Half a line is what a killed writer leaves.
    let stamped =
        record.split(|byte| *byte == b'\n').filter_map(|line| Stamped::from_line(line).ok());
    stamped.map(|stamped| stamped.event).collect()
}

/// Which kind of iteration approved each story, and which of its reviews requested changes, from
/// the event log. Events of a killed runner may be repeated.
pub(crate) fn verdicts(
    project: &Project,
) -> (BTreeMap<String, Vec<IterationMode>>, BTreeMap<String, BTreeSet<u64>>) {
    let (mut approvals, mut rejections) = (BTreeMap::new(), BTreeMap::new());
    let mut running = BTreeMap::new();
    for event in logged(project) {
        match event {
            LoopEvent::IterationStarted(events::IterationStarted {
                mode,
                story: Some(story),
                ..
            }) => {
                running.insert(story, mode);
            }
            LoopEvent::StoryStatusChanged { story, to: ReviewStatus::Approved, .. } => {
                let by: &mut Vec<IterationMode> = approvals.entry(story.to_string()).or_default();
                by.push(running[&story]);
            }
            LoopEvent::StoryStatusChanged {
                story,
                to: ReviewStatus::ChangesRequested,
                reviews,
                ..
            } => {
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
