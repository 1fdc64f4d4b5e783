//! Field names of the inputs, for messages about a missing field.

use super::{Chunk, Piece, documents};
use crate::formats;
use crate::mail::MailReader;
use crate::{Format, InputFile, Inputs, ReadFailure};

/// Most files that are read.
const FILES: usize = 100;
/// Most records of a file that are read.
const RECORDS: usize = 1000;
/// Most names returned.
const NAMES: usize = 1000;

impl Inputs {
    /// The fields of the first records of each of the first files, in order of appearance, as
    /// written; those in objects and structs as paths, such as `doc.text`. Files that are one
    /// document have none, unless it is a message; nor have unreadable ones.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// use lookalike_io::{DiscoverOptions, Inputs};
    ///
    /// std::fs::write(folder.path().join("a.jsonl"), "{\"id\": 7, \"text\": \"to be\"}\n{\"year\": 1603}\n")?;
    /// std::fs::write(folder.path().join("b.csv"), "text,act\nor not to be,3\n")?;
    /// let inputs = Inputs::discover(&[folder.path().display().to_string()], DiscoverOptions::default())?;
    /// assert_eq!(inputs.field_names(), ["id", "text", "year", "act"]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn field_names(&self) -> Vec<String> {
        self.names_and_failure().0
    }

    /// These names, and the first failure of a file whose fields are therefore not known: not of a
    /// table that lacks columns, as it was read.
    pub(crate) fn names_and_failure(&self) -> (Vec<String>, Option<ReadFailure>) {
        let (mut names, mut first) = (Vec::new(), None);
        let has_fields = |format: Format| !format.is_document() || format.is_message();
        let data = self.files.iter().filter(|file| has_fields(file.format));
        for file in data.take(FILES) {
            match self.add_names(file, &mut names) {
                Err(failure) if !failure.is_of_columns() => _ = first.get_or_insert(failure),
                Ok(()) | Err(_) => {}
            }
        }
        (names, first)
    }

    /// Adds the fields of the first records of a file.
    ///
    /// # Errors
    /// It cannot be read: its fields are not known.
    pub(crate) fn add_names(
        &self,
        file: &InputFile,
        names: &mut Vec<String>,
    ) -> Result<(), ReadFailure> {
        let mut add = |name: &str| {
            if names.len() < NAMES && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        let one = Inputs::from_files(vec![file.clone()], self.options.clone());
        let Some(chunk) = one.first_chunk(None)? else { return Ok(()) };
        match formats::records(file.format) {
            Some(records) => {
                let mut left = RECORDS;
                records.names(&chunk, &one, &mut |names| {
                    names.iter().for_each(|name| add(name));
                    left -= 1;
                    left > 0
                });
            }
            None => documents::names(0, &one, &mut MailReader::default())?
                .iter()
                .for_each(|name| add(name)),
        }
        Ok(())
    }

    /// The first records that can be used, of a chunk of so many bytes.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn first_chunk(&self, bytes: Option<usize>) -> Result<Option<Chunk>, ReadFailure> {
        let chunks = self.chunks();
        let mut chunks = match bytes {
            Some(bytes) => chunks.with_size(bytes),
            None => chunks,
        };
        loop {
            match chunks.next() {
                Some(Piece::Chunk(chunk)) => return Ok(Some(chunk)),
                Some(Piece::Bad(_)) => {}
                Some(Piece::Failed { failure, .. }) => return Err(failure),
                None => return Ok(None),
            }
        }
    }
}
