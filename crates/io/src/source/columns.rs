//! Parses record batches (Parquet, Arrow) into records.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Schema};

use crate::guard::guarded;
use crate::{Content, FeatureList, FieldNumber, FieldTexts, Inputs, Item, Partitions, RecordView};

use super::chunk::{Body, Chunk};
use super::fields::{Fields, Slot, nested_id, non_empty};
use super::lists::{self, Lists};
use super::nested::{self, Path};
use super::position::bare;
use super::record_limit::too_long;
use super::scratch::VisitScratch;
use super::section_columns::{self, SectionColumns};
use super::texts::{Texts, hex, is_number, is_text, is_uuid, uuids};

/// Rejects a schema whose columns, with the fields of directories, cannot serve as fields.
pub(crate) fn check(
    schema: &Schema,
    fields: &Fields<'_>,
    partitions: &Partitions,
) -> Result<(), String> {
    let repeated =
        |name: &&'_ str| nested::repeated(schema.fields(), name).map(nested::two_columns);
    if let Some(message) = fields.names.iter().find_map(repeated) {
        return Err(message);
    }
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
    let has_sections = !fields.sections.is_empty() && !section_columns::has_column(schema, fields);
    if has_sections && fields.needs_sections(|slot| find(slot).is_some()) {
        section_columns::check(schema, fields)?;
    }
    let has_text = has_sections || find(fields.text).is_some();
    for (slot, path) in &found {
        let Some(field) = nested::field(schema.fields(), path) else { continue };
        let (name, kind) = (field.name(), field.data_type());
        // Beside a text column, which is read first, a column that only happens to be called `html` may
        // have any type.
        let is_spare = has_text && *slot != fields.text && fields.has_usual_html();
        let is_section = fields.sections.iter().any(|(section, _)| section == slot);
        // Given values are read as texts, whatever their type.
        if fields.given_as_content
            || *kind == DataType::Null
            || is_section
            || (is_spare && fields.features.is_none())
        {
            continue;
        }
        if fields.features.is_some() {
            if !lists::element(kind).is_some_and(lists::is_feature) {
                let setting = fields.features_setting;
                return Err(format!(
                    "column `{name}` holds {kind}, not lists of integers or strings; name a list \
                     with the setting {setting}"
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
    let id = find(fields.id).and_then(|path| nested::field(schema.fields(), &path));
    match id.filter(|field| fields.names_id() && field.data_type().is_nested()) {
        Some(field) => Err(format!(
            "column `{}` holds {}, which is no id; name the id with the setting id_field",
            field.name(),
            field.data_type()
        )),
        None => Ok(()),
    }
}

/// The columns that hold fields, or structs with fields.
pub(crate) fn used(schema: &Schema, fields: &Fields<'_>) -> Vec<usize> {
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

/// The column of a field. One of type Null has no values (its Arrow arrays do not say so), and is as one
/// that is missing. UUIDs are texts.
fn column(batch: &RecordBatch, fields: &Fields<'_>, slot: Slot) -> Option<ArrayRef> {
    let schema = batch.schema_ref().fields();
    let path = nested::find(schema, fields.names[slot])?;
    let column =
        nested::column(batch, &path).filter(|column| *column.data_type() != DataType::Null)?;
    if nested::field(schema, &path).is_some_and(is_uuid) {
        return uuids(&column).map(|uuids| Arc::new(uuids) as ArrayRef);
    }
    Some(column)
}

/// A column of text, or of lists of strings that are joined to one.
fn text_column(
    batch: &RecordBatch,
    fields: &Fields<'_>,
    slot: Slot,
    limit: usize,
) -> Option<Texts> {
    if slot == fields.text
        && let Some(sections) = SectionColumns::of(batch, fields)
    {
        return Some(sections.texts(batch.num_rows(), limit));
    }
    let column = column(batch, fields, slot)?;
    if let Some(lists) = joined_lists(&column, fields, slot) {
        return Some(lists.joined(fields.join_lists.unwrap_or_default(), limit).into());
    }
    Texts::of(&column)
}

/// The lists of a column that are joined to texts.
fn joined_lists(column: &ArrayRef, fields: &Fields<'_>, slot: Slot) -> Option<Lists> {
    let joined = fields.is_joined(slot) && is_joined(column.data_type(), fields);
    joined.then(|| Lists::of(column)).flatten()
}

/// The ids of a batch.
enum Ids {
    Texts(Texts),
    /// Lists and structures.
    Nested(ArrayRef),
    /// The column does not exist.
    None,
}

impl Ids {
    fn of(array: Option<&ArrayRef>) -> Self {
        let Some(array) = array else { return Self::None };
        if array.data_type().is_nested() {
            return Self::Nested(Arc::clone(array));
        }
        let texts = Texts::of(array).or_else(|| lists::displayed(array).map(Texts::from));
        texts.map_or(Self::None, Self::Texts)
    }

    /// The id in a row. Bytes that are no text are hexadecimal digits, so that they name the document.
    fn get(&self, row: usize) -> Option<Cow<'_, str>> {
        match self {
            Self::Texts(texts) => {
                let bytes = texts.bytes(row)?;
                let text = std::str::from_utf8(bytes);
                Some(text.map_or_else(|_| Cow::Owned(hex(bytes)), Cow::Borrowed))
            }
            Self::Nested(array) => {
                let text = lists::displayed(&array.slice(row, 1))?;
                let text = text.is_valid(0).then(|| text.value(0))?;
                nested_id(text, str::to_owned).map(Cow::Owned)
            }
            Self::None => None,
        }
    }
}

/// The lists of features of a batch.
fn feature_column(batch: &RecordBatch, fields: &Fields<'_>) -> Option<Lists> {
    Lists::of(&column(batch, fields, fields.features?)?)
}

/// The lengths of the texts of a batch, or of its features. Nothing is copied.
pub(crate) struct TextLengths {
    texts: Vec<Texts>,
    /// Features, and lists that are joined to texts.
    lists: Vec<Lists>,
    sections: Option<SectionColumns>,
}

impl TextLengths {
    pub(crate) fn of(batch: &RecordBatch, fields: &Fields<'_>) -> Self {
        let (mut texts, mut lists) = (Vec::new(), Vec::new());
        if fields.features.is_some() {
            lists.extend(feature_column(batch, fields));
            return Self { texts, lists, sections: None };
        }
        for slot in fields.whole_content() {
            let Some(column) = column(batch, fields, slot) else { continue };
            match joined_lists(&column, fields, slot) {
                Some(joined) => lists.push(joined),
                None => texts.extend(Texts::of(&column)),
            }
        }
        Self { texts, lists, sections: SectionColumns::of(batch, fields) }
    }

    /// Bytes of text and HTML in a row, or of its features.
    pub(crate) fn of_row(&self, row: usize) -> usize {
        let lists = self.lists.iter().map(|lists| lists.bytes(row));
        let texts = self.texts.iter().map(|texts| texts.bytes(row).map_or(0, <[u8]>::len));
        let sections = self.sections.as_ref().map_or(0, |sections| sections.bytes(row));
        lists.sum::<usize>() + texts.sum::<usize>() + sections
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
            .then(|| lists::displayed(array).map(Texts::from))
            .flatten();
        match logical.or_else(|| Texts::of(array)) {
            Some(texts) => Self::Texts(texts),
            None => Self::Others(Arc::clone(array)),
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
        let texts = texts.or_else(|| lists::displayed(array).map(Texts::from));
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
    ids: Ids,
    /// Whether that of HTML holds text.
    has_html: bool,
    features: Option<Lists>,
    extra: Vec<Numbers>,
    given: Vec<Given>,
}

/// Passes the names of the columns of a chunk to `each`.
pub(crate) fn names(chunk: &Chunk, each: &mut dyn FnMut(&[String]) -> bool) {
    if let Body::Batch(batch) = &chunk.body {
        each(&nested::names(batch.schema_ref().fields()));
    }
}

/// Parses the wanted rows of a chunk.
pub(crate) fn visit(
    chunk: &Chunk,
    inputs: &Inputs,
    fields: &Fields<'_>,
    scratch: &mut VisitScratch,
    wanted: &dyn Fn(u32, u32) -> bool,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let Body::Batch(batch) = &chunk.body else { return };
    let limit = inputs.options.max_record();
    let of = |slot: Slot| column(batch, fields, slot);
    let mut used = vec![fields.url, fields.title, fields.date];
    if fields.features.is_none() && !fields.given_as_content {
        used.extend([fields.text, fields.html]);
    }
    let texts =
        |slot: Slot| used.contains(&slot).then(|| text_column(batch, fields, slot, limit))?;
    let columns = || {
        let extra = fields.extra.iter().map(|slot| Numbers::of(of(*slot).as_ref())).collect();
        let features = feature_column(batch, fields);
        let given = fields.given.iter().map(|slot| Given::of(of(*slot).as_ref())).collect();
        let has_html = of(fields.html).is_some_and(|html| is_content(html.data_type(), fields));
        let texts = (0..fields.names.len()).map(texts).collect();
        let ids = Ids::of(of(fields.id).as_ref());
        Columns { texts, ids, has_html, features, extra, given }
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
        if !wanted(chunk.file, record) {
            continue;
        }
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
        (0..rows).for_each(|row| _ = std::hint::black_box(self.ids.get(row)));
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
        } else if fields.given_as_content {
            let bytes = self.given.iter().map(|column| column.bytes(row)).sum();
            (Content::Text(Cow::Borrowed("")), bytes)
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
        if fields.given_as_content && fields.has_none(given) {
            return Err(fields.null_text());
        }
        Ok(RecordView {
            id: self.ids.get(row).and_then(non_empty),
            url: value(fields.url).unwrap_or(None),
            title: value(fields.title).unwrap_or(None),
            date: value(fields.date).unwrap_or(None),
            extra,
            beside: fields.beside(given),
            given,
            ..bare(content)
        })
    }
}
