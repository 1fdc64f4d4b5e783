//! The sections of texts in the columns of a record batch.

use arrow_array::{Array, ArrayRef, LargeBinaryArray, RecordBatch, new_empty_array};
use arrow_schema::{DataType, Schema};

use super::fields::Fields;
use super::lists::{self, displayed};
use super::nested;
use super::sections::{Sections, Step};
use super::texts::{Texts, is_text};

/// The sections of the texts of a batch, in the order in which they are joined.
pub(crate) struct SectionColumns(Vec<Values>);

/// Where the strings of a section are.
enum Values {
    Texts(Texts),
    /// Strings of the elements of lists. With a condition, of the elements whose value of it is the wanted one.
    Elements {
        lists: ArrayRef,
        condition: Option<(Texts, String)>,
        inner: Box<Self>,
    },
    /// There are none.
    None,
}

impl SectionColumns {
    /// The sections of a batch; `None` if its texts have none.
    pub(crate) fn of(batch: &RecordBatch, fields: &Fields<'_>) -> Option<Self> {
        let schema = batch.schema_ref();
        if fields.sections.is_empty() || has_column(schema, fields) {
            return None;
        }
        let values = fields.sections.iter().map(|(_, path)| {
            let place = nested::find(schema.fields(), path.field)?;
            Values::of(&nested::column(batch, &place)?, &path.steps).ok()
        });
        Some(Self(values.map(|values| values.unwrap_or(Values::None)).collect()))
    }

    /// Passes on the strings in a row.
    fn each(&self, row: usize, push: &mut dyn FnMut(&[u8])) {
        self.0.iter().for_each(|values| values.each(row, push));
    }

    /// Bytes of the strings in a row.
    pub(crate) fn bytes(&self, row: usize) -> usize {
        let mut bytes = 0;
        self.each(row, &mut |text| bytes += text.len());
        bytes
    }

    /// The texts of the first `rows` rows. A text with a section that is no UTF-8 is not valid UTF-8 either; one
    /// longer than `limit` is truncated behind it.
    pub(crate) fn texts(&self, rows: usize, limit: usize) -> Texts {
        let text = |row| {
            let (mut sections, mut fault) = (Sections::default(), None);
            self.each(row, &mut |text| match std::str::from_utf8(text) {
                Ok(text) if sections.len() <= limit => sections.push(text),
                Ok(_) => {}
                Err(_) => _ = fault.get_or_insert_with(|| text.to_vec()),
            });
            fault.or_else(|| sections.into_text().map(String::into_bytes))
        };
        (0..rows).map(text).collect::<LargeBinaryArray>().into()
    }
}

/// Whether a column has the whole name, so that it holds the texts.
pub(crate) fn has_column(schema: &Schema, fields: &Fields<'_>) -> bool {
    nested::find(schema.fields(), fields.names[fields.text]).is_some()
}

/// Rejects a schema in which a section is no text.
pub(crate) fn check(schema: &Schema, fields: &Fields<'_>) -> Result<(), String> {
    for (slot, path) in &fields.sections {
        let place = nested::find(schema.fields(), path.field);
        let field = place.and_then(|place| nested::field(schema.fields(), &place));
        let Some(field) = field else {
            return Err(fields.without(&[*slot], "text_field", &nested::names(schema.fields())));
        };
        Values::of(&new_empty_array(field.data_type()), &path.steps).map_err(|words| {
            format!(
                "column `{}` {words}; name the text with the setting text_field, as \
                 `messages[].content`",
                path.field
            )
        })?;
    }
    Ok(())
}

impl Values {
    /// The values that the steps lead to.
    ///
    /// # Errors
    /// Values of another kind; a member that does not exist.
    fn of(array: &ArrayRef, steps: &[Step<'_>]) -> Result<Self, String> {
        let kind = array.data_type();
        let holds = |wanted: &str| Err(format!("holds {kind} where {wanted} should be"));
        let Some((step, rest)) = steps.split_first() else {
            return match lists::elements_of(array) {
                _ if *kind == DataType::Null => Ok(Self::None),
                Some(elements) => Self::of_parts(array, elements),
                None if is_text(kind) => Ok(Texts::of(array).map_or(Self::None, Self::Texts)),
                None => holds("texts"),
            };
        };
        match step {
            _ if *kind == DataType::Null => Ok(Self::None),
            Step::Each(condition) => {
                let Some(elements) = lists::elements_of(array) else { return holds("lists") };
                let inner = Box::new(Self::of(elements, rest)?);
                let condition = condition.map(|(member, wanted)| {
                    let values = inside(elements, member)?;
                    let values = displayed(&values).map(Texts::from);
                    let values =
                        values.ok_or_else(|| format!("has a `{member}` of another type"))?;
                    Ok::<_, String>((values, wanted.to_owned()))
                });
                let (lists, condition) = (ArrayRef::clone(array), condition.transpose()?);
                Ok(Self::Elements { lists, condition, inner })
            }
            Step::Member(name) => Self::of(&inside(array, name)?, rest),
        }
    }

    /// The parts of a text: strings, or structs with a member `text`.
    fn of_parts(array: &ArrayRef, elements: &ArrayRef) -> Result<Self, String> {
        let inner = match elements.data_type() {
            DataType::Struct(_) => Self::of(&inside(elements, "text")?, &[])?,
            kind if is_text(kind) => Self::of(elements, &[])?,
            DataType::Null => Self::None,
            kind => return Err(format!("holds lists of {kind} where texts should be")),
        };
        let lists = ArrayRef::clone(array);
        Ok(Self::Elements { lists, condition: None, inner: Box::new(inner) })
    }

    fn each(&self, row: usize, push: &mut dyn FnMut(&[u8])) {
        match self {
            Self::Texts(texts) => texts.bytes(row).into_iter().for_each(push),
            Self::Elements { lists, condition, inner } => {
                for element in lists::range(lists, row).into_iter().flatten() {
                    let holds = condition.as_ref().is_none_or(|(values, wanted)| {
                        values.bytes(element) == Some(wanted.as_bytes())
                    });
                    if holds {
                        inner.each(element, push);
                    }
                }
            }
            Self::None => {}
        }
    }
}

/// The member of structs that dots lead to.
fn inside(array: &ArrayRef, name: &str) -> Result<ArrayRef, String> {
    let DataType::Struct(fields) = array.data_type() else {
        return Err(format!("holds {} where a struct with `{name}` should be", array.data_type()));
    };
    nested::find(fields, name)
        .and_then(|place| nested::inside(array, &place))
        .ok_or_else(|| format!("has no `{name}`, but {}", nested::names(fields).join(", ")))
}
