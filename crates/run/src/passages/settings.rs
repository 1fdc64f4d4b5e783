//! Settings of a search for repeated passages.

use crate::{LookalikeError, Settings, Shingle};
use lookalike_passages::classes::Repeated;
use lookalike_passages::near::NearRule;
use lookalike_passages::{CutRule, Lengths, Scope};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::str::FromStr;

/// The fewest units of a seed of a near passage, of which a passage has as many: fewer stand together by chance.
const LEAST_SEED: u32 = 4;

/// What a passage is, and what of it is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassageSettings {
    /// What passages are made of.
    #[serde(default)]
    pub unit: PassageUnit,
    /// The fewest units of a passage, 1 to 16,384; `None` for [`PassageUnit::usual_length`].
    pub length: Option<u32>,
    /// The fewest copies of a passage, itself included; 2 or more.
    pub copies: u32,
    /// Where the copies stand.
    #[serde(default)]
    pub scope: PassageScope,
    /// Which copies are cut.
    pub cut: WhatIsCut,
    /// What is cut as a whole only; `None` for units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Whole>,
    /// What is put where something was cut; `None` for nothing, or a space where words would touch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Fewer units than this between two cuts go as well. No more than a passage has, so that no witness
    /// of a cut goes.
    #[serde(default, skip_serializing_if = "is_none")]
    pub rest: u32,
    /// Documents that cuts leave with fewer units than this are removed. No more than a passage has.
    #[serde(default, skip_serializing_if = "is_none")]
    pub shortest: u32,
    /// What is written of the documents.
    #[serde(default)]
    pub write: WhatIsWritten,
    /// The most units that differ between two runs of a near passage; `None` if none are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<u32>,
    /// The least share of the units of a near passage that are in runs which both documents have: a
    /// decimal above 0 and at most 1, as written; `None` for [`PassageSettings::AGREE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agree: Option<String>,
}

impl Default for PassageSettings {
    fn default() -> Self {
        Self {
            unit: PassageUnit::default(),
            length: None,
            copies: 2,
            scope: PassageScope::default(),
            cut: WhatIsCut::Kept,
            whole: None,
            joint: None,
            rest: 0,
            shortest: 0,
            write: WhatIsWritten::Documents,
            gaps: None,
            agree: None,
        }
    }
}

fn is_none(units: &u32) -> bool {
    *units == 0
}

impl PassageSettings {
    /// The agreement of near passages if nothing is said.
    pub const AGREE: &str = "0.9";

    /// Those of passages of at least this many words.
    pub(super) fn of_length(words: u32) -> Self {
        Self { length: Some(words), ..Self::default() }
    }

    /// The fewest units of a passage.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length.unwrap_or(self.unit.usual_length())
    }

    /// These settings with the length that they have.
    #[must_use]
    pub fn resolved(&self) -> Self {
        Self { length: Some(self.length()), ..self.clone() }
    }

    /// The settings of the documents, with which a source of them is read: a list of tokens takes the place
    /// of texts. With `has_against`, another collection is read as well.
    ///
    /// # Errors
    /// Settings that passages do not have, or that make no sense with these.
    pub fn of_documents<'s>(
        &self,
        settings: &'s Settings,
        has_against: bool,
    ) -> Result<Cow<'s, Settings>, LookalikeError> {
        let wrong = |reason: &str| Err(LookalikeError::Settings(reason.into()));
        settings.refuse(&["distinct_by", "across", "label_field"], "passages")?;
        if let Some(name) = &settings.fields.features {
            return Err(LookalikeError::Settings(format!(
                "the setting features_field={name} names feature sets, which have no passages; `passages` reads \
                 the lists as tokens with the setting unit=tokens:{name}"
            )));
        }
        if has_against && self.scope == PassageScope::Within {
            return wrong(
                "the setting against names another collection, and the setting within compares each document \
                 with itself alone; leave one of them out",
            );
        }
        if self.writes_spans() && settings.fields.has_sections() {
            return wrong(
                "the setting write=spans: a span is a place in the text of one field, and the setting text_field \
                 names several; name one field",
            );
        }
        if self.unit == PassageUnit::Byte && settings.fields.has_sections() {
            return wrong(
                "the setting unit=byte is for one field of text, and the setting text_field names several; \
                 use unit=char, or name one field",
            );
        }
        let PassageUnit::Tokens(field) = &self.unit else { return Ok(Cow::Borrowed(settings)) };
        // Passages have no shingles.
        let mut settings = Settings { shingle: Shingle::Usual, ..settings.clone() };
        settings.fields.features = Some(field.clone());
        settings.fields.tokens = true;
        settings.check_features()?;
        Ok(Cow::Owned(settings))
    }

    /// Whether passages are cut out of the documents, or would be where spans are written.
    #[must_use]
    pub fn cuts(&self) -> bool {
        self.cut != WhatIsCut::None
    }

    /// Whether documents are written without what is cut.
    #[must_use]
    pub fn writes_documents(&self) -> bool {
        self.cuts() && self.write == WhatIsWritten::Documents
    }

    /// The step of the last reading.
    pub(super) fn last_step(&self) -> &'static str {
        if self.writes_documents() { "writing" } else { "locating" }
    }

    /// The steps of a search.
    pub(crate) fn steps(&self) -> Vec<&'static str> {
        let of_near: &[_] = match self.gaps {
            Some(_) => &["reading", "comparing", "locating"],
            None => &[],
        };
        [of_near, &["reading", "comparing", self.last_step()]].concat()
    }

    /// Whether spans are written.
    #[must_use]
    pub fn writes_spans(&self) -> bool {
        self.write == WhatIsWritten::Spans
    }

    /// What near passages are looked for, with seeds of a fifth of their length; `None` if none are
    /// listed.
    ///
    /// # Errors
    /// Values that make no sense.
    pub fn near(&self) -> Result<Option<NearSearch>, LookalikeError> {
        let wrong = |reason: String| LookalikeError::Settings(reason);
        let Some(gap) = self.gaps else {
            return match &self.agree {
                None => Ok(None),
                Some(agree) => Err(wrong(format!(
                    "the setting agree={agree} is of near passages; give the setting gaps too, or leave it out"
                ))),
            };
        };
        if gap == 0 {
            return Err(wrong(
                "the setting gaps=0: a gap has 1 unit or more; if none is given, no near passages are listed"
                    .into(),
            ));
        }
        if self.scope == PassageScope::Within {
            return Err(wrong(format!(
                "the setting gaps={gap} compares documents with others, and the setting within each with itself \
                 alone; leave one of them out"
            )));
        }
        let agree = self.agree.as_deref().unwrap_or(Self::AGREE);
        let agreement =
            agree.parse().map_err(|error| wrong(format!("the setting agree={agree}: {error}")))?;
        let length = self.length();
        let seeds = Lengths::of_window(length.div_ceil(5).max(LEAST_SEED).min(length) as usize);
        let seeds = seeds.map_err(|error| wrong(error.to_string()))?;
        Ok(Some(NearSearch { rule: NearRule { length, gap, agreement }, seeds }))
    }

    /// The shortest windows that are looked for: those of passages, or the seeds of near ones.
    ///
    /// # Errors
    /// Values that make no sense.
    pub fn shortest_windows(&self) -> Result<Lengths, LookalikeError> {
        Ok(self.near()?.map_or(self.check()?, |near| near.seeds))
    }

    /// Checks the settings, and returns the lengths.
    ///
    /// # Errors
    /// Values that make no sense.
    pub fn check(&self) -> Result<Lengths, LookalikeError> {
        let wrong = |reason: String| Err(LookalikeError::Settings(reason));
        if self.copies < 2 {
            return wrong(format!("the setting copies={}: use 2 or more", self.copies));
        }
        let of_cuts = [
            ("whole", self.whole.map(|whole| whole.name().to_owned())),
            ("joint", self.joint.clone()),
            ("rest", (self.rest > 0).then(|| self.rest.to_string())),
            ("shortest", (self.shortest > 0).then(|| self.shortest.to_string())),
        ];
        for (name, value) in of_cuts {
            if let (WhatIsCut::None, Some(value)) = (self.cut, value) {
                return wrong(format!(
                    "the setting {name}={value} says what is cut, and the setting cut=none cuts nothing"
                ));
            }
        }
        if let Some(joint) = self.joint.as_ref().filter(|_| self.writes_spans()) {
            return wrong(format!(
                "the setting joint={joint} is put where something was cut, and the setting write=spans cuts nothing"
            ));
        }
        if let PassageUnit::Tokens(field) = &self.unit {
            let of_texts = [("whole", self.whole.is_some()), ("joint", self.joint.is_some())];
            if let Some((name, _)) = of_texts.into_iter().find(|(_, is_given)| *is_given) {
                return wrong(format!(
                    "the setting {name} is about texts, and the setting unit=tokens:{field} cuts lists; leave one of \
                     them out"
                ));
            }
        }
        self.near()?;
        let length = self.length();
        for (name, units) in [("rest", self.rest), ("shortest", self.shortest)] {
            if units > length {
                return wrong(format!(
                    "the setting {name}={units}: use no more than the setting length={length}, so that no \
                     passage goes that others were cut for"
                ));
            }
        }
        let lengths = Lengths::of_window(length as usize);
        lengths.or_else(|_| {
            let most = Lengths::MOST;
            wrong(format!("the setting length={length}: use 1 to {most} {}s", self.unit.name()))
        })
    }
}

/// A search for near passages.
#[derive(Debug, Clone, Copy)]
pub struct NearSearch {
    /// What a near passage is.
    pub rule: NearRule,
    /// The windows that are its seeds.
    pub seeds: Lengths,
}

impl NearSearch {
    /// Windows at more places than this are no seeds: what many documents have in common, as
    /// headers and phrases, would make pairs of all of them.
    const MOST_COPIES: u32 = 100;

    /// Which windows are seeds: those with a copy in another document.
    #[must_use]
    pub fn repeated(self) -> Repeated {
        Repeated { most: Self::MOST_COPIES, ..Repeated::at_least(2, Scope::Across) }
    }
}

/// What passages are made of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PassageUnit {
    /// Words, as elsewhere.
    #[default]
    Word,
    /// Characters of the words, with one space between two words.
    Char,
    /// Bytes of the text as it is, in UTF-8.
    Byte,
    /// Lines: the words of each that has some.
    Line,
    /// Sentences, likewise.
    Sentence,
    /// Paragraphs, likewise.
    Paragraph,
    /// The integers or strings of a list field, such as the tokens that a tokenizer made of a text. The
    /// list takes the place of the text.
    Tokens(String),
}

/// The error of a text that names no [`PassageUnit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("use word, char, byte, line, sentence, paragraph or tokens:FIELD")]
pub struct NoPassageUnit;

impl FromStr for PassageUnit {
    type Err = NoPassageUnit;

    fn from_str(text: &str) -> Result<Self, NoPassageUnit> {
        Ok(match text {
            "word" => Self::Word,
            "char" => Self::Char,
            "byte" => Self::Byte,
            "line" => Self::Line,
            "sentence" => Self::Sentence,
            "paragraph" => Self::Paragraph,
            text => match text.strip_prefix("tokens:") {
                None | Some("") => return Err(NoPassageUnit),
                Some(field) => Self::Tokens(field.to_owned()),
            },
        })
    }
}

impl TryFrom<String> for PassageUnit {
    type Error = NoPassageUnit;

    fn try_from(text: String) -> Result<Self, NoPassageUnit> {
        text.parse()
    }
}

impl From<PassageUnit> for String {
    fn from(unit: PassageUnit) -> Self {
        match unit {
            PassageUnit::Tokens(field) => format!("tokens:{field}"),
            unit => unit.name().to_owned(),
        }
    }
}

impl PassageUnit {
    /// What one is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Char => "char",
            Self::Byte => "byte",
            Self::Line => "line",
            Self::Sentence => "sentence",
            Self::Paragraph => "paragraph",
            Self::Tokens(_) => "token",
        }
    }

    /// The fewest of a passage if nothing is said: 50 words or tokens, 300 characters or bytes, 3 lines or
    /// sentences, or a paragraph.
    #[must_use]
    pub fn usual_length(&self) -> u32 {
        match self {
            Self::Word | Self::Tokens(_) => 50,
            Self::Char | Self::Byte => 300,
            Self::Line | Self::Sentence => 3,
            Self::Paragraph => 1,
        }
    }
}

/// Where the copies of a passage stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassageScope {
    /// Anywhere.
    #[default]
    All,
    /// In the same document.
    Within,
    /// In another document. What a document says twice by itself stays.
    Across,
}

impl PassageScope {
    /// Which copies of a window count.
    #[must_use]
    pub fn scope(self) -> Scope {
        match self {
            // Documents have no unit in common where they are not compared.
            Self::All | Self::Within => Scope::Anywhere,
            Self::Across => Scope::Across,
        }
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

    /// The rule by which windows are cut; `None` if none are.
    #[must_use]
    pub fn rule(self) -> Option<CutRule> {
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

/// What is written of the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhatIsWritten {
    /// The documents without what is cut; nothing if nothing is cut.
    #[default]
    Documents,
    /// Where in each document stands what would be cut, or, with [`WhatIsCut::None`], every later copy:
    /// attribute files.
    Spans,
}
