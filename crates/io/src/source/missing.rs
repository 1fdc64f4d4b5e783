//! Fields that no record of the JSONL inputs has.
//!
//! Tables are checked by their schemas, each by itself. A JSONL file has none, and one record may lack
//! what another has, so a field is missing if it is in no record of all JSONL inputs together, and in no
//! table beside them.

use super::fields::{Fields, Slot};
use super::raw::{is_blank, split_line};
use super::{Body, json, suggest};
use crate::{Format, Inputs};

/// Bytes of a chunk: the first record usually has all fields.
const CHUNK_BYTES: usize = 64 << 10;

/// Fields that a setting names, or a default, and that no record has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingField {
    /// The field; the text and the HTML field if it is the content that is missing.
    pub names: Vec<String>,
    /// The setting that names it.
    pub setting: &'static str,
    /// Number of JSON objects that were read.
    pub records: u64,
    /// The fields that the first records have, the likely ones first, in words.
    pub found: String,
}

impl Inputs {
    /// The content, or a field that the caller has named, if no record of the JSONL inputs has it;
    /// `None` as well if there are no JSON objects, if a table has it, or if `cancelled`.
    ///
    /// Reads until all fields were found: usually the first record. Inputs that cannot be read are
    /// skipped; they are reported when they are read.
    #[must_use]
    pub fn missing_field(&self, cancelled: &dyn Fn() -> bool) -> Option<MissingField> {
        let fields = Fields::new(&self.options.fields);
        let content = (fields.content(), fields.content_setting());
        let named = fields.named().into_iter().map(|(slot, setting)| (vec![slot], setting));
        let mut wanted: Vec<(Vec<Slot>, &str)> = std::iter::once(content).chain(named).collect();
        let mut buffers = vec![String::new(); fields.names.len()];
        let mut records = 0;
        let lines = self.files.iter().filter(|file| file.format == Format::Jsonl);
        let jsonl = Self::from_files(lines.cloned().collect(), self.options.clone());
        for chunk in jsonl.chunks().with_size(CHUNK_BYTES).flatten() {
            if cancelled() {
                return None;
            }
            let Body::Lines(data) = &chunk.body else { continue };
            let (mut data, mut values) = (data.as_slice(), json::Values::new(fields.names.len()));
            while let Some((line, rest)) = split_line(data) {
                data = rest;
                let is_object = !is_blank(line)
                    && json::parse(line, &fields, &mut values, &mut buffers).is_ok();
                if is_object {
                    records += 1;
                    wanted.retain(|(slots, _)| !slots.iter().any(|slot| values.has(*slot)));
                    if wanted.is_empty() {
                        return None;
                    }
                }
            }
        }
        if records == 0 || wanted.is_empty() {
            return None;
        }
        let columns = self.columns_of_tables();
        let is_column = |slot: &Slot| columns.iter().any(|column| column == fields.names[*slot]);
        wanted.retain(|(slots, _)| !slots.iter().any(is_column));
        let (slots, setting) = wanted.into_iter().next()?;
        let names: Vec<&str> = slots.iter().map(|slot| fields.names[*slot]).collect();
        let found = suggest::listed(&names, &jsonl.field_names(), 20);
        let names = names.into_iter().map(str::to_owned).collect();
        Some(MissingField { names, setting, records, found })
    }

    /// The columns of the inputs that are tables.
    fn columns_of_tables(&self) -> Vec<String> {
        let is_table =
            |format| matches!(format, Format::Csv | Format::Tsv | Format::Parquet | Format::Arrow);
        let tables = self.files.iter().filter(|file| is_table(file.format));
        Self::from_files(tables.cloned().collect(), self.options.clone()).field_names()
    }
}
