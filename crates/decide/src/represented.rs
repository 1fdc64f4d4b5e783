//! The documents that a leader represents: the last two columns of the table `clusters`.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most files that are named in a row.
const FILES: usize = 100;

/// The name under which the documents of all further files are counted.
const OTHERS: &str = "…";

/// Counts the documents that a leader represents, by file.
#[derive(Debug, Default)]
pub struct Represented<'a> {
    by_file: BTreeMap<Cow<'a, str>, u64>,
}

impl<'a> Represented<'a> {
    /// Adds a document of a file.
    pub fn add(&mut self, file: &'a str) {
        *self.by_file.entry(Cow::Borrowed(file)).or_default() += 1;
    }

    /// The same, of a file whose name is copied if it is a new one.
    pub fn add_copied(&mut self, file: &str) {
        match self.by_file.get_mut(file) {
            Some(count) => *count += 1,
            None => _ = self.by_file.insert(Cow::Owned(file.to_owned()), 1),
        }
    }

    /// The two cells.
    #[must_use]
    pub fn finish(self) -> RepresentedCells {
        let size = 1 + self.by_file.values().sum::<u64>();
        RepresentedCells { size, duplicates: self.duplicates() }
    }

    /// The counts as a JSON object, files in the order of their names.
    fn duplicates(self) -> String {
        let mut text = String::from("{");
        let mut put = |file: &str, count: u64| {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&serde_json::Value::from(file).to_string());
            text.push(':');
            text.push_str(&count.to_string());
        };
        let mut files = self.by_file.into_iter();
        files.by_ref().take(FILES).for_each(|(file, count)| put(&file, count));
        let others: u64 = files.map(|(_, count)| count).sum();
        if others > 0 {
            put(OTHERS, others);
        }
        text.push('}');
        text
    }
}

/// The number of documents in a cluster, and the files of those that its leader represents.
#[derive(Debug)]
pub struct RepresentedCells {
    /// Documents in the cluster.
    pub size: u64,
    /// The represented documents by file, as a JSON object.
    pub duplicates: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_order_and_bounded() {
        let mut few = Represented::default();
        ["b", "a\"", "b"].iter().for_each(|file| few.add(file));
        let RepresentedCells { size, duplicates } = few.finish();
        assert_eq!((size, duplicates.as_str()), (4, r#"{"a\"":1,"b":2}"#));
        assert_eq!(Represented::default().finish().duplicates, "{}");

        let names: Vec<String> = (0..FILES + 7).map(|at| format!("{at:04}")).collect();
        let mut many = Represented::default();
        names.iter().chain(&names).for_each(|file| many.add(file));
        let RepresentedCells { size, duplicates } = many.finish();
        let counts: BTreeMap<String, u64> = serde_json::from_str(&duplicates).unwrap();
        assert_eq!(
            (size, counts.len(), counts[OTHERS]),
            (2 * (FILES as u64 + 7) + 1, FILES + 1, 14)
        );
    }
}
