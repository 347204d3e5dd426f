//! Shared parts of charts: figures with a text alternative, scales and axes.

use std::fmt::Display;

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};

use events::seconds;

use crate::html::{Element, Html, element};
use crate::tally::finite;

/// The width of every chart, in SVG units.
pub(crate) const WIDTH: f64 = 960.0;

/// The maximum number of ticks of a scale.
const MOST_TICKS: f64 = 5.0;

/// Possible seconds between the ticks of a time axis.
const STEPS: [i64; 18] = [
    1, 2, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 172_800, 604_800,
    2_592_000, 31_536_000,
];
const MOST_TIMES: i64 = 8;
const DAY: i64 = 86_400;

/// An upper bound of the width of a character in a label.
const LETTER: f64 = 7.0;

/// Title and text alternative of a chart.
#[derive(Debug, Clone)]
pub(crate) struct ChartText<'w> {
    pub(crate) id: &'static str,
    pub(crate) title: &'w str,
    pub(crate) description: String,
}

/// An SVG with title and text alternative, and further content below.
pub(crate) fn figure(words: &ChartText<'_>, height: f64, marks: Vec<Html>, beneath: Html) -> Html {
    let (title, description) = (format!("{}-title", words.id), format!("{}-description", words.id));
    let picture = element("svg")
        .attr("role", "img")
        .attr("viewBox", format!("0 0 {} {}", number(WIDTH), number(height)))
        .attr("aria-labelledby", format!("{title} {description}"))
        .add(element("title").id(&title).add(words.title))
        .add(element("desc").id(&description).add(&words.description))
        .add_all(marks);
    let scrolls = element("div").class("scroll").attr("tabindex", 0).attr("role", "region");
    element("figure")
        .add(element("figcaption").add(words.title))
        .add(scrolls.attr("aria-label", words.title).add(picture))
        .add(beneath)
        .into()
}

/// CSS classes with their names.
pub(crate) fn legend<Class: Display, Name: Into<Html>>(
    named: impl IntoIterator<Item = (Class, Name)>,
) -> Html {
    let item = |(class, name): (Class, Name)| {
        let swatch = element("svg").class("swatch").attr("viewBox", "0 0 12 12");
        let swatch = swatch.attr("aria-hidden", "true");
        let swatch = swatch.add(rect(1.0, 1.0, 10.0, 10.0).class(class));
        element("li").add(swatch).add(" ").add(name)
    };
    element("ul").class("legend").add_all(named.into_iter().map(item)).into()
}

/// Maps values to coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) most: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Scale {
    /// From 0 to `most`, which may be 0 itself.
    pub(crate) fn new(most: f64, from: f64, to: f64) -> Self {
        let most = finite(most);
        Self { most: if most > 0.0 { most } else { 1.0 }, from, to }
    }

    pub(crate) fn at(&self, value: f64) -> f64 {
        let part = (finite(value) / self.most).min(1.0);
        self.from + part * (self.to - self.from)
    }

    /// Round numbers from 0 to the maximum.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let rough = self.most / MOST_TICKS;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(rough);
        let ticks = (0..=MOST_TICKS as u32).map(|number| f64::from(number) * step);
        ticks.take_while(|tick| *tick <= self.most * 1.000_001).collect()
    }
}

/// Maps times to coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    from: DateTime<Utc>,
    scale: Scale,
}

impl Times {
    /// Covers all times in any order, because clocks get set back.
    pub(crate) fn over(
        moments: impl IntoIterator<Item = DateTime<Utc>>,
        left: f64,
        right: f64,
    ) -> Self {
        let ends = moments.into_iter().fold(None, |ends, moment| match ends {
            None => Some((moment, moment)),
            Some((from, to)) => Some((moment.min(from), moment.max(to))),
        });
        let (from, to) = ends.unwrap_or_default();
        Self { from, scale: Scale::new(seconds(from, to), left, right) }
    }

    pub(crate) fn at(&self, moment: DateTime<Utc>) -> f64 {
        self.scale.at(seconds(self.from, moment))
    }

    /// Ticks at round times from `top` to `bottom`, with labels below.
    pub(crate) fn axis(&self, top: f64, bottom: f64, offset: FixedOffset) -> Vec<Html> {
        let span = self.scale.most as i64;
        let step = STEPS.into_iter().find(|step| span / step <= MOST_TIMES);
        let step = step.unwrap_or_else(|| (span / MOST_TIMES).max(1));
        let by_clock = self.from.timestamp() + i64::from(offset.local_minus_utc());
        let first = by_clock.div_euclid(step) * step + if by_clock % step == 0 { 0 } else { step };
        let form = match step {
            ..60 => "%H:%M:%S",
            _ if span < DAY => "%H:%M",
            60..DAY => "%b %-d %H:%M",
            _ if span < 300 * DAY => "%b %-d",
            _ => "%b %-d %Y",
        };
        let mut marks = Vec::new();
        for after in (first - by_clock..=span).step_by(step as usize) {
            let after = TimeDelta::try_seconds(after);
            let moment = after.and_then(|after| self.from.checked_add_signed(after));
            let Some(moment) = moment else { break };
            let x = self.at(moment);
            marks.push(line(x, top, x, bottom).class("grid").into());
            let time = moment.with_timezone(&offset).format(form).to_string();
            // A centred label would not fit at the edge.
            let fits = x + time.len() as f64 * LETTER / 2.0 <= WIDTH;
            let (x, class) = if fits { (x, "tick middle") } else { (WIDTH, "tick end") };
            marks.push(text(x, bottom + 16.0, &time).class(class).into());
        }
        marks
    }
}

pub(crate) fn rect(x: f64, y: f64, width: f64, height: f64) -> Element {
    shape("rect", [("x", x), ("y", y), ("width", width), ("height", height)])
}

pub(crate) fn line(from_x: f64, from_y: f64, to_x: f64, to_y: f64) -> Element {
    shape("line", [("x1", from_x), ("y1", from_y), ("x2", to_x), ("y2", to_y)])
}

fn shape<const N: usize>(name: &'static str, places: [(&'static str, f64); N]) -> Element {
    places.into_iter().fold(element(name), |shape, (name, at)| shape.attr(name, number(at)))
}

pub(crate) fn text(x: f64, y: f64, words: &str) -> Element {
    shape("text", [("x", x), ("y", y)]).add(words)
}

/// A coordinate with at most one decimal.
pub(crate) fn number(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map(ToOwned::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_finite_for_any_input() {
        for most in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let scale = Scale::new(most, 10.0, 20.0);
            for value in [0.0, 0.5, 1e300, f64::NAN, f64::NEG_INFINITY] {
                assert!((10.0..=20.0).contains(&scale.at(value)), "{value} of {most}");
            }
            assert!(!scale.ticks().is_empty());
        }
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(Scale::new(11.27, 0.0, 1.0).ticks(), [0.0, 5.0, 10.0]);
        assert_eq!(Scale::new(20.0, 0.0, 1.0).ticks(), [0.0, 5.0, 10.0, 15.0, 20.0]);
        for most in [1e-9, 0.07, 3.0, 99.0, 1e12] {
            assert!((2..=6).contains(&Scale::new(most, 0.0, 1.0).ticks().len()), "{most}");
        }
    }

    #[test]
    fn ticks_are_at_round_times() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let marks = |to: &str, offset: i32| {
            let times = Times::over([at("2026-11-15T01:07:00Z"), at(to)], 0.0, WIDTH);
            let offset = FixedOffset::east_opt(offset).unwrap();
            let marks = times.axis(0.0, 10.0, offset).into_iter().map(Html::into_string);
            marks.filter(|mark| mark.starts_with("<text")).collect::<Vec<_>>()
        };
        let hours = marks("2026-11-15T06:00:00Z", 1800);
        assert!(hours[0].contains(">02:00<") && hours[1].contains(">03:00<"), "{hours:?}");
        assert!(marks("2027-11-15T06:00:00Z", 0).len() <= 13);
        assert!(marks("2026-11-15T01:07:00Z", 0).len() <= 2);
        assert!(marks("2029-11-15T06:00:00Z", 0).iter().all(|mark| mark.contains(" 202")));
        let at_the_edge = marks("2026-11-15T06:00:00Z", 0).pop().unwrap();
        assert!(at_the_edge.contains("x=\"960\"") && at_the_edge.contains("tick end"));
    }

    #[test]
    fn extreme_times_are_drawn() {
        let ends = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC];
        for offset in [-86_399, 0, 86_399] {
            let offset = FixedOffset::east_opt(offset).unwrap();
            for from in ends {
                for to in ends {
                    assert!(Times::over([from, to], 0.0, WIDTH).axis(0.0, 1.0, offset).len() < 40);
                }
            }
        }
    }

    #[test]
    fn a_clock_that_is_set_back_covers_all_times() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let (one, other) = (at("2026-11-15T01:07:00Z"), at("2026-11-14T23:00:00Z"));
        let times = Times::over([one, other], 0.0, 100.0);
        assert_eq!((times.at(other), times.at(one)), (0.0, 100.0));
    }
}
