//! The fields that are read of every record.

use std::borrow::Cow;

use super::sections::{SectionPath, section_paths};
use super::suggest;
use crate::{Beside, FieldNames, FieldNumber, FieldTexts, Partitions};

/// Index into [`Fields::names`]. One field may have two uses (the URL as the id).
pub(crate) type Slot = usize;

/// Each field that is read, once, with its uses.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    pub(crate) names: Vec<&'a str>,
    pub(crate) text: Slot,
    /// The fields that the text is joined from, if no field has its name; often none.
    pub(crate) sections: Vec<(Slot, SectionPath<'a>)>,
    pub(crate) html: Slot,
    pub(crate) id: Slot,
    pub(crate) url: Slot,
    pub(crate) title: Slot,
    pub(crate) date: Slot,
    pub(crate) extra: Vec<Slot>,
    pub(crate) given: Vec<Slot>,
    pub(crate) features: Option<Slot>,
    /// The setting that names the features.
    pub(crate) features_setting: &'static str,
    /// Whether the values of `given` are read in place of a text.
    pub(crate) given_as_content: bool,
    /// Where the fields are in an object.
    pub(crate) members: Members<'a>,
    /// Separator of lists of strings that are joined to a text.
    pub(crate) join_lists: Option<&'a str>,
}

/// The members of an object that are read.
///
/// A field with the name `a.b` is the member `a.b`, or else the member `b` of the object `a`; and so
/// on for longer names.
#[derive(Debug, Default)]
pub(crate) struct Members<'a> {
    /// Members that are fields.
    pub(crate) fields: Vec<(&'a str, Slot)>,
    /// Members whose own members are fields.
    pub(crate) objects: Vec<(&'a str, Self)>,
}

/// Objects that a name can lead through. Each takes some stack while a record is parsed.
const LEVELS: usize = 32;

impl<'a> Members<'a> {
    fn add(&mut self, name: &'a str, slot: Slot, levels: usize) {
        self.fields.push((name, slot));
        let Some((head, rest)) = name.split_once('.').filter(|_| levels > 0) else { return };
        let at = self.objects.iter().position(|(known, _)| *known == head).unwrap_or_else(|| {
            self.objects.push((head, Self::default()));
            self.objects.len() - 1
        });
        self.objects[at].1.add(rest, slot, levels - 1);
    }

    /// The field of this name.
    #[inline]
    pub(crate) fn field(&self, name: &str) -> Option<Slot> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot)
    }

    /// The fields inside the member of this name.
    #[inline]
    pub(crate) fn object(&self, name: &str) -> Option<&Self> {
        self.objects.iter().find(|(known, _)| *known == name).map(|(_, inner)| inner)
    }
}

impl<'a> Fields<'a> {
    pub(crate) fn new(wanted: &'a FieldNames) -> Self {
        let mut names: Vec<&'a str> = Vec::new();
        let mut slot = |name: &'a str| {
            names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let sections = match wanted.given_as_content {
            true => Vec::new(),
            false => section_paths(&wanted.text),
        };
        let mut fields = Self {
            text: slot(&wanted.text),
            html: slot(&wanted.html),
            id: slot(&wanted.id),
            url: slot(&wanted.url),
            title: slot(&wanted.title),
            date: slot(&wanted.date),
            extra: wanted.extra.iter().map(|name| slot(name)).collect(),
            given: wanted.given.iter().map(|name| slot(name)).collect(),
            features: wanted.features.as_ref().map(|name| slot(name)),
            sections: sections.into_iter().map(|path| (slot(path.field), path)).collect(),
            features_setting: wanted.features_setting(),
            given_as_content: wanted.given_as_content,
            members: Members::default(),
            join_lists: wanted.join_lists.as_deref(),
            names,
        };
        for (slot, name) in fields.names.iter().enumerate() {
            fields.members.add(name, slot, LEVELS);
        }
        fields
    }

    /// What is compared beside the text of a stored message, by the values of `given`.
    pub(crate) fn beside(&self, given: &FieldTexts) -> Beside {
        let field = self.given.iter().position(|slot| self.names[*slot] == Beside::FIELD);
        let written = field.and_then(|field| given.of(field).next());
        written.and_then(Beside::read).unwrap_or_default()
    }

    /// Whether a list of strings in this field may be joined to a text.
    pub(crate) fn is_joined(&self, slot: Slot) -> bool {
        self.join_lists.is_some()
            && !self.given_as_content
            && [self.text, self.html, self.title].contains(&slot)
    }

    /// Replaces `extra` and `given` by the values of their fields in a record whose values are texts.
    pub(crate) fn read_named<'v>(
        &self,
        value: impl Fn(Slot) -> Option<Cow<'v, str>>,
        extra: &mut Vec<FieldNumber>,
        given: &mut FieldTexts,
    ) {
        let number = |&slot: &Slot| {
            value(slot).map_or(FieldNumber::Missing, |value| FieldNumber::of(&value))
        };
        extra.clear();
        extra.extend(self.extra.iter().map(number));
        given.clear();
        for (field, &slot) in self.given.iter().enumerate() {
            value(slot).iter().for_each(|value| given.push(field, value));
        }
    }

    /// Whether none of the given fields has a value.
    pub(crate) fn has_none(&self, given: &FieldTexts) -> bool {
        (0..self.given.len()).all(|field| given.of(field).next().is_none())
    }

    /// Whether the caller has named the field of the id.
    pub(crate) fn names_id(&self) -> bool {
        self.names[self.id] != FieldNames::default().id
    }

    /// Whether the field of HTML has the default name, so that a caller need not mean it.
    pub(crate) fn has_usual_html(&self) -> bool {
        self.names[self.html] == FieldNames::default().html
    }

    /// The fields one of which a record needs.
    pub(crate) fn content(&self) -> Vec<Slot> {
        let mut content = self.whole_content();
        if self.features.is_none() {
            content.extend(self.sections.iter().map(|(slot, _)| *slot));
        }
        content
    }

    /// The fields each of which is a content by itself: features, the given ones, or text and HTML.
    pub(crate) fn whole_content(&self) -> Vec<Slot> {
        match self.features {
            Some(features) => vec![features],
            None if self.given_as_content => self.given.clone(),
            None => vec![self.text, self.html],
        }
    }

    /// Whether a table needs a column for each section of the text: it has no HTML in place of all of them.
    pub(crate) fn needs_sections(&self, has_column: impl Fn(Slot) -> bool) -> bool {
        self.sections.iter().any(|(slot, _)| has_column(*slot)) || !has_column(self.html)
    }

    /// Whether this is one of them.
    #[inline]
    pub(crate) fn is_content(&self, slot: Slot) -> bool {
        match self.features {
            Some(features) => slot == features,
            None if self.given_as_content => self.given.contains(&slot),
            None => {
                slot == self.text
                    || slot == self.html
                    || self.sections.iter().any(|(section, _)| *section == slot)
            }
        }
    }

    /// The names of the fields one of which a record needs, for messages.
    pub(crate) fn content_names(&self) -> String {
        self.quoted(&self.whole_content())
    }

    /// Names of fields, for messages: "`text` or `html`".
    fn quoted(&self, slots: &[Slot]) -> String {
        let names: Vec<String> =
            slots.iter().map(|slot| format!("`{}`", self.names[*slot])).collect();
        names.join(" or ")
    }

    /// The setting that names the content.
    pub(crate) fn content_setting(&self) -> &'static str {
        match self.features {
            Some(_) => self.features_setting,
            None if self.given_as_content => "item_fields",
            None => "text_field",
        }
    }

    /// For each slot the column of that name.
    pub(crate) fn columns<S: AsRef<str>>(&self, header: &[S]) -> Vec<Option<usize>> {
        let find = |name: &&str| header.iter().position(|column| column.as_ref() == *name);
        self.names.iter().map(find).collect()
    }

    /// The message for a table without any text column.
    pub(crate) fn no_column<S: AsRef<str>>(&self, header: &[S]) -> String {
        self.without(&self.content(), self.content_setting(), header)
    }

    /// The message for a table without one of some columns that a setting names.
    pub(crate) fn without<S: AsRef<str>>(
        &self,
        slots: &[Slot],
        setting: &str,
        header: &[S],
    ) -> String {
        let names: Vec<&str> = slots.iter().map(|slot| self.names[*slot]).collect();
        let found = suggest::listed(&names, header, 20);
        format!(
            "has no column {}, but {found}; name it with the setting {setting}",
            self.quoted(slots)
        )
    }

    /// The message for a record whose text is null.
    pub(crate) fn null_text(&self) -> String {
        if let Some(features) = self.features {
            let name = self.names[features];
            return format!("`{name}` is null; fill it in or leave the record out");
        }
        if self.given_as_content {
            let names = self.content_names();
            return format!("there is no value in {names}; fill it in or leave the record out");
        }
        let (text, html) = (self.names[self.text], self.names[self.html]);
        format!("`{text}` is null and there is no `{html}`; fill it in or leave the record out")
    }

    /// The message for a record without any text, but with these fields.
    pub(crate) fn no_text(&self, found: &[String], is_there: impl Fn(Slot) -> bool) -> String {
        if let Some((_, path)) = self.sections.iter().find(|(slot, _)| is_there(*slot)) {
            return format!("`{}` has no text; fill it in or leave the record out", path.written);
        }
        let (names, setting) = (self.content_names(), self.content_setting());
        let found = match found {
            [] => "and no other".to_string(),
            found => format!("but {}", found.join(", ")),
        };
        format!("no {names} field, {found}; name it with the setting {setting}")
    }

    /// The fields of [`Fields::named`] that the records of a file need, because its directories do not give
    /// them.
    pub(crate) fn needed(&self, partitions: &Partitions) -> Vec<(Slot, &'static str)> {
        let mut named = self.named();
        named.retain(|(slot, _)| partitions.get(self.names[*slot]).is_none());
        named
    }

    /// The fields that a caller has named, each with its setting, besides that of the content:
    /// those whose name is not the default one.
    pub(crate) fn named(&self) -> Vec<(Slot, &'static str)> {
        let usual = FieldNames::default();
        let all = [
            (self.id, &usual.id, "id_field"),
            (self.url, &usual.url, "url_field"),
            (self.title, &usual.title, "title_field"),
            (self.date, &usual.date, "date_field"),
        ];
        let named = all.into_iter().filter(|(slot, usual, _)| self.names[*slot] != usual.as_str());
        named.map(|(slot, _, setting)| (slot, setting)).collect()
    }
}

/// The id that a list or an object in the field of the id makes: what `compact` makes of it as it is
/// written. A long one is no name of a document.
pub(crate) fn nested_id(written: &str, compact: impl Fn(&str) -> String) -> Option<String> {
    const LONG: usize = 200;
    // What is much longer as written is not made compact to be dropped.
    let short = written.len() <= 10 * LONG;
    short.then(|| compact(written)).filter(|text| text.len() <= LONG)
}

/// The value, unless it is empty.
pub(crate) fn non_empty(value: Cow<'_, str>) -> Option<Cow<'_, str>> {
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
