//! Reads the retries after a failure of the agent.

use run_options::Retries;

use crate::leaf::{COUNT, TIME};
use crate::section::{Keys, Section};

impl Section for Retries {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("most", &mut self.most, COUNT);
        keys.set("firstWait", &mut self.first_wait, TIME);
    }
}
