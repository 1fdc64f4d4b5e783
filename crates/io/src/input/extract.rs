//! Commands that extract the text of files of other formats.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A command for the files with an extension, written `pdf=pdftotext -q {} -`. Words are separated by spaces;
/// quotes (`'` or `"`) keep words together. There is no shell: `{}` is replaced by the file as one argument.
///
/// ```
/// use lookalike_io::Extractor;
///
/// let pdf: Extractor = "pdf=pdftotext -q {} -".parse()?;
/// assert_eq!(pdf.command(), ["pdftotext", "-q", "{}", "-"]);
/// assert!("pdf=pdftotext".parse::<Extractor>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Extractor {
    /// As written.
    written: String,
    extension: String,
    command: Vec<String>,
}

impl Extractor {
    /// The program and its arguments, of which at least one is `{}`.
    #[must_use]
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// As results record it: URLs in the command are without what may be secret.
    #[must_use]
    pub fn recorded(&self) -> Self {
        lookalike_store::recorded_url(&self.written).parse().unwrap_or_else(|_| self.clone())
    }

    /// Whether its program is there: the file that it names, or one of that name in a directory of the
    /// variable `PATH`. Other systems than Unix complete names, and are believed.
    pub(crate) fn has_program(&self) -> bool {
        let Some(program) = self.command.first() else { return false };
        let is_there = |path: &Path| {
            let metadata = std::fs::metadata(path);
            metadata.is_ok_and(|found| found.is_file() && is_executable(&found))
        };
        match Path::new(program).components().count() > 1 || program.starts_with('/') {
            _ if cfg!(not(unix)) => true,
            true => is_there(Path::new(program)),
            false => std::env::var_os("PATH").is_none_or(|path| {
                std::env::split_paths(&path).any(|at| is_there(&at.join(program)))
            }),
        }
    }

    /// The extension of its files, as written and without the dot.
    pub(crate) fn extension(&self) -> &str {
        &self.extension
    }

    /// Whether it is for the files of another command. Case does not matter.
    pub(crate) fn is_for_those_of(&self, other: &Self) -> bool {
        self.extension.eq_ignore_ascii_case(&other.extension)
    }

    /// Whether it is for a file of this name.
    pub(crate) fn is_for(&self, name: &Path) -> bool {
        let extension = name.extension().and_then(std::ffi::OsStr::to_str);
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(&self.extension))
    }
}

impl FromStr for Extractor {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let (extension, command) = written.split_once('=').unwrap_or_default();
        let extension = extension.trim_start_matches('.').to_owned();
        if extension.is_empty() || !extension.chars().all(char::is_alphanumeric) {
            return Err("write EXTENSION=COMMAND, such as pdf='pdftotext -q {} -'".to_owned());
        }
        let command = words(command).ok_or("a quote is not closed; close it")?;
        if command.len() < 2 || command[0] == "{}" || !command.iter().any(|word| word == "{}") {
            return Err("the command needs a program and an argument {} for the file; write \
                        pdf='pdftotext -q {} -'"
                .to_owned());
        }
        Ok(Self { written: written.to_owned(), extension, command })
    }
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}

/// The words of a command; `None` if a quote is not closed.
fn words(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in command.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '\'' || letter == '"' => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

impl fmt::Display for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl TryFrom<String> for Extractor {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        written.parse()
    }
}

impl From<Extractor> for String {
    fn from(extractor: Extractor) -> Self {
        extractor.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn programs_are_looked_for() {
        let has = |command: &str| command.parse::<Extractor>().unwrap().has_program();
        assert!(has("x=sh {}") && has("x=/bin/sh {}"));
        for missing in ["x=no-such-program {}", "x=./sh {}", "x=/bin {}", "x=/etc/passwd {}"] {
            assert!(!has(missing), "{missing}");
        }
    }

    #[test]
    fn commands_are_split_into_words() {
        let command = |written: &str| written.parse::<Extractor>().map(|e| e.command);
        let expected = ["a b", "", "c=d", "{}"].map(str::to_owned).to_vec();
        assert_eq!(command("PDF='a b' \"\"  c=d {}"), Ok(expected));
        for wrong in
            ["", "pdf", "=a {}", "p f=a {}", "pdf=", "pdf=a", "pdf={} a", "pdf=a x{}", "pdf=a '{}"]
        {
            assert!(command(wrong).is_err(), "{wrong}");
        }
        let pdf: Extractor = ".pdf=a {}".parse().unwrap();
        assert!(pdf.is_for(Path::new("x.PDF")) && !pdf.is_for(Path::new("pdf")));
    }
}
