//! Documents to digests, feature sets and their order of precedence.

use super::damaged;
use super::ignored::ignored_elements;
use super::records::{BatchRecords, BatchRow, Numbered};
use super::rows::RowWriter;
use super::sent_set::{SentSet, SetFormat};
use super::step::{RowStep, Step, StepContext};
use super::summed::halves;
use super::tables::{Document, DocumentWriter, Signed, SignedWriter};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_cluster::KeepRule;
use lookalike_core::Measure;
use lookalike_core::fingerprint::finalise;
use lookalike_engine::across::with_key;
use lookalike_engine::signer::TextSet;
use lookalike_engine::{MatchSettings, Signer, SignerScratch, keep_value};
use lookalike_io::{Inputs, RecordView};
use lookalike_run::given_fields::missing_field;
use lookalike_run::{LookalikeError, Settings};

/// Signs documents.
pub(super) struct Sign {
    settings: Settings,
    signer: Signer,
    /// Makes the sets of what is ignored, if texts are.
    ignored: Option<Signer>,
    format: SetFormat,
    keep: Vec<KeepRule>,
    names: Names,
    records: BatchRecords,
    /// The fields that keep rules read.
    fields: Vec<String>,
    side: u8,
    cross: bool,
    out: SignedWriter,
    scratch: SignerScratch,
    set: Vec<u64>,
    removed: Vec<u64>,
    bytes: Vec<u8>,
    precedence: Vec<u8>,
}

/// Fields of which it is known whether a document has them: bits of a column.
const FIELDS: usize = 63;

impl Sign {
    pub(super) fn new(
        context: &StepContext,
        task: u32,
        side: u8,
        row: Option<String>,
        ignored: &[u8],
    ) -> Result<Self, LookalikeError> {
        let settings = context.settings.clone();
        let boilerplate = ignored_elements(&settings, ignored)?;
        let matching = MatchSettings { boilerplate, ..settings.matching()? };
        let ignored = matching.boilerplate.clone();
        Ok(Self {
            signer: Signer::new(&matching).with_given(&settings.given_fields()?),
            ignored: ignored.map(|ignored| Signer::of_boilerplate(&matching, ignored)),
            format: SetFormat::new(&settings),
            keep: settings.keep_rules()?,
            names: Names::new(context)?,
            records: BatchRecords::new(&settings, context.name(side), task, side, row)?,
            fields: settings.keep_fields()?,
            settings,
            side,
            cross: context.cross,
            out: SignedWriter::default(),
            scratch: SignerScratch::default(),
            set: Vec::new(),
            removed: Vec::new(),
            bytes: Vec::new(),
            precedence: Vec::new(),
        })
    }
}

impl Step for Sign {
    fn schema(&self) -> SchemaRef {
        SignedWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        let mut records = std::mem::take(&mut self.records);
        let result = records.each(batch, |Numbered { doc, row }, read| match read {
            BatchRow::Record(record, inputs) => self.document(record, inputs, doc, row),
            BatchRow::Bad { id, problem } => {
                let problem = Some(problem);
                self.push(row, id.as_deref(), Signed { doc, problem, ..Signed::default() })
            }
        });
        self.records = records;
        result?;
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

impl Sign {
    /// Adds a document, with its name if its row is known.
    fn push(
        &mut self,
        row: Option<i64>,
        id: Option<&str>,
        signed: Signed<'_>,
    ) -> Result<(), LookalikeError> {
        let (id, tie) = match row {
            Some(row) => {
                let (id, tie) = self.names.of(self.side, row, id);
                (Some(id), tie)
            }
            None => (id, [].as_slice()),
        };
        self.out.push(Signed { side: self.side.into(), row, id, tie, ..signed })
    }

    fn document(
        &mut self,
        record: &mut RecordView<'_>,
        inputs: &Inputs,
        doc: i64,
        row: Option<i64>,
    ) -> Result<(), LookalikeError> {
        let id = record.id.take();
        self.removed.clear();
        if let Some(ignored) = &self.ignored {
            ignored.record_set(&mut record.clone(), &mut self.scratch, &mut self.removed);
        }
        let TextSet { summary, unit, few, value } =
            self.signer.record_set(record, &mut self.scratch, &mut self.set);
        let (elements, removed) = (&*self.set, &*self.removed);
        let mut sent = SentSet { elements, removed, value, few: 0 };
        let words;
        // Where values do not count, documents of the same words are one distinct set.
        let compares_words = few && value != 0;
        if let (true, Ok(unit)) = (compares_words, unit) {
            words = [finalise(with_key(unit.0, value) as u64)];
            sent = SentSet { elements: &words, few: self.set.len() as u64, ..sent };
        }
        self.format.write(sent, &mut self.bytes);
        self.precedence.clear();
        // The other collection takes precedence, unless pairs of both are joined.
        self.precedence.push(if self.cross { 0 } else { 1 - self.side });
        if self.settings.measure == Measure::Containment {
            // Larger sets first: a document is only contained in one at least as large.
            self.precedence.extend((u32::MAX - self.set.len() as u32).to_be_bytes());
        }
        let fields: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        for rule in self.keep.iter().take_while(|rule| !rule.is_by_order()) {
            let value = keep_value(rule, record, &fields, summary.text_bytes);
            self.precedence.extend(rule.key(value).to_be_bytes());
        }
        let (text_high, text_low) = halves(summary.text.0);
        let (tokens_high, tokens_low) = halves(summary.sequence.0);
        let (unit_high, unit_low) = unit.ok().map(|unit| halves(unit.0)).unzip();
        let has = |&at: &usize| record.given.of(at).next().is_some();
        let given = (0..inputs.options.fields.given.len().min(FIELDS)).filter(has);
        let value_name = self.signer.across().map(|across| across.shown(record, inputs));
        let (bytes, precedence) =
            (std::mem::take(&mut self.bytes), std::mem::take(&mut self.precedence));
        let signed = Signed {
            doc,
            precedence: &precedence,
            text_high,
            text_low,
            tokens_high,
            tokens_low,
            unit_high,
            unit_low,
            size: self.set.len() as i64,
            compared: i64::from(unit.is_ok() && (!few || compares_words)),
            tokens: summary.tokens.into(),
            text_bytes: summary.text_bytes as i64,
            given: given.map(|at| 1 << at).sum(),
            value: value as i64,
            value_name: value_name.as_deref(),
            set: &bytes,
            ..Signed::default()
        };
        let pushed = self.push(row, id.as_deref(), signed);
        (self.bytes, self.precedence) = (bytes, precedence);
        pushed
    }
}

/// Refuses a field that settings name and that no document has; `given` are the columns `given` of documents.
///
/// # Errors
/// The first such field.
pub fn check_given(settings: &Settings, given: &[i64]) -> Result<(), LookalikeError> {
    let found = given.iter().fold(0, |all, own| all | own);
    let names = settings.given_fields()?;
    let missing = names.iter().take(FIELDS).enumerate().find(|(at, _)| found >> at & 1 == 0);
    match missing {
        Some((_, name)) => Err(missing_field(name, settings)?),
        None => Ok(()),
    }
}

/// What tables call documents, and what decides ties of precedence.
pub(super) struct Names {
    names: [String; 2],
    /// The keep rule that goes by the order of rows, so that ids break no ties.
    by_row: Option<KeepRule>,
    /// The name and the tie of the last document.
    id: String,
    tie: Vec<u8>,
}

impl Names {
    pub(super) fn new(context: &StepContext) -> Result<Self, LookalikeError> {
        let mut keep = context.settings.keep_rules()?.into_iter();
        Ok(Self {
            names: [0, 1].map(|side| context.name(side).to_owned()),
            by_row: keep.find(KeepRule::is_by_order),
            id: String::new(),
            tie: Vec::new(),
        })
    }

    /// The name and the tie of the document in a row.
    pub(super) fn of(&mut self, side: u8, row: i64, id: Option<&str>) -> (&str, &[u8]) {
        let Self { names, by_row, id: name, tie } = self;
        name.clear();
        match id {
            Some(id) => name.push_str(id),
            None => *name = format!("{}:{}", names[usize::from(side)], row + 1),
        }
        tie.clear();
        match by_row {
            Some(rule) => tie.extend(rule.key(row as f64).to_be_bytes()),
            None => tie.extend(name.bytes()),
        }
        (name, tie)
    }
}

/// Gives each document the row that the engine gave it as a place, and its name.
pub(super) struct Number(Names);

impl Number {
    pub(super) fn new(context: &StepContext) -> Result<Self, LookalikeError> {
        Names::new(context).map(Self)
    }
}

impl RowStep<Document<'static>, Document<'static>> for Number {
    fn row(
        &mut self,
        document: Document<'_>,
        out: &mut DocumentWriter,
    ) -> Result<(), LookalikeError> {
        let row = document
            .place
            .ok_or_else(|| damaged("a document has no row: the engine did not sort the rows"))?;
        let (id, tie) = self.0.of(document.side as u8, row, document.id);
        out.push(Document { row: Some(row), id: Some(id), tie, ..document })
    }
}
