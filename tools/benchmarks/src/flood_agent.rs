//! `flood-agent`: an agent that prints one block of stream lines repeatedly, as fast as the pipe
//! accepts them, and then its result. `FLOOD_BLOCK` is the file with the block, `FLOOD_BYTES` the
//! minimum number of bytes.

use std::io::{self, Read, Write};
use std::process::ExitCode;

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":0.1,"num_turns":1}"#;

fn main() -> ExitCode {
    match flood() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails too, the error cannot be reported.
            let _ = writeln!(io::stderr(), "flood-agent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn flood() -> io::Result<()> {
    let missing = |name: &str| io::Error::other(format!("{name} is not set"));
    let block = std::env::var_os("FLOOD_BLOCK").ok_or_else(|| missing("FLOOD_BLOCK"))?;
    let bytes = std::env::var("FLOOD_BYTES").ok().and_then(|bytes| bytes.parse().ok());
    let mut left: u64 = bytes.ok_or_else(|| missing("FLOOD_BYTES"))?;
    let block = std::fs::read(block)?;
    io::stdin().read_to_end(&mut Vec::new())?;
    let mut out = io::stdout().lock();
    while left > 0 {
        out.write_all(&block)?;
        left = left.saturating_sub(block.len().max(1) as u64);
    }
    writeln!(out, "{RESULT}")
}
