//! The size of a terminal, such as `100x34`.

use std::str::FromStr;

use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

#[derive(Debug, Error)]
#[error("a size is columns and rows, such as 100x34, neither of them 0")]
pub struct SizeError;

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let side = |text: &str| text.parse().ok().filter(|side| *side > 0).ok_or(SizeError);
        let (columns, rows) = text.split_once('x').ok_or(SizeError)?;
        Ok(Self { columns: side(columns)?, rows: side(rows)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_columns_times_rows() {
        assert_eq!("100x34".parse::<Size>().unwrap(), Size { columns: 100, rows: 34 });
        for wrong in ["100", "0x34", "100x", "axb", "100x34x2"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
