//! Parses the records of a chunk: the part of reading that runs on every core.

use crate::formats::{self, Visit};
use crate::{Inputs, Item};

use super::detach::Detached;
use super::documents;
use super::fields::Fields;
use super::scratch::VisitScratch;
use super::{Body, Chunk};

impl Chunk {
    /// Parses the records of the chunk, in order, and passes each to `visit`, or the problem in its
    /// place.
    ///
    /// `inputs` are those that the chunk came from.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("a.jsonl");
    /// use lookalike_io::source::{Piece, VisitScratch};
    /// use lookalike_io::{Content, DiscoverOptions, Inputs, Item};
    ///
    /// std::fs::write(&path, "{\"id\": 7, \"text\": \"to be\"}\nor not\n")?;
    /// let inputs = Inputs::discover(&[path.display().to_string()], DiscoverOptions::default())?;
    ///
    /// let (mut scratch, mut good, mut bad) = (VisitScratch::default(), Vec::new(), Vec::new());
    /// for piece in inputs.chunks() {
    ///     let chunk = match piece {
    ///         Piece::Chunk(chunk) => chunk,
    ///         Piece::Bad(problem) => return Err(problem.into()),
    ///         // Records are missing: not the end of the file.
    ///         Piece::Failed { failure, .. } => return Err(failure.into()),
    ///     };
    ///     chunk.visit(&inputs, &mut scratch, &mut |item| match item {
    ///         Item::Record(record) => good.push(record.id.unwrap_or_default().into_owned()),
    ///         Item::Bad(problem) => bad.push(problem.line),
    ///         Item::Failed(failure) => bad.push(failure.problem().line),
    ///     });
    /// }
    /// assert_eq!(good, ["7"]);
    /// assert_eq!(bad, [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn visit(
        &self,
        inputs: &Inputs,
        scratch: &mut VisitScratch,
        visit: &mut dyn FnMut(Item<'_>),
    ) {
        self.visit_some(inputs, scratch, &|_, _| true, visit);
    }

    /// As [`Chunk::visit`], but frees a [large](Chunk::is_large) record's bytes before the record
    /// is passed on; its text is owned and can be freed by the receiver.
    pub fn visit_once(
        self,
        inputs: &Inputs,
        scratch: &mut VisitScratch,
        visit: &mut dyn FnMut(Item<'_>),
    ) {
        let features = inputs.options.fields.features.is_some();
        if features || !self.is_large() || matches!(self.body, Body::Batch(_) | Body::Files(_)) {
            return self.visit(inputs, scratch, visit);
        }
        let mut detached = None;
        self.parse(inputs, scratch, &|_, _| true, &mut |item| match item {
            Item::Record(record) => detached = Some(Detached::of(&record)),
            other => visit(other),
        });
        let Some(record) = detached else { return };
        let (Body::Lines(data) | Body::Rows { data, .. } | Body::Records { data, .. }) = self.body
        else {
            return;
        };
        let text = scratch.take_text(data, &record);
        visit(Item::Record(record.with(text)));
    }

    /// As [`Chunk::visit`] for the records whose file and number are `wanted`: other lines are not
    /// parsed, other files not opened.
    pub fn visit_some(
        &self,
        inputs: &Inputs,
        scratch: &mut VisitScratch,
        wanted: &dyn Fn(u32, u32) -> bool,
        visit: &mut dyn FnMut(Item<'_>),
    ) {
        self.parse(inputs, scratch, wanted, visit);
        scratch.free_large();
    }

    fn parse(
        &self,
        inputs: &Inputs,
        scratch: &mut VisitScratch,
        wanted: &dyn Fn(u32, u32) -> bool,
        visit: &mut dyn FnMut(Item<'_>),
    ) {
        let fields = Fields::new(&inputs.options.fields);
        let files = match self.body {
            Body::Files(count) => self.file..self.file.saturating_add(count),
            _ => self.file..self.file.saturating_add(1),
        };
        let partitions = |file: u32| inputs.files.get(file as usize).map(|file| &file.partitions);
        let has_partitions = |file| partitions(file).is_some_and(|found| !found.is_empty());
        let mut filled = |item: Item<'_>| match item {
            Item::Record(record) => match partitions(record.file).filter(|found| !found.is_empty())
            {
                Some(found) => found.fill(record, &inputs.options.fields, visit),
                None => visit(Item::Record(record)),
            },
            other => visit(other),
        };
        // Whether there are any is asked once, and not of every record.
        if files.into_iter().any(has_partitions) {
            return self.parse_fields(inputs, &fields, scratch, wanted, &mut filled);
        }
        self.parse_fields(inputs, &fields, scratch, wanted, visit);
    }

    fn parse_fields(
        &self,
        inputs: &Inputs,
        fields: &Fields<'_>,
        scratch: &mut VisitScratch,
        wanted: &dyn Fn(u32, u32) -> bool,
        each: &mut dyn FnMut(Item<'_>),
    ) {
        let mut visit = Visit { inputs, fields, scratch, wanted, each };
        let format = inputs.files.get(self.file as usize).map(|file| file.format);
        match self.body {
            Body::Files(count) => documents::visit(self, count, &mut visit),
            _ => {
                if let Some(records) = format.and_then(formats::records) {
                    records.visit(self, &mut visit);
                }
            }
        }
    }
}
