//! Parses record batches (Parquet, Arrow) into records.

use std::borrow::Cow;
use std::str::Utf8Error;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Schema};

use crate::guard::guarded;
use crate::{Content, FeatureList, FieldNumber, FieldTexts, Inputs, Item, Partitions, RecordView};

use super::chunk::Chunk;
use super::fields::{Fields, Slot, non_empty};
use super::lists::{self, Lists};
use super::nested::{self, Path};
use super::record_limit::too_long;
use super::scratch::VisitScratch;

/// Rejects a schema whose columns, with the fields of directories, cannot serve as fields.
pub(super) fn check(
    schema: &Schema,
    fields: &Fields<'_>,
    partitions: &Partitions,
) -> Result<(), String> {
    let content = fields.content();
    let named = fields.needed(partitions);
    let setting = fields.content_setting();
    let find = |slot: Slot| nested::find(schema.fields(), fields.names[slot]);
    let without =
        |slots: &[Slot], setting| fields.without(slots, setting, &nested::names(schema.fields()));
    let found: Vec<(Slot, Path)> =
        content.iter().filter_map(|slot| Some((*slot, find(*slot)?))).collect();
    if found.is_empty() {
        return Err(without(&content, setting));
    }
    let has_text = find(fields.text).is_some();
    for (slot, path) in &found {
        let Some(field) = nested::field(schema.fields(), path) else { continue };
        let (name, kind) = (field.name(), field.data_type());
        // Beside a text column, which is read first, a column that only happens to be called `html` may
        // have any type.
        let is_spare = has_text && *slot != fields.text && fields.has_usual_html();
        if *kind == DataType::Null || (is_spare && fields.features.is_none()) {
            continue;
        }
        if fields.features.is_some() {
            if !lists::element(kind).is_some_and(lists::is_feature) {
                return Err(format!(
                    "column `{name}` holds {kind}, not lists of integers or strings; name the \
                     features with the setting features_field"
                ));
            }
        } else if !is_content(kind, fields) {
            let joined = match lists::element(kind).is_some_and(is_text) {
                true => ", or join the lists with the setting join_lists",
                false => "",
            };
            return Err(format!(
                "column `{name}` holds {kind}, not text; name the text with the setting \
                 text_field{joined}"
            ));
        }
    }
    if let Some((slot, setting)) = named.iter().find(|(slot, _)| find(*slot).is_none()) {
        return Err(without(&[*slot], setting));
    }
    let id = find(fields.id);
    if let Some(field) = id.and_then(|path| nested::field(schema.fields(), &path)) {
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

/// The columns that hold fields, or structs with fields.
pub(super) fn used(schema: &Schema, fields: &Fields<'_>) -> Vec<usize> {
    let find = |name: &&str| nested::find(schema.fields(), name).map(|path| path[0]);
    let mut used: Vec<usize> = fields.names.iter().filter_map(find).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// Whether a column of this type holds the texts or the HTML of documents.
fn is_content(kind: &DataType, fields: &Fields<'_>) -> bool {
    is_text(kind) || is_joined(kind, fields)
}

/// Whether a column of this type is joined to texts. Lists that are all empty may have no type.
fn is_joined(kind: &DataType, fields: &Fields<'_>) -> bool {
    let is_string = |element: &DataType| is_text(element) || *element == DataType::Null;
    fields.join_lists.is_some() && lists::element(kind).is_some_and(is_string)
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

/// The column of a field. One of type Null has no values (its Arrow arrays do not say so), and is as one
/// that is missing.
fn column(batch: &RecordBatch, fields: &Fields<'_>, slot: Slot) -> Option<ArrayRef> {
    let path = nested::find(batch.schema_ref().fields(), fields.names[slot])?;
    nested::column(batch, &path).filter(|column| *column.data_type() != DataType::Null)
}

/// A column of text, or of lists of strings that are joined to one.
fn text_column(batch: &RecordBatch, fields: &Fields<'_>, slot: Slot) -> Option<Texts> {
    let column = column(batch, fields, slot)?;
    if fields.is_joined(slot) && is_joined(column.data_type(), fields) {
        let separator = fields.join_lists.unwrap_or_default();
        return Lists::of(&column).map(|lists| Texts(Arc::new(lists.joined(separator))));
    }
    Texts::of(&column)
}

/// The lists of features of a batch.
fn feature_column(batch: &RecordBatch, fields: &Fields<'_>) -> Option<Lists> {
    Lists::of(&column(batch, fields, fields.features?)?)
}

/// The lengths of the texts of a batch, or of its features.
pub(super) struct TextLengths {
    texts: Vec<Texts>,
    features: Option<Lists>,
}

impl TextLengths {
    pub(super) fn of(batch: &RecordBatch, fields: &Fields<'_>) -> Self {
        if fields.features.is_some() {
            return Self { texts: Vec::new(), features: feature_column(batch, fields) };
        }
        let slots = [fields.text, fields.html];
        let texts = slots.into_iter().filter_map(|slot| text_column(batch, fields, slot));
        Self { texts: texts.collect(), features: None }
    }

    /// Bytes of text and HTML in a row, or of its features.
    pub(super) fn of_row(&self, row: usize) -> usize {
        let features = self.features.as_ref().map_or(0, |lists| lists.bytes(row));
        let texts = self.texts.iter().map(|texts| texts.bytes(row).map_or(0, <[u8]>::len));
        features + texts.sum::<usize>()
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

/// A column of values that are read as texts, whatever their type.
enum Given {
    Texts(Texts),
    Lists(Lists),
    /// The column does not exist, or is of a type that cannot be displayed.
    None,
}

impl Given {
    fn of(array: Option<&ArrayRef>) -> Self {
        let Some(array) = array else { return Self::None };
        if let Some(lists) = Lists::displayed(array) {
            return Self::Lists(lists);
        }
        let texts = Texts::of(array);
        let texts = texts.or_else(|| Some(Texts(Arc::new(lists::displayed(array)?))));
        texts.map_or(Self::None, Self::Texts)
    }

    /// Appends the values in a row.
    fn append(&self, row: usize, field: usize, given: &mut FieldTexts) {
        match self {
            Self::Texts(texts) => match texts.get(row) {
                Ok(text) => text.iter().for_each(|text| given.push(field, text)),
                Err(_) => {
                    let bytes = texts.bytes(row).unwrap_or_default();
                    given.push(field, &bytes.escape_ascii().to_string());
                }
            },
            Self::Lists(lists) => {
                let elements = lists.elements(row).into_iter().flatten();
                elements.flatten().for_each(|element| given.push(field, element));
            }
            Self::None => {}
        }
    }

    /// Bytes of the values in a row.
    fn bytes(&self, row: usize) -> usize {
        match self {
            Self::Texts(texts) => texts.bytes(row).map_or(0, <[u8]>::len),
            Self::Lists(lists) => lists.bytes(row),
            Self::None => 0,
        }
    }
}

struct Columns {
    /// By slot.
    texts: Vec<Option<Texts>>,
    /// Whether that of HTML holds text.
    has_html: bool,
    features: Option<Lists>,
    extra: Vec<Numbers>,
    given: Vec<Given>,
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
    let of = |slot: Slot| column(batch, fields, slot);
    let mut used = vec![fields.id, fields.url, fields.title, fields.date];
    if fields.features.is_none() {
        used.extend([fields.text, fields.html]);
    }
    let texts = |slot: Slot| used.contains(&slot).then(|| text_column(batch, fields, slot))?;
    let columns = || {
        let extra = fields.extra.iter().map(|slot| Numbers::of(of(*slot).as_ref())).collect();
        let features = feature_column(batch, fields);
        let given = fields.given.iter().map(|slot| Given::of(of(*slot).as_ref())).collect();
        let has_html = of(fields.html).is_some_and(|html| is_content(html.data_type(), fields));
        let texts = (0..fields.names.len()).map(texts).collect();
        Columns { texts, has_html, features, extra, given }
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
        let VisitScratch { extra, given, features, .. } = &mut *scratch;
        let rest = (extra, given);
        let view = match &columns {
            Ok(columns) if is_valid => columns.view(row, fields, limit, rest, features),
            Ok(columns) => guarded(|| columns.view(row, fields, limit, rest, features)),
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
        if let Some(lists) = &self.features {
            (0..rows).for_each(|row| _ = std::hint::black_box(lists.bytes(row)));
        }
        for numbers in &self.extra {
            (0..rows).for_each(|row| _ = std::hint::black_box(numbers.get(row)));
        }
        for given in &self.given {
            (0..rows).for_each(|row| _ = std::hint::black_box(given.bytes(row)));
        }
        Ok(())
    }

    fn view<'a>(
        &'a self,
        row: usize,
        fields: &Fields<'_>,
        limit: usize,
        (extra, given): (&'a mut Vec<FieldNumber>, &'a mut FieldTexts),
        list: &'a mut FeatureList,
    ) -> Result<RecordView<'a>, String> {
        let value = |slot: usize| match self.texts[slot].as_ref().map(|texts| texts.get(row)) {
            Some(Ok(value)) => Ok(value.map(Cow::Borrowed)),
            Some(Err(e)) => {
                let (name, at) = (fields.names[slot], e.valid_up_to());
                Err(format!("`{name}` is not UTF-8 (its byte {at}); store the text as UTF-8"))
            }
            None => Ok(None),
        };
        let (content, bytes) = if let Some(slot) = fields.features {
            let read = self.features.as_ref().and_then(|lists| lists.features(row, list));
            read.ok_or_else(|| fields.null_text())?
                .map_err(|words| format!("`{}` {words}; leave it out", fields.names[slot]))?;
            (Content::Features(list), list.bytes())
        } else if let Some(text) = value(fields.text)? {
            let bytes = text.len();
            (Content::Text(text), bytes)
        } else {
            let html = if self.has_html { value(fields.html)? } else { None };
            let html = html.ok_or_else(|| fields.null_text())?;
            let bytes = html.len();
            (Content::Html(html), bytes)
        };
        if bytes > limit {
            return Err(too_long(limit));
        }
        extra.clear();
        extra.extend(self.extra.iter().map(|numbers| numbers.get(row)));
        given.clear();
        for (field, column) in self.given.iter().enumerate() {
            column.append(row, field, given);
        }
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
            given,
        })
    }
}
