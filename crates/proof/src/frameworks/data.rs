//! One entry for each framework, in a module for each language.

mod bats;
mod custom;
mod go;
mod javascript;
mod jvm;
mod php;
mod python;
mod ruby;
mod rust;

use super::Framework;
use super::spec::{ConfigurationFile, Spec};

pub(crate) fn spec(framework: Framework) -> &'static Spec {
    match framework {
        Framework::Cargo => &rust::CARGO,
        Framework::Pytest => &python::PYTEST,
        Framework::Unittest => &python::UNITTEST,
        Framework::Jest => &javascript::JEST,
        Framework::Vitest => &javascript::VITEST,
        Framework::Mocha => &javascript::MOCHA,
        Framework::Node => &javascript::NODE,
        Framework::Go => &go::GO,
        Framework::Rspec => &ruby::RSPEC,
        Framework::Phpunit => &php::PHPUNIT,
        Framework::Gradle => &jvm::GRADLE,
        Framework::Maven => &jvm::MAVEN,
        Framework::Bats => &bats::BATS,
        Framework::Custom => &custom::CUSTOM,
    }
}

/// The files that decide how tests of `framework` run. Changes to them can make tests pass.
pub fn configuration(framework: Framework) -> &'static [ConfigurationFile] {
    spec(framework).configuration
}
