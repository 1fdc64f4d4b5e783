//! How many words of a removed document its witness lacks, and how many it may lack.

use crate::collection::DocumentId;
use crate::document_sets::DocumentSets;
use crate::{Collection, EngineError, Units};
use lookalike_join::{Edge, RemovalCondition, SourceError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The most words of a removed document that its witness may lack: a number (`10`), or a share of
/// its words (`2%`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MaxLost {
    /// A number of words.
    Words(u64),
    /// A share of all words, in millionths.
    Millionths(u32),
}

impl MaxLost {
    /// Whether a document of `words` words may lose `lost` of them.
    ///
    /// ```
    /// use lookalike_engine::MaxLost;
    ///
    /// let most: MaxLost = "2.5%".parse().unwrap();
    /// assert!(most.allows(1, 40) && !most.allows(1, 39) && most.allows(0, 0));
    /// ```
    #[must_use]
    pub fn allows(self, lost: u64, words: u64) -> bool {
        match self {
            Self::Words(most) => lost <= most,
            Self::Millionths(most) => {
                u128::from(lost) * 1_000_000 <= u128::from(words) * u128::from(most)
            }
        }
    }
}

impl FromStr for MaxLost {
    type Err = String;

    /// # Errors
    /// Neither a whole number nor a percentage up to 100 with at most four decimals.
    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{written}` is neither a number of words, as 10, nor a share of them, as 2% or 0.5%"
            )
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let Some(percent) = written.strip_suffix('%') else {
            let words = Some(written).filter(|text| is_number(text));
            return words.and_then(|text| text.parse().ok()).map(Self::Words).ok_or_else(wrong);
        };
        let (whole, decimals) = percent.split_once('.').unwrap_or((percent, "0"));
        if !is_number(whole) || !is_number(decimals) || decimals.len() > 4 {
            return Err(wrong());
        }
        let millionths: u32 = format!("{whole}{decimals:0<4}").parse().map_err(|_| wrong())?;
        match millionths {
            0..=1_000_000 => Ok(Self::Millionths(millionths)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for MaxLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => write!(f, "{words}"),
            Self::Millionths(millionths) => {
                let (whole, decimals) = (millionths / 10_000, millionths % 10_000);
                let decimals = format!("{decimals:04}");
                match decimals.trim_end_matches('0') {
                    "" => write!(f, "{whole}%"),
                    decimals => write!(f, "{whole}.{decimals}%"),
                }
            }
        }
    }
}

impl TryFrom<String> for MaxLost {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        written.parse()
    }
}

impl From<MaxLost> for String {
    fn from(most: MaxLost) -> Self {
        most.to_string()
    }
}

/// The words of each document, each as often as it occurs, and how many a removal may lose.
#[derive(Debug)]
pub struct WordLoss {
    words: DocumentSets,
    most: MaxLost,
}

impl WordLoss {
    /// Takes the documents of a collection that was read with
    /// [`Signer::of_words`](crate::Signer::of_words). Their words are held in memory if they take at
    /// most `memory` bytes, 8 for each; besides, 4 bytes for each document.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn new(collection: Collection, most: MaxLost, memory: u64) -> Result<Self, EngineError> {
        Ok(Self { words: DocumentSets::new(collection, memory)?, most })
    }

    /// Whether a document may be removed with a witness. O(words of both).
    ///
    /// # Errors
    /// Words on disk that cannot be read.
    pub fn allows(&self, removed: DocumentId, kept: DocumentId) -> Result<bool, EngineError> {
        let words = self.words.size(removed);
        let lost = words - self.words.shared(removed, kept)?;
        Ok(self.most.allows(lost.into(), words.into()))
    }
}

/// [`WordLoss`] of units, whose documents have the same words.
#[derive(Debug)]
pub(crate) struct UnitLoss {
    loss: Arc<WordLoss>,
    /// A document of each unit.
    documents: Vec<DocumentId>,
}

impl UnitLoss {
    pub(crate) fn new(loss: Arc<WordLoss>, units: &Units) -> Self {
        Self { loss, documents: units.ids().map(|unit| units.members(unit)[0]).collect() }
    }
}

impl RemovalCondition for UnitLoss {
    fn allows(&self, edge: Edge) -> Result<bool, SourceError> {
        let [removed, kept] = [edge.later, edge.earlier].map(|unit| self.documents[unit.index()]);
        self.loss.allows(removed, kept).map_err(SourceError::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_back_as_they_are_written() {
        for (written, back) in [
            ("0", "0"),
            ("10", "10"),
            ("2%", "2%"),
            ("0.50%", "0.5%"),
            ("100%", "100%"),
            ("0%", "0%"),
        ] {
            assert_eq!(written.parse::<MaxLost>().unwrap().to_string(), back);
        }
        for wrong in ["", "%", "-1", "1.5", "101%", "1e3", "2.%", ".5%", "0.00001%", "+1", "1 %"] {
            assert!(wrong.parse::<MaxLost>().is_err(), "{wrong}");
        }
    }
}
