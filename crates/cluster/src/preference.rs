//! The text of the keep rule `prefer(FIELD=VALUE|VALUE)`, and of lists of rules.
//!
//! A value that contains `|`, `)`, `,`, a quotation mark or white space at an end is quoted: `"…"`
//! or `'…'`, with `\\` before a quotation mark or a backslash within.

use crate::rules::{Argument, KEEP_RULES, KeepItem};
use std::fmt;

/// Where the first rule of a list ends.
pub(crate) fn end_of_rule(list: &str) -> usize {
    let has_values = |item: &KeepItem| {
        let rest = list.trim_start().strip_prefix(item.name);
        item.argument == Argument::Values && rest.is_some_and(|rest| rest.starts_with('('))
    };
    if !KEEP_RULES.iter().any(has_values) {
        return list.find(',').unwrap_or(list.len());
    }
    let (mut quote, mut escaped, mut open) = (None, false, true);
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(mark), c) if mark == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, ')') => open = false,
            (None, ',') if !open => return at,
            (None, _) => {}
        }
    }
    list.len()
}

/// The field and the values of a rule, from what follows `(`.
pub(crate) fn parse(inner: &str) -> Option<(String, Vec<String>)> {
    let (field, mut rest) = inner.split_once('=')?;
    let field = field.trim();
    let mut values: Vec<String> = Vec::new();
    loop {
        let (value, after) = value(rest)?;
        // A value that is named twice would be preferred to itself.
        if values.contains(&value) {
            return None;
        }
        values.push(value);
        match after.strip_prefix('|') {
            Some(more) => rest = more,
            None => {
                let whole = after.strip_prefix(')')?.is_empty() && !field.is_empty();
                return whole.then(|| (field.to_owned(), values));
            }
        }
    }
}

/// The first value, and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let Some(mark) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let end = text.find(['|', ')', ',', '"', '\''])?;
        let value = text[..end].trim_end();
        return (!value.is_empty()).then(|| (value.to_owned(), &text[end..]));
    };
    let (mut value, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            c if escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            c if c == mark => return Some((value, text[at + 1..].trim_start())),
            c => value.push(c),
        }
    }
    None
}

/// Writes a rule as [`parse`] reads it.
pub(crate) fn write(field: &str, values: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "({field}=")?;
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            f.write_str("|")?;
        }
        let plain = !value.is_empty()
            && value.trim() == value
            && !value.contains(['|', ')', ',', '"', '\'', '\\']);
        if plain {
            f.write_str(value)?;
        } else {
            write!(f, "\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
    }
    f.write_str(")")
}
