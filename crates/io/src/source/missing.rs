//! Fields that no record of the inputs has.
//!
//! Tables are checked by their schemas, each by itself. JSON objects, messages and pages of web
//! archives have none, and one may lack what another has, so a field is missing if it is in no such
//! record of all inputs together, and in no table beside them.

use super::fields::{Fields, Slot};
use super::raw::{is_blank, split_line};
use super::sections::SectionPath;
use super::{Body, Chunk, Piece, documents, json, suggest};
use crate::formats;
use crate::mail::MailReader;
use crate::{Format, Inputs, Problem, ReadFailure};

/// Bytes of a chunk: the first record usually has all fields.
const CHUNK_BYTES: usize = 64 << 10;

/// Fields that a setting names, or a default, and that no record has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingField {
    /// The field; the text and the HTML field if it is the content that is missing.
    pub names: Vec<String>,
    /// The setting that names it.
    pub setting: &'static str,
    /// Number of JSON objects, messages and web pages that were read.
    pub records: u64,
    /// The fields that the first records have, the likely ones first, in words.
    pub found: String,
    /// Why an input could not be read, which may have it.
    pub unread: Option<Box<Problem>>,
}

impl Inputs {
    /// The content, if no JSON object of the inputs has it, or a field that the caller has named, if
    /// no JSON object, message or web page has it; `None` as well if there are none of these, if a
    /// table has it, or if `cancelled`.
    ///
    /// Reads until all fields were found: usually the first record.
    #[must_use]
    pub fn missing_field(&self, cancelled: &dyn Fn() -> bool) -> Option<MissingField> {
        let fields = Fields::new(&self.options.fields);
        let mut search = Search::new(&fields);
        search.read(&self.part(Format::is_objects), cancelled)?;
        if let Some(missing) = search.missing_section(self) {
            return Some(missing);
        }
        let content = fields.content_setting();
        // Messages and pages have a text of their own, whatever is said of JSON objects.
        let no_content = search.records > 0
            && search.wanted.iter().any(|(_, setting)| *setting == content)
            && !search.is_in_a_table(self, &fields.content());
        if !no_content {
            search.wanted.retain(|(_, setting)| *setting != content);
            search.read(&self.part(Format::has_header), cancelled)?;
        }
        let mut wanted = std::mem::take(&mut search.wanted);
        wanted.retain(|(slots, _)| search.records > 0 && !search.is_in_a_table(self, slots));
        let (slots, setting) = wanted.into_iter().next()?;
        let names: Vec<&str> = slots.iter().map(|slot| fields.names[*slot]).collect();
        let read = self.part(|format| format.is_objects() || format.has_header());
        let found = suggest::listed(&names, &read.field_names(), 20);
        let names = names.into_iter().map(str::to_owned).collect();
        let unread = search.failure.map(|failure| Box::new(failure.into_problem()));
        Some(MissingField { names, setting, records: search.records, found, unread })
    }

    /// The inputs of these formats.
    fn part(&self, of: impl Fn(Format) -> bool) -> Self {
        let files = self.files.iter().filter(|file| of(file.format));
        Self::from_files(files.cloned().collect(), self.options.clone())
    }
}

/// A search for fields that no record had so far.
struct Search<'a> {
    fields: &'a Fields<'a>,
    /// Fields one of which is needed, and the setting that names it.
    wanted: Vec<(Vec<Slot>, &'static str)>,
    /// Sections that no object had so far.
    sections: Vec<&'a (Slot, SectionPath<'a>)>,
    records: u64,
    mail: MailReader,
    /// The first input that could not be read.
    failure: Option<ReadFailure>,
}

impl<'a> Search<'a> {
    fn new(fields: &'a Fields<'a>) -> Self {
        let content = (fields.content(), fields.content_setting());
        let named = fields.named().into_iter().map(|(slot, setting)| (vec![slot], setting));
        let wanted = std::iter::once(content).chain(named).collect();
        let sections = match fields.features {
            None => fields.sections.iter().collect(),
            Some(_) => Vec::new(),
        };
        Self { fields, wanted, sections, records: 0, mail: MailReader::default(), failure: None }
    }

    /// Reads records until all fields were found; `None` if `cancelled`.
    fn read(&mut self, inputs: &Inputs, cancelled: &dyn Fn() -> bool) -> Option<()> {
        let mut pieces = inputs.chunks().with_size(CHUNK_BYTES);
        while !(self.wanted.is_empty() && self.sections.is_empty())
            && let Some(piece) = pieces.next()
        {
            if cancelled() {
                return None;
            }
            match piece {
                Piece::Chunk(chunk) => self.chunk(&chunk, inputs),
                Piece::Bad(_) => {}
                Piece::Failed { before, failure } => {
                    before.iter().for_each(|chunk| self.chunk(chunk, inputs));
                    self.failure.get_or_insert(failure);
                }
            }
        }
        Some(())
    }

    /// A section that no object has, and no table.
    fn missing_section(&mut self, inputs: &Inputs) -> Option<MissingField> {
        let sections = std::mem::take(&mut self.sections);
        let is_read = self.records > 0;
        let missing =
            |(slot, _): &&(Slot, SectionPath<'_>)| is_read && !self.is_in_a_table(inputs, &[*slot]);
        let (_, path) = sections.into_iter().find(missing)?;
        let part = inputs.part(Format::is_objects);
        Some(MissingField {
            names: vec![path.written.to_owned()],
            setting: "text_field",
            records: self.records,
            found: suggest::listed(&[path.field], &part.field_names(), 20),
            unread: self.failure.take().map(|failure| Box::new(failure.into_problem())),
        })
    }

    /// Whether a table among the inputs, or a directory above an input, has one of the fields.
    fn is_in_a_table(&mut self, inputs: &Inputs, slots: &[Slot]) -> bool {
        let (columns, failure) = inputs.part(Format::is_table).names_and_failure();
        self.failure = self.failure.take().or(failure);
        let is_given =
            |name: &str| inputs.files.iter().any(|file| file.partitions.get(name).is_some());
        let is_column = |name: &str| columns.iter().any(|column| column == name);
        let has = |slot: &Slot| {
            let name = self.fields.names[*slot];
            is_column(name) || is_given(name)
        };
        slots.iter().any(has)
    }

    fn chunk(&mut self, chunk: &Chunk, inputs: &Inputs) {
        match &chunk.body {
            Body::Lines(data) => self.lines(data),
            Body::Records { .. } => {
                if let Some(records) = formats::records(inputs.files[chunk.file as usize].format) {
                    records.names(chunk, inputs, &mut |names| {
                        self.header(names);
                        true
                    });
                }
            }
            Body::Files(count) => {
                for file in (chunk.file..).take(*count as usize) {
                    match documents::names(file, inputs, &mut self.mail) {
                        Ok(names) => self.header(&names),
                        Err(failure) => _ = self.failure.get_or_insert(failure),
                    }
                }
            }
            Body::Rows { .. } | Body::Batch(_) => {}
        }
    }

    fn lines(&mut self, mut data: &[u8]) {
        let mut values = json::Values::new(self.fields.names.len());
        let mut buffers = vec![String::new(); self.fields.names.len()];
        while !(self.wanted.is_empty() && self.sections.is_empty())
            && let Some((line, rest)) = split_line(data)
        {
            data = rest;
            let is_object = !is_blank(line)
                && json::parse(line, self.fields, &mut values, &mut buffers).is_ok();
            if is_object {
                self.records += 1;
                self.wanted.retain(|(slots, _)| !slots.iter().any(|slot| values.has(*slot)));
                // A text of the whole name needs no sections.
                self.sections.retain(|(slot, path)| match path.steps.as_slice() {
                    _ if values.has(self.fields.text) => false,
                    [] => !values.has(*slot),
                    steps => !json::has_text(&values, *slot, steps),
                });
            }
        }
    }

    /// Counts a record with a header of these fields; one without any is no document.
    fn header(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.records += 1;
            let has = |slot: &Slot| {
                names.iter().any(|name| name.eq_ignore_ascii_case(self.fields.names[*slot]))
            };
            self.wanted.retain(|(slots, _)| !slots.iter().any(has));
        }
    }
}
