//! The page about proofs and the prompt of a specify session explain every test framework.

use proof::Framework;
use strum::VariantArray;

use crate::read;

#[test]
fn every_framework_is_explained() {
    let (page, prompt) = (read("docs/proof.md"), read("templates/modes/specify.md"));
    for framework in Framework::VARIANTS {
        let name = format!("`{framework}`");
        assert!(page.contains(&format!("\n| {name} |")), "docs/proof.md: {name}");
        assert!(prompt.contains(&name), "specify.md: {name}");
    }
}
