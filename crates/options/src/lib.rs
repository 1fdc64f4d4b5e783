//! The table of settings. A setting is an [`Item`] of one slice; from it come the arguments of the
//! command, keys of TOML files, variables, keywords and documentation of the Python package
//! (`_options.py`) and the table in `docs/reference/configuration.md`. A test writes the last three.

mod settings;

pub use lookalike_cluster::{KEEP_RULES, KeepItem, list_keep_rules};
pub use settings::*;

/// A setting, with what every door says of it.
#[derive(Debug)]
pub struct Item {
    /// Long option of the command and key of a TOML file; `LOOKALIKE_` and its capitals is the
    /// variable.
    pub name: &'static str,
    /// Other names of the option that `--help` shows.
    pub aliases: &'static [&'static str],
    /// Other names of the option that `--help` does not show.
    pub hidden_aliases: &'static [&'static str],
    /// One-letter option.
    pub short: Option<char>,
    /// Name of the value in `--help`; with `|` it shows all values.
    pub value: &'static str,
    /// Values that it takes.
    pub kind: Kind,
    /// Default as typed; `None` if nothing is set.
    pub default: Option<&'static str>,
    /// The default is part of `help`.
    pub default_in_help: bool,
    /// Documentation in a sentence or two.
    pub help: &'static str,
    /// Long form of `help`; `KEEP_RULES` stands for their list.
    pub long_help: Option<&'static str>,
    /// Heading in `--help`.
    pub heading: &'static str,
    /// Settings without which it has no effect.
    pub needs: &'static [&'static str],
    /// Settings that it excludes.
    pub excludes: &'static [&'static str],
    /// Place in the settings as JSON, with dots; empty for the name.
    pub path: &'static str,
    /// Keyword of Python; empty for the name.
    pub keyword: &'static str,
    /// Type and default of the keyword where they do not follow from `kind` and `default`.
    pub python_type: Option<(&'static str, &'static str)>,
    /// Documentation of the keyword; `help` by default, with keywords in place of options.
    /// `KEEP_RULES` stands for their list.
    pub python_help: Option<&'static str>,
}

/// Values of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A text of UTF-8 that is not empty.
    Name,
    /// A decimal, as written.
    Ratio,
    /// A whole number from this one on, of 32 bits.
    Count(u32),
    /// A number of bytes, with a unit.
    Size,
    /// One of these.
    Choice(&'static [&'static str]),
    /// What repeated passages are made of.
    PassageUnit,
    /// Name of an input format.
    Format,
    /// Rules that choose what is kept, separated by commas; may be repeated.
    KeepRules,
    /// What documents need to have in common, separated by commas; may be repeated.
    Distinctions,
    /// Names of fields, separated by commas; may be repeated.
    Names,
    /// A name of a file; may be repeated.
    Files,
    /// A number, a share, or `auto`.
    Limit,
    /// A number of words, or a share of them.
    MaxLost,
    /// Text with the escapes `\n`, `\t` and `\\`.
    Separator,
    /// A character, or `tab`.
    CsvChar,
    /// A character, or `none`.
    CsvQuote,
    /// HTTP status codes.
    Status,
    /// Name of an encoding of text.
    Encoding,
    /// `EXT=COMMAND`; may be repeated.
    Extractors,
    /// 32 hexadecimal digits.
    Checksum,
    /// Name of a preset.
    Preset,
    /// Name of a preset of `decontaminate`.
    ContaminationPreset,
    /// A whole number of 64 bits.
    Seed,
}

impl Kind {
    /// Whether the option may be repeated.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(
            self,
            Self::KeepRules | Self::Distinctions | Self::Names | Self::Files | Self::Extractors
        )
    }
}

impl Item {
    /// The name as an identifier: of the command's argument.
    #[must_use]
    pub fn id(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Long form of the help.
    #[must_use]
    pub fn long_help(&self) -> Option<String> {
        let rules = || list_keep_rules(|_| true, |rule| rule.form() + rule.note, "or");
        self.long_help.map(|help| help.replace("KEEP_RULES", &rules()))
    }

    /// Documentation of the keyword where it is not the help.
    #[must_use]
    pub fn python_help(&self) -> Option<String> {
        let rules = || list_keep_rules(|_| true, |rule| format!("``{}``", rule.form()), "or");
        self.python_help.map(|help| help.replace("KEEP_RULES", &rules()))
    }

    /// Keyword of Python.
    #[must_use]
    pub fn keyword(&self) -> String {
        if self.keyword.is_empty() { self.id() } else { self.keyword.to_owned() }
    }

    /// Place in the settings as JSON.
    #[must_use]
    pub fn path(&self) -> String {
        if self.path.is_empty() { self.id() } else { self.path.to_owned() }
    }
}
