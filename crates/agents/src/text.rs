//! Agent `text`: any other program. It gets the prompt in one of three ways, and its output is its answer.

mod command;
mod decoder;
mod echo;
mod echo_candidate;
mod letters;
mod output_tail;

use crate::adapter::Adapter;
use crate::{Abilities, Installed, Needs, SignIn};

pub(crate) fn adapter() -> Adapter {
    Adapter {
        abilities: Abilities::default(),
        installed: Installed { usual_places: &[], hint: "name the program to run" },
        sign_in: SignIn::ReportedByAgent,
        needs: Needs::default(),
        reserved: "",
        arguments: command::arguments,
        decoder: |prompt| Box::new(decoder::Decoder::new(prompt)),
    }
}
