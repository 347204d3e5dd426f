//! What the runner does with order files, without a run.

use std::io;
use std::time::Duration;

use events::Stamped;
use project::orders::give;

use super::*;
use crate::Observer;

#[derive(Default)]
struct RecordedEvents(Vec<LoopEvent>);

impl Observer for RecordedEvents {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        self.0.push(stamped.event.clone());
        Ok(())
    }
}

struct TestOrders {
    _dir: assert_fs::TempDir,
    layout: Layout,
    orders: Orders,
    switch: StopSwitch,
}

fn setup() -> TestOrders {
    let dir = assert_fs::TempDir::new().unwrap();
    let layout = Layout::new(dir.path());
    let mut orders = Orders::open(&layout).unwrap();
    orders.since = SystemTime::now() - Duration::from_secs(60);
    TestOrders { _dir: dir, layout, orders, switch: StopSwitch::new(Duration::ZERO) }
}

impl TestOrders {
    fn give(&self, order: &Order) {
        give(&self.layout, "r1", order).unwrap();
    }

    fn apply(&mut self) -> Vec<LoopEvent> {
        let mut events = RecordedEvents::default();
        self.orders.apply("r1", &self.switch, &EventSink::new("r1".into(), &mut events));
        events.0
    }

    fn files(&self) -> usize {
        std::fs::read_dir(self.layout.orders()).unwrap().count()
    }
}

fn story(id: &str) -> StoryId {
    StoryId::new(id).unwrap()
}

fn accepted(order: Order) -> LoopEvent {
    LoopEvent::OrderAccepted { order }
}

#[test]
fn a_pause_lasts_until_the_run_is_resumed() {
    let mut setup = setup();
    setup.give(&Order::Pause);
    assert_eq!(setup.apply(), [accepted(Order::Pause)]);
    assert_eq!((setup.orders.paused, setup.files()), (true, 0));
    assert_eq!(setup.apply(), []);
    assert!(setup.orders.paused);
    setup.give(&Order::GoOn);
    setup.apply();
    assert!(!setup.orders.paused);
}

#[test]
fn each_stop_is_more_urgent_than_the_one_before() {
    let mut setup = setup();
    for _ in 0..2 {
        setup.give(&Order::Stop);
        setup.apply();
    }
    assert_eq!(setup.switch.requested(), Some(StopSignal::Order));
    assert_eq!(setup.switch.requests().current(), Some(supervise::Stop::Now));
    assert_eq!(setup.files(), 0);
}

#[test]
fn an_order_stays_in_its_file_until_it_is_saved() {
    let mut setup = setup();
    let steer = Order::steer("use tabs").unwrap();
    setup.give(&steer);
    assert_eq!(setup.apply(), [accepted(steer.clone())]);
    assert_eq!((setup.apply().len(), setup.files()), (0, 1));
    assert_eq!(setup.orders.accepted()[0].order, steer);
    let mut sink_events = RecordedEvents::default();
    setup.orders.remove_accepted(&EventSink::new("r1".into(), &mut sink_events));
    assert_eq!((setup.orders.accepted().len(), setup.files()), (0, 0));
}

#[test]
fn a_skip_names_the_running_story_and_ends_its_session() {
    let mut setup = setup();
    setup.orders.story = Some(story("US-1"));
    setup.give(&Order::Skip { story: Some(story("US-2")) });
    setup.apply();
    assert_eq!(setup.orders.reaction(), Reaction::Nothing);
    setup.give(&Order::Skip { story: None });
    assert_eq!(setup.apply(), [accepted(Order::Skip { story: Some(story("US-1")) })]);
    assert_eq!(setup.orders.reaction(), Reaction::Enough);
    // The next runner after a kill reads the same.
    let mut next = Orders::open(&setup.layout).unwrap();
    let mut sink_events = RecordedEvents::default();
    next.apply("r1", &setup.switch, &EventSink::new("r1".into(), &mut sink_events));
    assert!(next.skips(&story("US-1")) && next.skips(&story("US-2")));
}

#[test]
fn orders_for_another_run_and_old_orders_are_reported_and_ignored() {
    let mut setup = setup();
    give(&setup.layout, "r0", &Order::steer("use tabs").unwrap()).unwrap();
    give(&setup.layout, "r0", &Order::Stop).unwrap();
    setup.give(&Order::Pause);
    setup.orders.since = SystemTime::now() + Duration::from_secs(60);
    setup.give(&Order::Skip { story: Some(story("US-1")) });
    let events = setup.apply();
    let found = |text: &str| LoopEvent::LeftoverFound { text: text.into() };
    assert_eq!(
        events,
        [
            found("ignored an order for run r0: steer: use tabs"),
            found("ignored an order for run r0: stop"),
            found("ignored an order from before the run was resumed: pause"),
            accepted(Order::Skip { story: Some(story("US-1")) }),
        ]
    );
    assert_eq!((setup.switch.requested(), setup.orders.paused), (None, false));
    assert_eq!(setup.files(), 1);
}

#[test]
fn a_prompt_loop_leaves_answers_for_stories_in_the_queue() {
    let mut setup = setup();
    let answer = Order::answer(story("US-1"), Some(1), "The new one.").unwrap();
    give(&setup.layout, "r0", &answer).unwrap();
    assert_eq!((setup.apply(), setup.apply(), setup.files()), (vec![], vec![], 1));
    setup.orders = Orders::open_with_answers(&setup.layout).unwrap();
    setup.orders.story = Some(story("US-2"));
    assert_eq!(setup.apply(), [accepted(answer.clone())]);
    let given = setup.orders.accepted();
    assert_eq!((given.len(), &given[0].order, setup.files()), (1, &answer, 1));
}

#[test]
fn many_invalid_files_cause_one_warning() {
    let mut setup = setup();
    for number in 0..5 {
        std::fs::write(setup.layout.orders().join(format!("{number}")), "x").unwrap();
    }
    let events = setup.apply();
    let [LoopEvent::Warning { text }] = &events[..] else { panic!("{events:?}") };
    assert!(text.contains(".ralph/orders: 0: ") && text.ends_with("; and 2 more"), "{text}");
    assert_eq!(setup.files(), 0);
}

#[test]
fn a_signal_is_reported_once() {
    let mut setup = setup();
    assert_eq!(setup.apply(), []);
    setup.switch.request(StopSignal::Interrupt);
    let events = setup.apply();
    assert!(
        matches!(&events[..], [LoopEvent::StopRequested { signal, .. }] if signal == "SIGINT"),
        "{events:?}"
    );
    setup.switch.request(StopSignal::Interrupt);
    assert_eq!(setup.apply(), []);
}
