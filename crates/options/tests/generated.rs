//! What is generated from the table is as it is checked in. `BLESS=1 cargo test -p
//! lookalike-options` writes it.

#![allow(clippy::unwrap_used)]

use lookalike_options::{
    Item, KEEP_RULES, KNOBS, Kind, METHOD, METHOD_OPTIONS, PRESET, SEED, SETTINGS,
};
use std::fmt::Write;
use std::path::Path;

/// Settings that a finished run can be clustered anew by.
const RECLUSTER: [&str; 6] =
    ["threshold", "measure", "linkage", "witness", "keep", "contained-only"];

const HEAD: &str = r#""""The settings as keywords. Generated from crates/options by its test with BLESS=1."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from types import EllipsisType
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack

Threshold = float | str | Fraction | Decimal


class LexiconLike(Protocol):
    """A :class:`Lexicon`: a file with its checksum."""

    @property
    def checksum(self) -> str: ...
    def __fspath__(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class SettingFields:
    """Everything that decides an answer: equal settings over equal documents give equal bytes.

    Settings are immutable, hashable and picklable, and are checked when they are made. :meth:`to_json` writes what
    ``summary.json`` of a run states, which also names the `linkage` that is the default of what was done.

    Parameters
    ----------
"#;

const TAIL: &str = r#"
    Raises
    ------
    SettingsError
        A value that cannot be used.

    Examples
    --------
    >>> import lookalike
    >>> settings = lookalike.Settings(threshold=0.9, keep="longest")
    >>> settings == lookalike.Settings.from_json(settings.to_json())
    True
    >>> settings.replace(threshold=0.7).threshold
    '0.7'
    """

"#;

fn settings() -> impl Iterator<Item = &'static Item> {
    SETTINGS.iter().copied().flatten()
}

/// Type and default of a keyword.
fn python_type(item: &Item) -> (String, String) {
    if let Some((of, usual)) = item.python_type {
        return (of.to_owned(), usual.to_owned());
    }
    let of = match item.kind {
        Kind::Choice(values) => format!("Literal[\"{}\"]", values.join("\", \"")),
        Kind::Ratio => "Threshold".to_owned(),
        Kind::Count(_) | Kind::Size | Kind::Seed => "int".to_owned(),
        Kind::Limit => "int | str".to_owned(),
        _ => "str".to_owned(),
    };
    match item.default {
        Some(usual) => (of, format!("\"{usual}\"")),
        None => (format!("{of} | None"), "None".to_owned()),
    }
}

/// Help with keywords in place of options.
fn python_help(item: &Item) -> String {
    if let Some(help) = item.python_help() {
        return help;
    }
    let mut help = item.help.replace('\\', "\\\\");
    for other in settings().chain(PRESET).chain(KNOBS).chain(SEED) {
        let option = format!("--{}", other.name);
        let mut rest = std::mem::take(&mut help);
        while let Some(at) = rest.find(&option) {
            let behind = rest.split_off(at + option.len());
            rest.truncate(at);
            let whole = !behind.starts_with('-') && !behind.starts_with(char::is_alphanumeric);
            help += &rest;
            help += &if whole { format!("`{}`", other.keyword()) } else { option.clone() };
            rest = behind;
        }
        help += &rest;
    }
    help + "."
}

/// Lines of at most 120 columns.
fn wrapped(text: &str, indent: &str) -> String {
    let (mut out, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && indent.len() + line.chars().count() + word.chars().count() >= 116 {
            writeln!(out, "{indent}{line}").unwrap();
            line.clear();
        }
        line += if line.is_empty() { "" } else { " " };
        line += word;
    }
    out + indent + &line + "\n"
}

fn parameter(item: &Item) -> String {
    let (of, usual) = python_type(item);
    let plain = of.trim_end_matches(" | None").replace("Literal[", "{").replace(']', "}");
    let plain =
        if plain.starts_with('{') { plain } else { of.trim_end_matches(" | None").to_owned() };
    let usual = match usual.as_str() {
        "None" => ", optional".to_owned(),
        "..." => String::new(),
        usual => format!(", default {usual}"),
    };
    let of = plain.replace(" | EllipsisType", "").replace("Threshold", "number or str");
    format!("    {} : {of}{usual}\n{}", item.keyword(), wrapped(&python_help(item), "        "))
}

/// A dictionary of keywords with their types.
fn keywords(name: &str, base: &str, about: &str, items: &[&Item]) -> String {
    let mut out = format!("\n\nclass {name}({base}, total=False):\n    \"\"\"{about}\"\"\"\n\n");
    for item in items {
        writeln!(out, "    {}: {}", item.keyword(), python_type(item).0).unwrap();
    }
    out
}

fn python() -> String {
    let mut out = HEAD.to_owned();
    settings().for_each(|item| out += &parameter(item));
    out += TAIL;
    for item in settings() {
        let (of, usual) = python_type(item);
        writeln!(out, "    {}: {of} = {usual}", item.keyword()).unwrap();
    }
    let methods: Vec<&Item> = METHOD.iter().chain(METHOD_OPTIONS).collect();
    let is_of_method = |item: &&Item| methods.iter().any(|other| other.name == item.name);
    let texts: Vec<&Item> = settings().filter(|item| !is_of_method(item)).collect();
    let recluster: Vec<&Item> = settings().filter(|item| RECLUSTER.contains(&item.name)).collect();
    let parameters: Vec<&Item> = PRESET.iter().chain(KNOBS).collect();
    out += &keywords("TextKeywords", "TypedDict", "Settings but for those of a method.", &texts);
    out += &keywords("ChangeKeywords", "TextKeywords", "All settings.", &methods);
    let about = "Settings, a preset, and parameters of the method.";
    out += &keywords("PlainKeywords", "ChangeKeywords", about, &parameters);
    out += &keywords(
        "SettingsKeywords",
        "PlainKeywords",
        "The same with the seed of the method.",
        &[&SEED[0]],
    );
    let about = "Settings that a finished run can be clustered anew by.";
    out += &keywords("ReclusterKeywords", "TypedDict", about, &recluster);
    out += "\n\n#: Where each setting is in the settings as JSON.\nPATHS: dict[str, tuple[str, ...]] = {\n";
    for item in settings() {
        let path = match item.path().split_once('.') {
            Some((above, name)) => format!("\"{above}\", \"{name}\""),
            None => format!("\"{}\",", item.path()),
        };
        writeln!(out, "    \"{}\": ({path}),", item.keyword()).unwrap();
    }
    out + "}\n"
}

/// Rows of the table of keep rules in docs/how-to/survivors.md.
fn keep_rules() -> String {
    let mut out = "| rule | first comes |\n|---|---|\n".to_owned();
    for rule in KEEP_RULES {
        let form = rule.form().replace('|', "\\|");
        writeln!(out, "| `{form}` | {} |", rule.doc).unwrap();
    }
    out
}

/// Rows of the table of settings in docs/reference/configuration.md.
fn table() -> String {
    let mut out = "| option | in Python | default | |\n|---|---|---|---|\n".to_owned();
    for item in settings() {
        let text = |text: &str| text.replace('|', "\\|");
        let default = item.default.map(|usual| format!("`{usual}`")).unwrap_or_default();
        let names = item.aliases.iter().map(|alias| format!(", `{alias}`")).collect::<String>();
        let (name, keyword, help) = (item.name, item.keyword(), text(item.help));
        writeln!(out, "| `{name}`{names} | `{keyword}` | {default} | {help} |").unwrap();
    }
    out
}

fn check(path: &str, expected: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let expected = expected(&found);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    } else {
        assert_eq!(found, expected, "run it again with BLESS=1");
    }
}

#[test]
fn keywords_of_python() {
    check("bindings/python/python/lookalike/_options.py", |_| python());
}

/// A page with what is between two comments replaced.
fn with(page: &str, name: &str, table: &str) -> String {
    let (before, rest) = page.split_once(&format!("<!-- {name} -->\n")).unwrap();
    let (_, after) = rest.split_once(&format!("<!-- end of {name} -->\n")).unwrap();
    format!("{before}<!-- {name} -->\n{table}<!-- end of {name} -->\n{after}")
}

#[test]
fn tables_of_pages() {
    check("docs/reference/configuration.md", |page| with(page, "settings", &table()));
    check("docs/how-to/survivors.md", |page| with(page, "keep rules", &keep_rules()));
}
