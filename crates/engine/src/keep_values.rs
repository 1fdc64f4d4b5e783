//! Values of keep rules.
//!
//! A document without a value is ordered after all that have one, whatever the reason. The reason
//! is stored in the payload bits of its NaN, so that it survives the spill file and a resume
//! without a column of its own. No arithmetic is done with values, and moving a float keeps its
//! bits.

use crate::date;
use lookalike_cluster::{Attributes, KeepRule};
use lookalike_io::{FieldNumber, RecordView};

/// The record lacks the field.
const MISSING: f64 = f64::from_bits(0x7ff8_0000_0000_0001);

/// The field holds no date, or no number.
const UNREADABLE: f64 = f64::from_bits(0x7ff8_0000_0000_0002);

/// The field holds none of the preferred values.
const NOT_PREFERRED: f64 = f64::from_bits(0x7ff8_0000_0000_0003);

/// What keep rules compare of a record.
struct KeepValues<'a> {
    record: &'a RecordView<'a>,
    /// Names of the record's extra values.
    fields: &'a [&'a str],
    text_bytes: u64,
}

impl Attributes for KeepValues<'_> {
    fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    fn date(&self) -> f64 {
        of_date(self.record.date.as_deref())
    }

    fn number(&self, field: &str) -> f64 {
        match self.field(field) {
            FieldNumber::Missing => MISSING,
            FieldNumber::Unreadable | FieldNumber::Text(_) => UNREADABLE,
            FieldNumber::Number(number) => number,
        }
    }

    fn place(&self, field: &str, values: &[String]) -> f64 {
        match self.field(field) {
            FieldNumber::Missing => MISSING,
            FieldNumber::Unreadable => NOT_PREFERRED,
            own => values
                .iter()
                .position(|value| FieldNumber::of(value) == own)
                .map_or(NOT_PREFERRED, |place| place as f64),
        }
    }
}

impl KeepValues<'_> {
    fn field(&self, field: &str) -> FieldNumber {
        let at = self.fields.iter().position(|name| *name == field);
        at.and_then(|at| self.record.extra.get(at)).copied().unwrap_or(FieldNumber::Missing)
    }
}

/// The value of a keep rule for a record; a NaN, which tells why, where it has none. `fields` are
/// the names of the record's extra values.
#[must_use]
pub fn keep_value(
    rule: &KeepRule,
    record: &RecordView<'_>,
    fields: &[&str],
    text_bytes: u64,
) -> f64 {
    rule.value(&KeepValues { record, fields, text_bytes })
}

fn of_date(written: Option<&str>) -> f64 {
    match written.map(str::trim) {
        None | Some("") => MISSING,
        Some(written) => match date::seconds(written) {
            seconds if seconds.is_nan() => UNREADABLE,
            seconds => seconds,
        },
    }
}

/// How many documents have no value for a keep rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Valueless {
    /// Documents counted.
    pub documents: u64,
    /// Documents without the field.
    pub missing: u64,
    /// Documents whose field holds no date, or no number; with `prefer(…)`, another value.
    pub unreadable: u64,
}

impl Valueless {
    /// Counts values of [`keep_value`], one of each document.
    #[must_use]
    pub fn count<'v>(values: impl IntoIterator<Item = &'v f64>) -> Self {
        let mut counts = Self::default();
        for value in values {
            counts.documents += 1;
            if !value.is_nan() {
                continue;
            }
            match [UNREADABLE, NOT_PREFERRED].map(f64::to_bits).contains(&value.to_bits()) {
                true => counts.unreadable += 1,
                false => counts.missing += 1,
            }
        }
        counts
    }

    /// Whether no document has a value: the rule decides nothing.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.documents > 0 && self.missing + self.unreadable == self.documents
    }

    /// Whether some document has none.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.missing + self.unreadable > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_told_apart_and_ordered_alike() {
        let values = [
            of_date(Some("2024-05-01")),
            of_date(Some("yesterday")),
            of_date(Some("NaN")),
            of_date(Some("  ")),
            of_date(None),
            f64::NAN,
        ];
        let counts = Valueless::count(&values);
        assert_eq!(counts, Valueless { documents: 6, missing: 3, unreadable: 2 });
        assert!(counts.is_any() && !counts.is_all());
        assert!(Valueless::count(&values[1..]).is_all() && !Valueless::count(&[]).is_all());
        assert!(!Valueless::count(&values[..1]).is_any());
        let newest: KeepRule = "newest".parse().unwrap();
        let behind = |value| newest.compare(value, -1e300);
        assert!(values[1..].iter().all(|&value| behind(value).is_gt()));
    }

    #[test]
    fn preferred_values_are_their_places_and_all_others_tie() {
        let rule: KeepRule = "prefer(s=wiki|5|true)".parse().unwrap();
        let value = |extra: FieldNumber| {
            let record = RecordView {
                beside: lookalike_io::Beside::default(),
                file: 0,
                record: 1,
                line: 1,
                id: None,
                content: lookalike_io::Content::Text("".into()),
                url: None,
                title: None,
                date: None,
                extra: &[FieldNumber::Missing, extra],
                given: &lookalike_io::NO_FIELDS,
            };
            keep_value(&rule, &record, &["r", "s"], 0)
        };
        let of = |text| value(FieldNumber::of(text));
        assert_eq!(["wiki", " wiki ", "5", "5.0", "true"].map(of), [0.0, 0.0, 1.0, 1.0, 2.0]);
        let others = [of("Wiki"), of("6"), of(""), value(FieldNumber::Unreadable)];
        assert_eq!(
            Valueless::count(&others),
            Valueless { documents: 4, missing: 1, unreadable: 3 }
        );
        for other in others {
            assert!(rule.compare(2.0, other).is_lt() && rule.compare(others[0], other).is_eq());
        }
    }

    #[test]
    fn a_reason_survives_the_disk() {
        use lookalike_spill::{Decoder, Encoder};
        let mut written = Encoder(Vec::new());
        written.array(&[MISSING, UNREADABLE, 0.5]).unwrap();
        let read: Vec<f64> = Decoder(&*written.0).array(100).unwrap();
        let counts = Valueless::count(&read);
        assert_eq!((counts.missing, counts.unreadable), (1, 1));
    }
}
