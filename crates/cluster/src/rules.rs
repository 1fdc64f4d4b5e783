//! The keep rules: one item each.

/// A keep rule: an item of [`KEEP_RULES`].
#[derive(Debug)]
pub struct KeepItem {
    /// Its name.
    pub name: &'static str,
    /// What follows the name.
    pub argument: Argument,
    /// What it compares.
    pub needs: Needs,
    /// Whether the largest value takes precedence, and not the smallest.
    pub prefers_large: bool,
    /// Which document comes first.
    pub doc: &'static str,
    /// What the long help says after the form.
    pub note: &'static str,
    /// The value of a document, by the field and the values of the argument: NaN for none, 0 where
    /// it is the position.
    pub value: fn(&dyn Attributes, &str, &[String]) -> f64,
}

/// The argument of a keep rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// None.
    None,
    /// `:FIELD`.
    Field,
    /// `(FIELD=VALUE|VALUE)`.
    Values,
}

/// What a keep rule compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// The position in the collection, which no two documents share.
    Order,
    /// The text.
    Text,
    /// The date.
    Date,
    /// The field of its argument.
    Field,
}

impl Needs {
    /// Whether the tables of a finished run hold it.
    #[must_use]
    pub fn is_in_tables(self) -> bool {
        matches!(self, Self::Order | Self::Text)
    }
}

/// What keep rules compare of a document, but for its position. NaN is a value that is missing.
pub trait Attributes {
    /// Bytes of the text.
    fn text_bytes(&self) -> u64;

    /// The date, in seconds.
    fn date(&self) -> f64 {
        f64::NAN
    }

    /// The number in a field.
    fn number(&self, _field: &str) -> f64 {
        f64::NAN
    }

    /// The place of a field's value among these.
    fn place(&self, _field: &str, _values: &[String]) -> f64 {
        f64::NAN
    }
}

const SMALLEST: KeepItem = KeepItem {
    name: "",
    argument: Argument::None,
    needs: Needs::Text,
    prefers_large: false,
    doc: "",
    note: "",
    value: |document, _, _| document.text_bytes() as f64,
};

const LARGEST: KeepItem = KeepItem { prefers_large: true, ..SMALLEST };

/// All keep rules.
pub const KEEP_RULES: &[KeepItem] = &[
    KeepItem {
        name: "first",
        needs: Needs::Order,
        doc: "the earlier document, by file name and record",
        note: " (in the order of file names and records)",
        value: |_, _, _| 0.0,
        ..SMALLEST
    },
    KeepItem {
        name: "last",
        needs: Needs::Order,
        doc: "the later document, by file name and record: where later files replace earlier ones",
        value: |_, _, _| 0.0,
        ..LARGEST
    },
    KeepItem { name: "longest", doc: "the longer text, in bytes", ..LARGEST },
    KeepItem { name: "shortest", doc: "the shorter text, in bytes", ..SMALLEST },
    KeepItem {
        name: "newest",
        needs: Needs::Date,
        doc: "the later date",
        value: |document, _, _| document.date(),
        ..LARGEST
    },
    KeepItem {
        name: "oldest",
        needs: Needs::Date,
        doc: "the earlier date",
        value: |document, _, _| document.date(),
        ..SMALLEST
    },
    KeepItem {
        name: "max",
        argument: Argument::Field,
        needs: Needs::Field,
        doc: "the larger number",
        value: |document, field, _| document.number(field),
        ..LARGEST
    },
    KeepItem {
        name: "min",
        argument: Argument::Field,
        needs: Needs::Field,
        doc: "the smaller number",
        value: |document, field, _| document.number(field),
        ..SMALLEST
    },
    KeepItem {
        name: "prefer",
        argument: Argument::Values,
        needs: Needs::Field,
        doc: "a document whose field holds the first value, then the second, …; all other documents tie",
        note: ", documents whose field holds one of these values, the first of them first",
        value: |document, field, values| document.place(field, values),
        ..SMALLEST
    },
];

impl KeepItem {
    /// How the rule is written.
    #[must_use]
    pub fn form(&self) -> String {
        self.name.to_owned()
            + match self.argument {
                Argument::None => "",
                Argument::Field => ":FIELD",
                Argument::Values => "(FIELD=VALUE|VALUE)",
            }
    }
}

/// A list of some rules, each as `written`: `first, longest or shortest`.
///
/// ```
/// use lookalike_cluster::{KeepItem, Needs, list_keep_rules};
///
/// let dated = list_keep_rules(|rule| rule.needs == Needs::Date, KeepItem::form, "or");
/// assert_eq!(dated, "newest or oldest");
/// ```
#[must_use]
pub fn list_keep_rules(
    which: impl Fn(&KeepItem) -> bool,
    written: impl Fn(&KeepItem) -> String,
    last: &str,
) -> String {
    let all: Vec<String> = KEEP_RULES.iter().filter(|rule| which(rule)).map(written).collect();
    match all.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => all.concat(),
    }
}

#[cfg(test)]
mod tests {
    use crate::KeepRule;

    #[test]
    fn the_last_position_takes_precedence_and_none_tie() {
        let last: KeepRule = "last".parse().unwrap();
        assert!(last.is_by_order() && last.compare(7.0, 6.0).is_lt());
        assert!(last.compare(f64::from(u32::MAX - 1), f64::from(u32::MAX)).is_gt());
        assert_eq!(last.phrase(), "the last by id");
    }
}
