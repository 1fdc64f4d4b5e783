//! Arguments that say what else than a string the content of a record is.

use super::values::utf8;
use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct RecordArgs {
    /// Join lists of strings in text, HTML and title fields with this separator (default: a list is
    /// not a text); \n is a line end, \t a tab
    #[arg(long, value_name = "SEPARATOR", value_parser = separator, help_heading = "Input")]
    pub(crate) join_lists: Option<String>,
    /// Field with a list of integers or strings that is the feature set of the document in place of
    /// its text: any object with features
    #[arg(long, value_name = "NAME", value_parser = utf8(), help_heading = "Input")]
    pub(crate) features_field: Option<String>,
}

/// A separator as typed, with its escapes.
fn separator(typed: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = typed.chars();
    while let Some(next) = rest.next() {
        if next != '\\' {
            out.push(next);
            continue;
        }
        out.push(match rest.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('\\') => '\\',
            _ => return Err("an escape other than \\n, \\t and \\\\".to_owned()),
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::separator;

    #[test]
    fn a_separator_has_escapes() {
        assert_eq!(separator(r"a\n\t\\").as_deref(), Ok("a\n\t\\"));
        assert_eq!(separator("").as_deref(), Ok(""));
        assert!(separator(r"\x").is_err() && separator("\\").is_err());
    }
}
