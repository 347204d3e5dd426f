//! The text of an order.

use project::orders::Order;

pub(crate) fn order_text(order: &Order) -> String {
    match order {
        Order::Pause => "pause after this iteration".into(),
        Order::GoOn => "resume".into(),
        Order::Skip { story: Some(story) } => format!("skip {story}"),
        Order::Skip { story: None } => "skip the next story".into(),
        Order::Stop => "stop".into(),
        Order::Answer { story, text, .. } => format!("answer for {story}: {text}"),
        Order::Steer { text, .. } => format!("instruction for the next session: {text}"),
    }
}
