//! The outputs of the filters for one line.

use jaq_json::{Num, Val};

use super::{Filter, Filters};
use crate::one_line::one_line;
use crate::raw::lossy;

#[derive(Debug, Default, PartialEq)]
pub(super) struct FilterOutput {
    pub(super) texts: Vec<String>,
    pub(super) tools: Vec<ToolCall>,
    pub(super) cost_usd: Option<f64>,
    pub(super) result: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ToolCall {
    pub(super) name: String,
    pub(super) summary: String,
}

impl FilterOutput {
    /// `None` if the line is not JSON.
    pub(super) fn of(line: &str, filters: &Filters) -> Option<Self> {
        let line: Val = serde_json::from_str(line).ok()?;
        let run = |filter: &Option<Filter>| match filter {
            Some(filter) => filter.run(&line),
            None => Vec::new(),
        };
        Some(Self {
            texts: run(&filters.text).iter().filter_map(string).collect(),
            tools: run(&filters.tool).iter().filter_map(tool_call).collect(),
            cost_usd: run(&filters.cost_usd)
                .iter()
                .filter_map(amount)
                .reduce(|sum, cost| sum + cost),
            result: run(&filters.result).iter().filter_map(string).next_back(),
        })
    }
}

fn string(value: &Val) -> Option<String> {
    match value {
        Val::TStr(bytes) => Some(lossy(bytes).into_owned()),
        _ => None,
    }
}

fn tool_call(value: &Val) -> Option<ToolCall> {
    let (name, summary) = match value {
        Val::Obj(object) => {
            let part = |key: &str| object.get(&Val::from(key.to_owned())).and_then(string);
            (part("name")?, part("summary").unwrap_or_default())
        }
        other => (string(other)?, String::new()),
    };
    let (name, summary) = (one_line(&name), one_line(&summary));
    (!name.is_empty()).then_some(ToolCall { name, summary })
}

/// Ignores negative costs.
fn amount(value: &Val) -> Option<f64> {
    let amount = match value {
        Val::Num(Num::Int(whole)) => *whole as f64,
        Val::Num(Num::Float(number)) => *number,
        _ => return None,
    };
    (amount.is_finite() && amount >= 0.0).then_some(amount)
}
