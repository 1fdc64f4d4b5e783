//! Texts with sections: several fields, and members of lists, as the setting `text_field` names them.
//!
//! `instruction,output` is the text of two fields, `messages[].content` that of the member `content` of each
//! object of a list, `messages[role=user].content` of those whose member `role` is `user`, and `paragraphs[]`
//! the strings of a list. A field that has the whole as its name takes precedence.

use crate::FieldNames;

/// Stands between the sections of a text: a control character, which is no part of a word.
pub const SECTION_BREAK: char = '\u{1e}';

/// Where the strings of a section are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SectionPath<'a> {
    /// As it is written.
    pub(crate) written: &'a str,
    /// The name of a field.
    pub(crate) field: &'a str,
    /// How to go on from its value; nothing if it is a text.
    pub(crate) steps: Vec<Step<'a>>,
}

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// Into each element of a list; of one with a condition, into those whose member has a value.
    Each(Option<(&'a str, &'a str)>),
    /// Into a member of an object, which dots lead to.
    Member(&'a str),
}

impl FieldNames {
    /// Whether the text has sections.
    #[must_use]
    pub fn has_sections(&self) -> bool {
        !section_paths(&self.text).is_empty()
    }

    /// The fields that the text is read from.
    #[must_use]
    pub fn text_fields(&self) -> Vec<&str> {
        match section_paths(&self.text).as_slice() {
            [] => vec![&self.text],
            paths => paths.iter().map(|path| path.field).collect(),
        }
    }
}

/// The sections that a name describes; none if it is that of one field.
pub(crate) fn section_paths(name: &str) -> Vec<SectionPath<'_>> {
    let paths: Option<Vec<SectionPath<'_>>> = name.split(',').map(|one| path(one.trim())).collect();
    // What is no description is the name of a field.
    paths.filter(|paths| paths.len() > 1 || !paths[0].steps.is_empty()).unwrap_or_default()
}

fn path(written: &str) -> Option<SectionPath<'_>> {
    let (field, mut rest) = written.split_at(written.find('[').unwrap_or(written.len()));
    if field.is_empty() || field.contains(']') {
        return None;
    }
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (condition, behind) = rest.strip_prefix('[')?.split_once(']')?;
        steps.push(Step::Each(match condition {
            "" => None,
            condition => Some(condition.split_once('=').filter(|(member, _)| !member.is_empty())?),
        }));
        rest = behind;
        if let Some(behind) = rest.strip_prefix('.') {
            let (member, behind) = behind.split_at(behind.find('[').unwrap_or(behind.len()));
            if member.is_empty() || member.contains(']') {
                return None;
            }
            steps.push(Step::Member(member));
            rest = behind;
        }
    }
    Some(SectionPath { written, field, steps })
}

/// Joins the sections of a text.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    text: Option<String>,
}

impl Sections {
    /// Adds a section. An empty one is none, but shows that there is a text.
    pub(crate) fn push(&mut self, section: &str) {
        let text = self.text.get_or_insert_default();
        if section.is_empty() {
            return;
        }
        if !text.is_empty() {
            text.push('\n');
            text.push(SECTION_BREAK);
            text.push('\n');
        }
        let mut parts = section.split(SECTION_BREAK);
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            text.push(' ');
            text.push_str(part);
        }
    }

    /// Bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.text.as_ref().map_or(0, String::len)
    }

    /// The text; `None` if there was no section.
    pub(crate) fn into_text(self) -> Option<String> {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sections_and_of_fields() {
        let paths = section_paths("a.b, messages[role=user].content[].text,x[]");
        let steps = [
            Step::Each(Some(("role", "user"))),
            Step::Member("content"),
            Step::Each(None),
            Step::Member("text"),
        ];
        let found: Vec<_> =
            paths.iter().map(|path| (path.written, path.field, path.steps.as_slice())).collect();
        let expected: [(&str, &str, &[Step<'_>]); 3] = [
            ("a.b", "a.b", &[]),
            ("messages[role=user].content[].text", "messages", &steps),
            ("x[]", "x", &steps[2..3]),
        ];
        assert_eq!(found, expected);
        for field in ["text", "a.b", "score[0]", "a]", "[]", "a[].", "a[]b", "a,", ",a", "a[=x]"] {
            assert_eq!(section_paths(field), [], "{field}");
        }
    }

    #[test]
    fn a_section_has_no_break_of_its_own() {
        let mut sections = Sections::default();
        assert_eq!(sections.len(), 0);
        ["a\u{1e}b", "", "c"].into_iter().for_each(|section| sections.push(section));
        assert_eq!(sections.into_text().as_deref(), Some("a b\n\u{1e}\nc"));
    }
}
