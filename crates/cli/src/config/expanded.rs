//! Patterns that the shell has expanded behind an option with one value: `--labels l/*.csv` becomes
//! `--labels l/a.csv l/b.csv`, and the second file would be an input.

use super::options::{Leaf, is_flag};
use crate::exit::WrongUsage;
use clap::Arg;
use std::ffi::OsString;
use std::path::Path;

/// Refuses words that look so: the value of an option and the word behind it are files of one directory
/// and one extension, in the order of their names, and there is another input. Between options, files
/// that are meant as inputs can stand before the option, or the option be written with `=`.
pub(super) fn refuse(leaf: &Leaf<'_>, words: &[OsString]) -> Result<(), WrongUsage> {
    let inputs = leaf.arguments().filter(|argument| argument.is_positional());
    let given: usize = inputs.map(|argument| leaf.values(argument).len()).sum();
    if given < 2 {
        return Ok(());
    }
    for pair in words.windows(3) {
        let [option, value, next] = pair else { continue };
        if option == "--" {
            break;
        }
        if takes_one(leaf, option) && is_expansion(Path::new(value), Path::new(next)) {
            let (option, value) = (option.display(), value.display());
            return Err(WrongUsage(format!(
                "{option} takes one file, and {} behind {value} would be an input: was a pattern expanded \
                 by the shell? Give one file; if it is meant as an input, write {option}={value}",
                next.display()
            )));
        }
    }
    Ok(())
}

/// Whether a word is an option that takes one value, in the word behind it.
fn takes_one(leaf: &Leaf<'_>, word: &OsString) -> bool {
    let is_called = |argument: &&Arg| {
        let long = argument.get_long_and_visible_aliases().unwrap_or_default();
        let short = argument.get_short().is_some_and(|short| *word == *format!("-{short}"));
        short || long.iter().any(|long| *word == *format!("--{long}"))
    };
    let one = |argument: &Arg| argument.get_num_args().is_none_or(|range| range.max_values() == 1);
    let found = leaf.command.get_arguments().find(is_called);
    found.is_some_and(|argument| !is_flag(argument) && one(argument))
}

/// Whether two files can come from one pattern, in this order.
fn is_expansion(value: &Path, next: &Path) -> bool {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    value.is_file()
        && next.is_file()
        && value.parent() == next.parent()
        && value.extension().is_some()
        && value.extension() == next.extension()
        && name(value) < name(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn is_refused(words: &[&str]) -> bool {
        let mut command = crate::args::Cli::command();
        command.build();
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let matches = command.clone().ignore_errors(true).try_get_matches_from(&words).unwrap();
        refuse(&Leaf::of(&command, &matches).unwrap(), &words[2..]).is_err()
    }

    #[test]
    fn an_expanded_pattern_is_seen() {
        let folder =
            std::env::temp_dir().join(format!("lookalike-expanded-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str| {
            std::fs::write(folder.join(name), "").unwrap();
            folder.join(name).display().to_string()
        };
        let (a, b, other) = (&*file("a.csv"), &*file("b.csv"), &*file("docs.jsonl"));
        let with_equals = &*format!("--labels={a}");
        for refused in [
            &["--labels", a, b, other][..],
            &[other, "--labels", a, b],
            &[other, "--config", a, b, "--shingle", "3"],
        ] {
            assert!(is_refused(&[&["lookalike", "evaluate"], refused].concat()), "{refused:?}");
        }
        for meant in [
            &["--labels", a, other][..],
            &["--labels", a, b],
            &["--labels", b, a, other],
            &[with_equals, b, other],
            &[b, other, "--labels", a],
            &["--", "--labels", a, b],
        ] {
            assert!(!is_refused(&[&["lookalike", "evaluate"], meant].concat()), "{meant:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
