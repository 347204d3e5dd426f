//! Programs that download to files.

use shell_analysis::Word;

use super::{Effects, FileAction, base_name};
use crate::words::words;

pub(crate) const CURL_VALUED: &[&str] = words!(
    "o output d data data-raw data-binary data-urlencode data-ascii json F form form-string T
     upload-file H header X request u user A user-agent b cookie c cookie-jar e referer x proxy m
     max-time connect-timeout retry w write-out K config E cert cacert key resolve output-dir url
     retry-delay D dump-header url-query r range limit-rate n interface Y y z C t Q unix-socket
     netrc-file"
);

pub(crate) const WGET_VALUED: &[&str] = words!(
    "O output-document P directory-prefix post-data post-file body-data body-file method header t
     tries T timeout U user-agent o output-file a append-output i input-file e execute user
     password Q w wait l level A R D B"
);

pub(super) fn add(effects: &mut Effects<'_, '_>) {
    match effects.view.program.as_str() {
        "curl" => {
            // curl's `-n` has no value.
            let valued: Vec<&str> =
                CURL_VALUED.iter().copied().filter(|name| *name != "n").collect();
            let arguments = effects.view.arguments(&valued);
            let outputs = ["o", "output", "c", "cookie-jar", "D", "dump-header"];
            effects.add_all(
                FileAction::Write,
                arguments.values(&outputs).filter(|word| word.shown() != "-"),
            );
            effects.add_all(FileAction::Write, arguments.value(&["output-dir"]));
            for word in
                arguments.values(words!("d data data-binary data-urlencode data-ascii json F form"))
            {
                effects.add_all(FileAction::Read, after_at(word).as_ref());
            }
            effects.add_all(
                FileAction::Read,
                arguments.values(&["T", "upload-file", "K", "config", "netrc-file"]),
            );
            for config in arguments.values(&["K", "config"]) {
                configured(effects, config);
            }
            if arguments.has(&["O", "remote-name"]) {
                here(effects, &arguments.operands);
            }
        }
        "wget" | "wget2" => {
            let arguments = effects.view.arguments(WGET_VALUED);
            let outputs =
                ["O", "output-document", "P", "directory-prefix", "o", "output-file", "a"];
            effects.add_all(
                FileAction::Write,
                arguments.values(&outputs).filter(|word| word.shown() != "-"),
            );
            effects.add_all(
                FileAction::Read,
                arguments.values(&["post-file", "body-file", "i", "input-file"]),
            );
            if let Some(folder) = arguments.value(&["P", "directory-prefix"]) {
                let names = arguments.operands.iter().map(Word::shown);
                for name in names.filter_map(|word| base_name(&word).map(str::to_owned)) {
                    let mut file = folder.clone();
                    file.pieces.push(shell_analysis::Piece::Text(format!("/{name}")));
                    effects.add(FileAction::Write, &file);
                }
            } else if !arguments.has(&["O", "output-document"]) {
                here(effects, &arguments.operands);
            }
        }
        _ => {
            let arguments = effects.view.arguments(&["o", "out", "d", "dir", "x", "s", "j"]);
            effects.add_all(FileAction::Write, arguments.values(&["o", "out", "d", "dir"]));
        }
    }
}

/// The files that curl writes according to an option file, if the command line wrote that file.
fn configured(effects: &mut Effects<'_, '_>, config: &Word) {
    let text = crate::contents::written(config, effects.view).unwrap_or_default();
    let outputs = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(['=', ' ', ':'])?;
        let is_output = matches!(name.trim().trim_start_matches('-'), "output" | "o");
        is_output.then(|| value.trim_matches(['=', ' ', '"', ':']).to_owned())
    });
    outputs.for_each(|file| effects.add_here(FileAction::Write, &file));
}

fn here(effects: &mut Effects<'_, '_>, addresses: &[Word]) {
    for address in addresses {
        if let Some(name) = base_name(&address.shown()) {
            effects.add_here(FileAction::Write, name);
        }
    }
}

/// The file after `@` or `name=@`.
pub(crate) fn after_at(word: &Word) -> Option<Word> {
    let start = word.known_start();
    let at = start.find(['@', '<'])?;
    let before = &start[..at];
    let is_file =
        before.is_empty() || before.ends_with('=') || !before.contains(['{', '"', ' ', '=']);
    is_file.then(|| {
        let file = crate::arguments::without_start(word, at + 1);
        match file.text().and_then(|text| text.split_once(';').map(|(file, _)| file.to_owned())) {
            Some(file) => Word::of(file),
            None => file,
        }
    })
}
