//! Agent `text`: any other program. It gets the prompt in one of three ways, and its output is its answer.

mod command;
mod decoder;
mod echo;
mod echo_candidate;
mod letters;
mod output_tail;

use crate::{Abilities, Installed, SignIn};

pub(crate) use command::command;
pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities = Abilities::NONE;

pub(crate) const INSTALLED: Installed =
    Installed { usual_places: &[], hint: "name the program to run" };

pub(crate) const SIGN_IN: SignIn = SignIn::ReportedByAgent;
