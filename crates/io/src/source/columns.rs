//! Parses record batches (Parquet) into records.

use std::borrow::Cow;
use std::str::Utf8Error;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Schema};

use crate::guard::guarded;
use crate::{Content, FieldNumber, Inputs, Item, RecordView};

use super::chunk::Chunk;
use super::fields::{Fields, non_empty};
use super::record_limit::too_long;
use super::scratch::VisitScratch;

/// Rejects a schema whose columns cannot serve as fields.
pub(super) fn check(schema: &Schema, fields: &Fields<'_>) -> Result<(), String> {
    let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
    let columns = fields.columns(&names);
    let (text, html) = (columns[fields.text], columns[fields.html]);
    if text.is_none() && html.is_none() {
        return Err(fields.no_column(&names));
    }
    for column in [text, html].into_iter().flatten() {
        let field = schema.field(column);
        if !is_text(field.data_type()) {
            let (name, kind) = (field.name(), field.data_type());
            return Err(format!(
                "column `{name}` holds {kind}, not text; name the text with the setting text_field"
            ));
        }
    }
    if let Some(field) = columns[fields.id].map(|column| schema.field(column)) {
        let kind = field.data_type();
        if !is_text(kind) && !is_number(kind) && *kind != DataType::Null {
            let name = field.name();
            return Err(format!(
                "column `{name}` holds {kind}, neither text nor numbers; name the id with the setting id_field"
            ));
        }
    }
    Ok(())
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::FixedSizeBinary(_) => true,
        kind => kind.is_string() || kind.is_binary(),
    }
}

fn is_number(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_number(values),
        kind => kind.is_numeric(),
    }
}

/// A column of text, whatever its physical type.
struct Texts(ArrayRef);

impl Texts {
    /// The column, with other values formatted as text; `None` for nested types.
    fn of(array: &ArrayRef) -> Option<Self> {
        let kind = array.data_type();
        let target = match kind {
            DataType::Dictionary(_, values) if is_text(values) => values.as_ref().clone(),
            kind if is_text(kind) => return Some(Self(Arc::clone(array))),
            kind if is_number(kind) || kind.is_temporal() => DataType::Utf8,
            _ => return None,
        };
        arrow_cast::cast(array, &target).ok().map(Self)
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        let array = &self.0;
        if array.is_null(row) {
            return None;
        }
        Some(match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
            DataType::Binary => array.as_binary::<i32>().value(row),
            DataType::LargeBinary => array.as_binary::<i64>().value(row),
            DataType::BinaryView => array.as_binary_view().value(row),
            DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(row),
            _ => return None,
        })
    }

    fn get(&self, row: usize) -> Result<Option<&str>, Utf8Error> {
        self.bytes(row).map(std::str::from_utf8).transpose()
    }
}

/// The lengths of the texts of a batch.
pub(super) struct TextLengths(Vec<Texts>);

impl TextLengths {
    pub(super) fn of(batch: &RecordBatch, fields: &Fields<'_>) -> Self {
        let schema = batch.schema();
        let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        let columns = fields.columns(&names);
        let slots = [fields.text, fields.html];
        let columns = slots.into_iter().filter_map(|slot| columns[slot]);
        Self(columns.filter_map(|column| Texts::of(batch.column(column))).collect())
    }

    /// Bytes of text and HTML in a row.
    pub(super) fn of_row(&self, row: usize) -> usize {
        self.0.iter().map(|texts| texts.bytes(row).map_or(0, <[u8]>::len)).sum()
    }
}

/// A column of values of a keep rule: numbers, or text.
enum Numbers {
    Floats(Float64Array),
    Texts(Texts),
    /// Values of another kind: lists and structures.
    Others(ArrayRef),
    /// The column does not exist.
    None,
}

impl Numbers {
    fn of(array: Option<&ArrayRef>) -> Self {
        let Some(array) = array else { return Self::None };
        if is_number(array.data_type()) {
            let cast = arrow_cast::cast(array, &DataType::Float64).ok();
            return match cast {
                Some(cast) => Self::Floats(cast.as_primitive::<Float64Type>().clone()),
                None => Self::Others(Arc::clone(array)),
            };
        }
        let logical = (*array.data_type() == DataType::Boolean)
            .then(|| arrow_cast::cast(array, &DataType::Utf8).ok().map(Texts))
            .flatten();
        match logical.or_else(|| Texts::of(array)) {
            Some(texts) if is_text(texts.0.data_type()) => Self::Texts(texts),
            _ => Self::Others(Arc::clone(array)),
        }
    }

    fn get(&self, row: usize) -> FieldNumber {
        match self {
            Self::Floats(array) if array.is_valid(row) => FieldNumber::float(array.value(row)),
            Self::Texts(texts) => match texts.get(row) {
                Ok(text) => text.map_or(FieldNumber::Missing, FieldNumber::of),
                Err(_) => FieldNumber::Unreadable,
            },
            Self::Others(array) if array.is_valid(row) => FieldNumber::Unreadable,
            Self::Floats(_) | Self::Others(_) | Self::None => FieldNumber::Missing,
        }
    }
}

struct Columns {
    /// By slot.
    texts: Vec<Option<Texts>>,
    extra: Vec<Numbers>,
}

/// Parses the rows of a chunk.
pub(super) fn visit(
    chunk: &Chunk,
    batch: &RecordBatch,
    inputs: &Inputs,
    fields: &Fields<'_>,
    scratch: &mut VisitScratch,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let limit = inputs.options.max_record();
    let schema = batch.schema_ref();
    let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
    let found = fields.columns(&names);
    let of = |slot: usize| found[slot].map(|column| batch.column(column));
    let used = [fields.text, fields.html, fields.id, fields.url, fields.title, fields.date];
    let texts = |slot| of(slot).filter(|_| used.contains(&slot)).and_then(Texts::of);
    let columns = || {
        let extra = fields.extra.iter().map(|slot| Numbers::of(of(*slot))).collect();
        Columns { texts: (0..found.len()).map(texts).collect(), extra }
    };
    // Record batches of the caller are valid; those of a damaged file may panic when they are read.
    let is_valid = inputs.files[chunk.file as usize].is_in_memory();
    let columns = match is_valid {
        true => Ok(columns()),
        false => guarded(|| Ok::<_, String>(columns())),
    };
    let rows = batch.num_rows();
    let read_all = |columns: &Columns| guarded(|| columns.read_all(rows)).is_ok();
    let is_valid = is_valid || columns.as_ref().is_ok_and(read_all);
    for (record, row) in (chunk.first_record..).zip(0..rows) {
        let extra = &mut scratch.extra;
        let view = match &columns {
            Ok(columns) if is_valid => columns.view(row, fields, limit, extra),
            Ok(columns) => guarded(|| columns.view(row, fields, limit, extra)),
            Err(reason) => Err(reason.clone()),
        };
        match view {
            Ok(view) => visit(Item::Record(RecordView { file: chunk.file, record, ..view })),
            Err(words) => visit(Item::Bad(chunk.problem(inputs, record, 0, None, words))),
        }
    }
}

impl Columns {
    /// Accesses every value, without reading the texts: after this, [`Columns::view`] does not
    /// panic.
    ///
    /// # Errors
    /// None: a value of a damaged file panics.
    fn read_all(&self, rows: usize) -> Result<(), String> {
        for texts in self.texts.iter().flatten() {
            (0..rows).for_each(|row| _ = std::hint::black_box(texts.bytes(row)));
        }
        for numbers in &self.extra {
            (0..rows).for_each(|row| _ = std::hint::black_box(numbers.get(row)));
        }
        Ok(())
    }

    fn view<'a>(
        &'a self,
        row: usize,
        fields: &Fields<'_>,
        limit: usize,
        extra: &'a mut Vec<FieldNumber>,
    ) -> Result<RecordView<'a>, String> {
        let value = |slot: usize| match self.texts[slot].as_ref().map(|texts| texts.get(row)) {
            Some(Ok(value)) => Ok(value.map(Cow::Borrowed)),
            Some(Err(e)) => {
                let (name, at) = (fields.names[slot], e.valid_up_to());
                Err(format!("`{name}` is not UTF-8 (its byte {at}); store the text as UTF-8"))
            }
            None => Ok(None),
        };
        let content = match value(fields.text)? {
            Some(text) => Content::Text(text),
            None => Content::Html(value(fields.html)?.ok_or_else(|| fields.null_text())?),
        };
        let (Content::Text(text) | Content::Html(text)) = &content else {
            return Err(fields.null_text());
        };
        if text.len() > limit {
            return Err(too_long(limit));
        }
        extra.clear();
        extra.extend(self.extra.iter().map(|numbers| numbers.get(row)));
        Ok(RecordView {
            file: 0,
            record: 0,
            line: 0,
            id: value(fields.id)?.and_then(non_empty),
            content,
            url: value(fields.url).unwrap_or(None),
            title: value(fields.title).unwrap_or(None),
            date: value(fields.date).unwrap_or(None),
            extra,
        })
    }
}
