//! `system/init` lines: the session and what it loaded.

use serde::Deserialize;

use super::decoder::Decoder;
use crate::one_line::one_line;
use crate::raw::Raw;
use crate::{AgentEvent, LoadedPlugin};

#[derive(Deserialize)]
struct Init<'a> {
    #[serde(borrow)]
    session_id: Raw<'a>,
    #[serde(borrow)]
    model: Raw<'a>,
    #[serde(borrow)]
    claude_code_version: Raw<'a>,
    #[serde(borrow)]
    plugins: Raw<'a>,
    #[serde(borrow)]
    plugin_errors: Raw<'a>,
}

#[derive(Deserialize)]
struct Plugin<'a> {
    #[serde(borrow)]
    name: Raw<'a>,
    #[serde(borrow)]
    path: Raw<'a>,
}

#[derive(Deserialize)]
struct PluginError<'a> {
    #[serde(borrow)]
    plugin: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
}

pub(super) fn decode(
    decoder: &mut Decoder,
    line: &str,
    emit: &mut dyn FnMut(AgentEvent),
) -> serde_json::Result<()> {
    let init: Init<'_> = serde_json::from_str(line)?;
    decoder.model = init.model.string();
    emit(AgentEvent::SessionStarted {
        session_id: init.session_id.string(),
        model: decoder.model.clone(),
        version: init.claude_code_version.string(),
        plugins: init.plugins.items().into_iter().filter_map(plugin).collect(),
    });
    for error in init.plugin_errors.items() {
        let Some(error) = error.parse::<PluginError<'_>>() else { continue };
        let plugin = error.plugin.text().unwrap_or_default();
        let message = error.message.text().unwrap_or_default();
        emit(AgentEvent::Notice { text: one_line(&format!("plugin {plugin}: {message}")) });
    }
    Ok(())
}

fn plugin(plugin: Raw<'_>) -> Option<LoadedPlugin> {
    let plugin: Plugin<'_> = plugin.parse()?;
    Some(LoadedPlugin {
        name: plugin.name.string()?,
        path: plugin.path.string().unwrap_or_default().into(),
    })
}
