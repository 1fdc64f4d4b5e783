//! Documents to their texts, and what decides about them.

use super::super::records::{BatchRecords, BatchRow, Numbered};
use super::super::rows::RowWriter;
use super::super::sign::Names;
use super::super::step::{Step, StepContext};
use super::super::summed::halves;
use super::super::tables::{TextDocument, TextDocumentWriter};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_core::fingerprint::TextDigest;
use lookalike_engine::signer::plain_text;
use lookalike_io::{Inputs, RecordView};
use lookalike_passages::Lengths;
use lookalike_passages::classes::Repeated;
use lookalike_run::LookalikeError;
use lookalike_run::passages::documents::{Precedence, Salts, is_fixed};
use lookalike_run::passages::units::{UnitReader, UnitScratch};

/// Reads the texts of documents.
pub(in super::super) struct ReadTexts {
    records: BatchRecords,
    documents: Documents,
}

/// What is made of documents.
struct Documents {
    names: Names,
    units: UnitReader,
    lengths: Lengths,
    precedence: Precedence,
    salts: Salts,
    /// Number of the fields that are given.
    given: usize,
    out: TextDocumentWriter,
    scratch: UnitScratch,
}

/// The windows that are looked for, and which of them are repeated: the seeds of near passages,
/// with `near`.
///
/// # Errors
/// The run looks for no passages; settings that make no sense.
pub(super) fn windows(
    context: &StepContext,
    near: bool,
) -> Result<(Lengths, Repeated), LookalikeError> {
    let passages = context.passages()?;
    match near {
        true => context.near().map(|near| (near.seeds, near.repeated())),
        false => {
            let repeated = Repeated::at_least(passages.copies, passages.scope.scope());
            Ok((passages.check()?, repeated))
        }
    }
}

/// The reader of the units of documents.
///
/// # Errors
/// The run looks for no passages.
pub(super) fn unit_reader(context: &StepContext) -> Result<UnitReader, LookalikeError> {
    let settings = &context.settings;
    let sections = settings.fields.has_sections();
    Ok(UnitReader::new(&context.passages()?.unit, &settings.analysis.decided(), sections))
}

impl ReadTexts {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(
        context: &StepContext,
        task: u32,
        row: Option<String>,
    ) -> Result<Self, LookalikeError> {
        let (settings, passages) = (&context.settings, context.passages()?);
        Ok(Self {
            records: BatchRecords::new(settings, context.name(0), task, 0, row)?,
            documents: Documents {
                names: Names::new(context)?,
                units: unit_reader(context)?,
                lengths: passages.shortest_windows()?,
                precedence: Precedence::new(settings)?,
                salts: Salts::new(settings, passages.scope)?,
                given: settings.given_fields()?.len(),
                out: TextDocumentWriter::default(),
                scratch: UnitScratch::default(),
            },
        })
    }
}

impl Step for ReadTexts {
    fn schema(&self) -> SchemaRef {
        TextDocumentWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        let Self { records, documents } = self;
        records.each(batch, |numbered, read| match read {
            BatchRow::Record(record, inputs) => documents.document(record, inputs, numbered),
            BatchRow::Bad { id, problem } => {
                let problem = Some(problem);
                let bad = TextDocument { problem, ..TextDocument::default() };
                documents.push(numbered, id.as_deref(), bad)
            }
        })?;
        Ok(self.documents.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.documents.out.finish()
    }
}

impl Documents {
    /// Adds a document, with its name if its row is known.
    fn push(
        &mut self,
        Numbered { doc, row }: Numbered,
        id: Option<&str>,
        document: TextDocument<'_>,
    ) -> Result<(), LookalikeError> {
        let (id, tie) = match row {
            Some(row) => {
                let (id, tie) = self.names.of(0, row, id);
                (Some(id), tie)
            }
            None => (id, &[][..]),
        };
        self.out.push(TextDocument { doc, row, id, tie, ..document })
    }

    fn document(
        &mut self,
        record: &mut RecordView<'_>,
        inputs: &Inputs,
        numbered: Numbered,
    ) -> Result<(), LookalikeError> {
        let text = plain_text(&record.content);
        let salt = self.salts.of(record, numbered.doc as u64);
        let units = self.units.read(&text, salt, &mut self.scratch);
        let window = self.lengths.window() as usize;
        let has_window = self.scratch.units().sections().any(|section| section.len() >= window);
        let values = self.precedence.values(record, text.len() as u64);
        // One that goes by the order is in the tie.
        let rules = self.precedence.rules.iter().take_while(|rule| !rule.is_by_order());
        let precedence: Vec<u8> =
            rules.zip(values).flat_map(|(rule, value)| rule.key(value).to_be_bytes()).collect();
        let (text_high, text_low) = halves(TextDigest::of(text.as_bytes()).0);
        let has = |&at: &usize| record.given.of(at).next().is_some();
        let given = (0..self.given).filter(has).map(|at| 1 << at).sum();
        let fixed = i64::from(is_fixed(record, inputs, false));
        let read = if has_window { text.as_bytes() } else { &[] };
        let id = record.id.take();
        self.push(
            numbered,
            id.as_deref(),
            TextDocument {
                precedence: &precedence,
                text_high,
                text_low,
                unit_high: has_window.then_some(text_high),
                unit_low: has_window.then_some(text_low),
                tokens: units as i64,
                text_bytes: text.len() as i64,
                given,
                value: salt.unwrap_or_default() as i64,
                fixed,
                read,
                ..TextDocument::default()
            },
        )
    }
}
