//! The configuration of the server, and its secrets.

use std::io;
use std::path::Path;

use data_encoding::BASE64URL_NOPAD;

pub(crate) fn text(dir: &Path, port: u16) -> io::Result<String> {
    Ok(format!(
        include_str!("app.ini"),
        dir = dir.display(),
        port = port,
        secret = random()?,
        internal = random()?,
        key = random()?,
    ))
}

/// 32 bytes, in the form that Forgejo wants of a key.
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(BASE64URL_NOPAD.encode(&bytes))
}
