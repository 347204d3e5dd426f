//! Any other program: it takes a prompt in one of three ways, and what it prints is its answer.

mod command;
mod decoder;
mod echo;
mod kept;
mod letters;
mod reading;

use crate::{Abilities, Installed, SignIn};

pub(crate) use command::command;
pub(crate) use decoder::Decoder;

pub(crate) const ABILITIES: Abilities = Abilities::NONE;

pub(crate) const INSTALLED: Installed =
    Installed { usual_places: &[], hint: "name the program that is to be run" };

pub(crate) const SIGN_IN: SignIn = SignIn::ToldByItself;
