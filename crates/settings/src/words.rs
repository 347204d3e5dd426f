//! Reads the words of a setting.

use run_options::Word;

use crate::leaf::Leaf;

pub(crate) trait WordLeaf: Sized {
    const LEAF: Leaf<Self>;
}

impl<W: Word> WordLeaf for W {
    const LEAF: Leaf<W> = Leaf { expected: W::EXPECTED, read: |json| W::from_word(json.text()?) };
}
