//! The columns that name a document, the same in every result table: its `id`, its `file` and its
//! `record`.
//!
//! `file` and `record` identify a document of a run, and tables are joined by them. The `id` is for
//! display; documents may share one. A document without an id has its file's name in its place and,
//! where a file holds many documents, its record number: `FILE:RECORD`.
//!
//! Where a row names two documents, the columns of each have its role as a prefix (`kept_id`, …).

use lookalike_io::table::{Column, Value};
use std::borrow::Cow;
use std::fmt;

/// Number of columns that name a document.
pub const WIDTH: usize = 3;

/// The document of a row.
pub const DOCUMENT: [Column; WIDTH] =
    [Column::text("id"), Column::text("file"), Column::count("record")];

/// The first document of a pair.
pub const A: [Column; WIDTH] =
    [Column::text("a_id"), Column::text("a_file"), Column::count("a_record")];

/// The second document of a pair.
pub const B: [Column; WIDTH] =
    [Column::text("b_id"), Column::text("b_file"), Column::count("b_record")];

/// A removed document.
pub const REMOVED: [Column; WIDTH] =
    [Column::text("removed_id"), Column::text("removed_file"), Column::count("removed_record")];

/// The kept document that a document was removed for.
pub const KEPT: [Column; WIDTH] =
    [Column::text("kept_id"), Column::text("kept_file"), Column::count("kept_record")];

/// The kept document of a cluster.
pub const LEADER: [Column; WIDTH] =
    [Column::text("leader_id"), Column::text("leader_file"), Column::count("leader_record")];

/// The first document with a passage.
pub const FIRST: [Column; WIDTH] =
    [Column::text("first_id"), Column::text("first_file"), Column::count("first_record")];

/// An item of a benchmark.
pub const ITEM: [Column; WIDTH] =
    [Column::text("item_id"), Column::text("item_file"), Column::count("item_record")];

/// The items of the columns `$columns`, which name the document `$field` of a row.
macro_rules! name_items {
    ($columns:ident, $field:ident) => {
        &[
            Item::new(
                $columns[0],
                "the document's id; without one, `FILE:RECORD`, or `FILE` for a text or HTML file",
                |row| Cell::Text(&row.$field.id),
            ),
            Item::new(
                $columns[1],
                "the name of its input file, as `summary.json` lists it",
                |row| Cell::Text(&row.$field.file),
            ),
            Item::new(
                $columns[2],
                "its number among the records of the file, from 1, including unreadable records but not blank lines; 1 for a text or HTML file",
                |row| Cell::Count(row.$field.record.into()),
            ),
        ]
    };
}

pub(crate) use name_items;

/// The name of a document in the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentName<'a> {
    /// Its id, or `FILE:RECORD`.
    pub id: Cow<'a, str>,
    /// Name of its file, as the summary lists it.
    pub file: Cow<'a, str>,
    /// Its record number in the file, from 1; 1 where the file is one document.
    pub record: u32,
    /// Whether it is of the collection of the setting against: files or an index.
    pub protected: bool,
}

impl<'a> DocumentName<'a> {
    /// The name of which the digest of a table is made: the same for a protected document whether it
    /// is read from files or found in an index, which does not know its file and record.
    #[must_use]
    pub fn in_digest(&self) -> DocumentName<'_> {
        match self.protected {
            true => DocumentName { id: Cow::Borrowed(&self.id), ..DocumentName::default() },
            false => DocumentName {
                id: Cow::Borrowed(&self.id),
                file: Cow::Borrowed(&self.file),
                record: self.record,
                protected: false,
            },
        }
    }

    /// The name, which borrows nothing.
    #[must_use]
    pub fn into_owned(self) -> DocumentName<'static> {
        let Self { id, file, record, protected } = self;
        let (id, file) = (id.into_owned().into(), file.into_owned().into());
        DocumentName { id, file, record, protected }
    }

    /// Whether two names are of one document; ids are not compared, as they may repeat.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        (&self.file, self.record) == (&other.file, other.record)
    }

    /// Reads a name from its cells; `None` if one is missing or of another type.
    #[must_use]
    pub fn read(cells: &[Value]) -> Option<DocumentName<'static>> {
        let [id, file, record] = cells else { return None };
        Some(DocumentName {
            id: id.as_text()?.to_owned().into(),
            file: file.as_text()?.to_owned().into(),
            record: u32::try_from(record.as_count()?).ok()?,
            protected: false,
        })
    }

    /// The name for display: the id, and if ids repeat, the document's file and record.
    #[must_use]
    pub fn shown(&self, ids_repeat: bool) -> Shown<'_> {
        Shown { name: self, place: ids_repeat }
    }
}

/// See [`DocumentName::shown`].
#[derive(Debug)]
pub struct Shown<'a> {
    name: &'a DocumentName<'a>,
    place: bool,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DocumentName { id, file, record, .. } = self.name;
        let named_by_place = || **id == **file || **id == *format!("{file}:{record}");
        match self.place && !named_by_place() {
            true => write!(f, "{id} ({file}:{record})"),
            false => f.write_str(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DOCUMENTS, DocumentRow, Listed, Measures};

    #[test]
    fn written_names_are_read_back() {
        let name =
            DocumentName { id: "7".into(), file: "a.jsonl".into(), record: 3, protected: false };
        let cells = [Value::Text("7".into()), Value::Text("a.jsonl".into()), Value::Count(3)];
        let row = DocumentRow::read(&[4, 5, 6, 7, 8, 9, 10].map(Value::Count)).unwrap();
        let listed = Listed { name: &name, row };
        let written = DOCUMENTS.of(Measures::ALL).cells(&listed);
        assert_eq!(written[..WIDTH], [0, 1, 2].map(|at| cells[at].as_cell()));
        assert_eq!(DocumentName::read(&cells), Some(name));
        assert_eq!(DocumentName::read(&cells[..2]), None);
        let large = [cells[0].clone(), cells[1].clone(), Value::Count(1 << 32)];
        assert_eq!(DocumentName::read(&large), None);
    }

    #[test]
    fn a_place_is_shown_only_where_it_says_more() {
        let shown = |id: &str, repeat| {
            DocumentName {
                id: id.to_owned().into(),
                file: "a.jsonl".into(),
                record: 3,
                protected: false,
            }
            .shown(repeat)
            .to_string()
        };
        assert_eq!(shown("7", false), "7");
        assert_eq!(shown("7", true), "7 (a.jsonl:3)");
        assert_eq!(shown("a.jsonl:3", true), "a.jsonl:3");
    }
}
