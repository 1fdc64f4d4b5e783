//! The fields that are read of every record.

use std::borrow::Cow;

use crate::FieldNames;

/// Index into [`Fields::names`]. One field may have two uses (the URL as the id).
pub(super) type Slot = usize;

/// Each field that is read, once, with its uses.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub(super) names: Vec<&'a str>,
    pub(super) text: Slot,
    pub(super) html: Slot,
    pub(super) id: Slot,
    pub(super) url: Slot,
    pub(super) title: Slot,
    pub(super) date: Slot,
    pub(super) extra: Vec<Slot>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(wanted: &'a FieldNames) -> Self {
        let mut names: Vec<&'a str> = Vec::new();
        let mut slot = |name: &'a String| {
            names.iter().position(|known| *known == name.as_str()).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        Self {
            text: slot(&wanted.text),
            html: slot(&wanted.html),
            id: slot(&wanted.id),
            url: slot(&wanted.url),
            title: slot(&wanted.title),
            date: slot(&wanted.date),
            extra: wanted.extra.iter().map(&mut slot).collect(),
            names,
        }
    }

    /// The slot of a field.
    #[inline]
    pub(super) fn find(&self, name: &str) -> Option<Slot> {
        self.names.iter().position(|known| *known == name)
    }

    /// For each slot the column of that name; the last one if there are several, as in JSON.
    pub(super) fn columns<S: AsRef<str>>(&self, header: &[S]) -> Vec<Option<usize>> {
        let find = |name: &&str| header.iter().rposition(|column| column.as_ref() == *name);
        self.names.iter().map(find).collect()
    }

    /// The message for a table without any text column.
    pub(super) fn no_column<S: AsRef<str>>(&self, header: &[S]) -> String {
        const SHOWN: usize = 20;
        let mut found: Vec<String> =
            header.iter().take(SHOWN).map(|name| shown(name.as_ref())).collect();
        if header.len() > SHOWN {
            found.push("...".to_string());
        }
        let (text, html) = (self.names[self.text], self.names[self.html]);
        let found = found.join(", ");
        format!(
            "has no column `{text}` or `{html}`, but {found}; name it with the setting text_field"
        )
    }

    /// The message for a record whose text is null.
    pub(super) fn null_text(&self) -> String {
        let (text, html) = (self.names[self.text], self.names[self.html]);
        format!("`{text}` is null and there is no `{html}`; fill it in or leave the record out")
    }

    /// The message for a record without any text, but with these fields.
    pub(super) fn no_text(&self, found: &[String]) -> String {
        let (text, html) = (self.names[self.text], self.names[self.html]);
        let found = match found {
            [] => "and no other".to_string(),
            found => format!("but {}", found.join(", ")),
        };
        format!("no `{text}` or `{html}` field, {found}; name it with the setting text_field")
    }
}

/// A field's name in a message: it comes from a document and may be long or contain control
/// characters.
pub(super) fn shown(name: &str) -> String {
    const LENGTH: usize = 40;
    name.escape_debug().take(LENGTH).collect()
}

/// The value, unless it is empty.
pub(super) fn non_empty(value: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_is_none_does_not_fill_the_screen() {
        let names = FieldNames::default();
        let header = [format!("\u{1b}[2J{}", "x".repeat(1 << 20)), "b".to_owned()];
        let said = Fields::new(&names).no_column(&header);
        assert!(said.len() < 200 && !said.contains('\u{1b}') && said.contains(", b;"), "{said}");
    }
}
