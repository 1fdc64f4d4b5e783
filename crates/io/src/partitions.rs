//! Fields in the names of directories: partitions as Hive, Spark, Arrow, DuckDB and Polars write them.
//!
//! A directory `lang=en` gives every record below it the field `lang`, unless the record has the field
//! itself.

use std::borrow::Cow;
use std::path::{Component, Path};
use std::sync::Arc;

use crate::{FieldNames, FieldNumber, FieldTexts, Item, RecordView};

/// What stands for a missing value.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The fields that the directories above a file name, and their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partitions(Option<Arc<[(String, String)]>>);

impl Partitions {
    /// Those of a file, by its path as given. Names and values are percent-decoded; the innermost
    /// directory of a name counts.
    ///
    /// ```
    /// use lookalike_io::Partitions;
    /// use std::path::Path;
    ///
    /// let of = Partitions::of(Path::new("docs/lang=en/day=1%2F2/part-0.parquet"));
    /// assert_eq!((of.get("lang"), of.get("day"), of.get("docs")), (Some("en"), Some("1/2"), None));
    /// ```
    #[must_use]
    pub fn of(file: &Path) -> Self {
        Self::default().with(file)
    }

    /// These, and those of a path below: a member of an archive.
    #[must_use]
    pub(crate) fn with(&self, file: &Path) -> Self {
        let mut all: Vec<(String, String)> = self.0.iter().flat_map(|all| all.to_vec()).collect();
        for part in file.parent().unwrap_or(Path::new("")).components() {
            let Component::Normal(part) = part else { continue };
            let Some((name, value)) = part.to_str().and_then(|part| part.split_once('=')) else {
                continue;
            };
            let name = percent_decoded(name);
            all.retain(|(known, _)| *known != name);
            if !name.is_empty() && !value.is_empty() && value != NULL {
                all.push((name, percent_decoded(value)));
            }
        }
        Self((!all.is_empty()).then(|| all.into()))
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let all = self.0.as_deref().unwrap_or_default();
        all.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Passes on a record with the fields that it lacks. An id is taken only from a field that a setting
    /// names: a directory `id=7` has many documents.
    pub(crate) fn fill(
        &self,
        record: RecordView<'_>,
        fields: &FieldNames,
        visit: &mut dyn FnMut(Item<'_>),
    ) {
        let mut extra = Vec::new();
        if fields.extra.iter().any(|name| self.get(name).is_some()) {
            let known = |field: usize| record.extra.get(field).copied();
            let filled = |(field, name): (usize, &String)| match known(field) {
                None | Some(FieldNumber::Missing) => {
                    self.get(name).map_or(FieldNumber::Missing, FieldNumber::of)
                }
                Some(number) => number,
            };
            extra.extend(fields.extra.iter().enumerate().map(filled));
        }
        let mut given = None;
        for (field, name) in fields.given.iter().enumerate() {
            if let Some(value) = self.get(name)
                && record.given.of(field).next().is_none()
            {
                given.get_or_insert_with(|| FieldTexts::clone(record.given)).push(field, value);
            }
        }
        let mut filled = record.clone();
        let fill = |field: &mut Option<Cow<'_, str>>, name: &str| {
            if field.is_none() {
                *field = self.get(name).map(|value| Cow::Owned(value.to_owned()));
            }
        };
        if fields.id != FieldNames::default().id {
            fill(&mut filled.id, &fields.id);
        }
        fill(&mut filled.url, &fields.url);
        fill(&mut filled.title, &fields.title);
        fill(&mut filled.date, &fields.date);
        let extra = if extra.is_empty() { filled.extra } else { &extra };
        let given = given.as_ref().unwrap_or(filled.given);
        visit(Item::Record(RecordView { extra, given, ..filled }));
    }
}

/// A text without percent-encoding; one that is none then stays as it is.
pub(crate) fn percent_decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits
            .filter(|digits| byte == b'%' && digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str) -> String {
        let of = Partitions::of(Path::new(path));
        format!("{:?}", of.0.as_deref().unwrap_or_default())
    }

    #[test]
    fn directories_give_fields() {
        for (path, expected) in [
            ("lang=en/part.csv", r#"[("lang", "en")]"#),
            ("/a/x=1/b/y=2/c.csv", r#"[("x", "1"), ("y", "2")]"#),
            ("x=1/x=2/c.csv", r#"[("x", "2")]"#),
            ("a%20b=%C3%BC%zz%/c.csv", r#"[("a b", "ü%zz%")]"#),
            ("x=a=b/c.csv", r#"[("x", "a=b")]"#),
            ("x=%FF/c.csv", r#"[("x", "%FF")]"#),
            ("x=1/x=__HIVE_DEFAULT_PARTITION__/c.csv", "[]"),
            ("x=/=y/c=d.csv", "[]"),
        ] {
            assert_eq!(shown(path), expected, "{path}");
        }
        let archive = Partitions::of(Path::new("lang=en/a.tar"));
        let member = archive.with(Path::new("day=3/b.csv"));
        assert_eq!((member.get("lang"), member.get("day")), (Some("en"), Some("3")));
    }

    #[test]
    fn fields_of_the_record_win() {
        let partitions = Partitions::of(Path::new("lang=en/id=7/date=2024/n=5/x"));
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        let fields = FieldNames {
            extra: names(&["n", "m", "lang"]),
            given: names(&["lang", "n"]),
            ..FieldNames::default()
        };
        let mut given = FieldTexts::default();
        given.push(1, "6");
        let record = RecordView {
            beside: crate::Beside::default(),
            file: 0,
            record: 1,
            line: 1,
            id: None,
            content: crate::Content::Text("".into()),
            url: None,
            title: None,
            date: Some("2025".into()),
            extra: &[FieldNumber::Missing, FieldNumber::Number(1.), FieldNumber::Unreadable],
            given: &given,
        };
        let mut seen = 0;
        partitions.fill(record.clone(), &fields, &mut |item| {
            let Item::Record(filled) = item else { panic!("{item:?}") };
            assert_eq!((filled.id, filled.date.as_deref()), (None, Some("2025")));
            let expected =
                [FieldNumber::Number(5.), FieldNumber::Number(1.), FieldNumber::Unreadable];
            assert_eq!(filled.extra, expected);
            let of = |field| filled.given.of(field).collect::<Vec<_>>();
            assert_eq!((of(0), of(1)), (vec!["en"], vec!["6"]));
            seen += 1;
        });
        let named = FieldNames { id: "lang".into(), date: "day".into(), ..fields };
        let bare = RecordView { extra: &[], given: &crate::NO_FIELDS, date: None, ..record };
        partitions.fill(bare, &named, &mut |item| {
            let Item::Record(filled) = item else { panic!("{item:?}") };
            assert_eq!((filled.id.as_deref(), filled.date), (Some("en"), None));
            assert_eq!(filled.extra[0], FieldNumber::Number(5.));
            seen += 1;
        });
        assert_eq!(seen, 2);
    }
}
