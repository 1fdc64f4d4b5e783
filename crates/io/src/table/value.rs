//! Columns and values of tables.

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name: plain letters, digits and underscores.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: ColumnKind,
}

impl Column {
    /// A column of text.
    pub const fn text(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Text }
    }

    /// A column of counts.
    pub const fn count(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Count }
    }

    /// A column of ratios.
    pub const fn ratio(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Ratio }
    }
}

/// Kind of a column's values. Any of them may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Whole numbers below 2⁶³.
    Count,
    /// Finite floating-point numbers.
    Ratio,
}

/// A value to write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Text.
    Text(&'a str),
    /// A whole number below 2⁶³.
    Count(u64),
    /// A number; written as missing if it is not finite.
    Ratio(f64),
    /// Missing.
    Null,
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(ratio: Option<f64>) -> Self {
        ratio.map_or(Self::Null, Self::Ratio)
    }
}

/// A value that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number.
    Ratio(f64),
    /// Missing.
    Null,
}

impl Value {
    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The count, if it is a count.
    pub fn as_count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// The ratio, if it is a ratio.
    pub fn as_ratio(&self) -> Option<f64> {
        match self {
            Self::Ratio(ratio) => Some(*ratio),
            _ => None,
        }
    }

    /// The same value, to write.
    pub fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Text(text) => Cell::Text(text),
            Self::Count(count) => Cell::Count(*count),
            Self::Ratio(ratio) => Cell::Ratio(*ratio),
            Self::Null => Cell::Null,
        }
    }
}

/// Parses a count: digits only, below 2⁶³.
pub(super) fn parse_count(text: &str) -> Option<Value> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&count| digits && i64::try_from(count).is_ok()).map(Value::Count)
}

/// Parses a ratio: a finite number.
pub(super) fn parse_ratio(text: &str) -> Option<Value> {
    text.parse().ok().filter(|ratio: &f64| ratio.is_finite()).map(Value::Ratio)
}
