//! What becomes of order_files, without a run around them.

use std::io;
use std::time::Duration;

use project::orders::give;

use super::*;
use crate::{Observer, Stamped};

#[derive(Default)]
struct Told(Vec<LoopEvent>);

impl Observer for Told {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        self.0.push(stamped.event.clone());
        Ok(())
    }
}

struct Desk {
    _dir: assert_fs::TempDir,
    layout: Layout,
    orders: Orders,
    switch: StopSwitch,
}

fn desk() -> Desk {
    let dir = assert_fs::TempDir::new().unwrap();
    let layout = Layout::new(dir.path());
    let mut orders = Orders::open(&layout).unwrap();
    orders.since = SystemTime::now() - Duration::from_secs(60);
    Desk { _dir: dir, layout, orders, switch: StopSwitch::new(Duration::ZERO) }
}

impl Desk {
    fn give(&self, order: &Order) {
        give(&self.layout, "r1", order).unwrap();
    }

    fn apply(&mut self) -> Vec<LoopEvent> {
        let mut told = Told::default();
        self.orders.apply("r1", &self.switch, &mut EventSink::new("r1".into(), &mut told));
        told.0
    }

    fn files(&self) -> usize {
        std::fs::read_dir(self.layout.orders()).unwrap().count()
    }
}

fn story(id: &str) -> StoryId {
    StoryId::new(id).unwrap()
}

fn taken(order: Order) -> LoopEvent {
    LoopEvent::OrderAccepted { order }
}

#[test]
fn a_pause_holds_until_the_run_is_told_to_go_on() {
    let mut desk = desk();
    desk.give(&Order::Pause);
    assert_eq!(desk.apply(), [taken(Order::Pause)]);
    assert_eq!((desk.orders.course, desk.files()), (Course::Pauses, 0));
    assert_eq!(desk.apply(), []);
    assert_eq!(desk.orders.course, Course::Pauses);
    desk.give(&Order::GoOn);
    desk.apply();
    assert_eq!(desk.orders.course, Course::Works);
}

#[test]
fn each_stop_is_more_urgent_than_the_one_before() {
    let mut desk = desk();
    for _ in 0..2 {
        desk.give(&Order::Stop);
        desk.apply();
    }
    assert_eq!(desk.switch.heard(), Some(StopSignal::Order));
    assert_eq!(desk.switch.requests().current(), Some(supervise::Stop::Now));
    assert_eq!(desk.files(), 0);
}

#[test]
fn what_is_to_be_kept_stays_in_its_file_until_it_is() {
    let mut desk = desk();
    let steer = Order::steer("use tabs").unwrap();
    desk.give(&steer);
    assert_eq!(desk.apply(), [taken(steer.clone())]);
    assert_eq!((desk.apply().len(), desk.files()), (0, 1));
    assert_eq!(desk.orders.taken(), [steer]);
    let mut nobody = Told::default();
    desk.orders.forget_taken(&mut EventSink::new("r1".into(), &mut nobody));
    assert_eq!((desk.orders.taken().len(), desk.files()), (0, 0));
}

#[test]
fn a_skip_names_the_story_that_runs_and_ends_what_runs() {
    let mut desk = desk();
    desk.orders.story = Some(story("US-1"));
    desk.give(&Order::Skip { story: Some(story("US-2")) });
    desk.apply();
    assert_eq!(desk.orders.seen(), Seen::Nothing);
    desk.give(&Order::Skip { story: None });
    assert_eq!(desk.apply(), [taken(Order::Skip { story: Some(story("US-1")) })]);
    assert_eq!(desk.orders.seen(), Seen::Enough);
    // A runner that comes after a kill reads the same.
    let mut next = Orders::open(&desk.layout).unwrap();
    let mut nobody = Told::default();
    next.apply("r1", &desk.switch, &mut EventSink::new("r1".into(), &mut nobody));
    assert!(next.skips(&story("US-1")) && next.skips(&story("US-2")));
}

#[test]
fn orders_for_another_run_and_from_before_are_told_and_not_obeyed() {
    let mut desk = desk();
    give(&desk.layout, "r0", &Order::steer("use tabs").unwrap()).unwrap();
    give(&desk.layout, "r0", &Order::Stop).unwrap();
    desk.give(&Order::Pause);
    desk.orders.since = SystemTime::now() + Duration::from_secs(60);
    desk.give(&Order::Skip { story: Some(story("US-1")) });
    let told = desk.apply();
    let found = |text: &str| LoopEvent::LeftoverFound { text: text.into() };
    assert_eq!(
        told,
        [
            found("an order for run r0, not obeyed: steer: use tabs"),
            found("an order for run r0, not obeyed: stop"),
            found("an order from before the run was taken up: pause"),
            taken(Order::Skip { story: Some(story("US-1")) }),
        ]
    );
    assert_eq!((desk.switch.heard(), desk.orders.course), (None, Course::Works));
    assert_eq!(desk.files(), 1);
}

#[test]
fn a_heap_of_nonsense_is_one_warning() {
    let mut desk = desk();
    for number in 0..5 {
        std::fs::write(desk.layout.orders().join(format!("{number}")), "x").unwrap();
    }
    let told = desk.apply();
    let [LoopEvent::Warning { text }] = &told[..] else { panic!("{told:?}") };
    assert!(text.contains(".ralph/orders: 0: ") && text.ends_with("; and 2 more"), "{text}");
    assert_eq!(desk.files(), 0);
}

#[test]
fn a_signal_is_reported_once_when_it_is_heard() {
    let mut desk = desk();
    assert_eq!(desk.apply(), []);
    desk.switch.hear(StopSignal::Interrupt);
    let told = desk.apply();
    assert!(
        matches!(&told[..], [LoopEvent::StopRequested { signal, .. }] if signal == "SIGINT"),
        "{told:?}"
    );
    desk.switch.hear(StopSignal::Interrupt);
    assert_eq!(desk.apply(), []);
}
