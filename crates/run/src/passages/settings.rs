//! Settings of a search for repeated passages.

use crate::LookalikeError;
use lookalike_passages::{CutRule, Lengths};
use serde::{Deserialize, Serialize};

/// What a passage is, and what of it is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassageSettings {
    /// The fewest words of a passage, 1 to 16,384.
    pub length: u32,
    /// The fewest copies of a passage, itself included; 2 or more.
    pub copies: u32,
    /// Which copies are cut.
    pub cut: WhatIsCut,
    /// What is cut as a whole only; `None` for words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Whole>,
}

impl Default for PassageSettings {
    fn default() -> Self {
        Self { length: 50, copies: 2, cut: WhatIsCut::Kept, whole: None }
    }
}

impl PassageSettings {
    /// Checks the settings, and returns the lengths.
    ///
    /// # Errors
    /// Values that make no sense.
    pub(super) fn check(&self) -> Result<Lengths, LookalikeError> {
        let wrong = |reason: String| Err(LookalikeError::Settings(reason));
        if self.copies < 2 {
            return wrong(format!("the setting copies={}: use 2 or more", self.copies));
        }
        if let (WhatIsCut::None, Some(whole)) = (self.cut, self.whole) {
            let whole = whole.name();
            return wrong(format!(
                "the setting whole={whole} says what is cut, and the setting cut=none cuts nothing"
            ));
        }
        let lengths = Lengths::of_window(self.length as usize);
        lengths.or_else(|_| {
            wrong(format!("the setting length={}: use 1 to {} words", self.length, Lengths::MOST))
        })
    }
}

/// Which copies of passages are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhatIsCut {
    /// None: passages are listed, and no document is written.
    None,
    /// Copies of which the same words stand whole in what is kept.
    #[default]
    Kept,
    /// All but the first. What is left of the first may be less than it was.
    Later,
    /// All of them: no copy stays (Lee et al. 2021).
    All,
}

impl WhatIsCut {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Kept, Self::Later, Self::All];

    /// The rule of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cut| cut.name() == name)
    }

    /// The name used in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Kept => "kept",
            Self::Later => "later",
            Self::All => "all",
        }
    }

    pub(super) fn rule(self) -> Option<CutRule> {
        match self {
            Self::None => None,
            Self::Kept => Some(CutRule::Kept),
            Self::Later => Some(CutRule::Later),
            Self::All => Some(CutRule::All),
        }
    }
}

/// What is cut as a whole only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whole {
    /// Lines.
    Line,
    /// Sentences: up to a full stop, question or exclamation mark, or the end of a paragraph.
    Sentence,
    /// Paragraphs: up to an empty line.
    Paragraph,
}

impl Whole {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Line, Self::Sentence, Self::Paragraph];

    /// The unit of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|whole| whole.name() == name)
    }

    /// The name used in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Sentence => "sentence",
            Self::Paragraph => "paragraph",
        }
    }
}
