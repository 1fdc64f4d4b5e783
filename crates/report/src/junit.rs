//! Outcome of a run as JUnit XML, which services for continuous integration read.
//!
//! Text is escaped for attributes; characters that XML 1.0 does not allow become U+FFFD.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

/// A test case.
#[derive(Debug, Clone, Copy)]
pub struct JunitCase<'a> {
    /// What it belongs to.
    pub class: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The file that it is about.
    pub file: Option<&'a str>,
    /// How it ended.
    pub outcome: JunitOutcome<'a>,
}

/// How a test case ended.
#[derive(Debug, Clone, Copy)]
pub enum JunitOutcome<'a> {
    /// As it should.
    Passed,
    /// Not as it should, which is allowed.
    Skipped(&'a str),
    /// Not as it should.
    Failed {
        /// The kind of failure.
        kind: &'a str,
        /// What is wrong.
        message: &'a str,
    },
}

/// Writer of one suite. Its cases are counted before they are written, as the head says how many there
/// are.
pub struct JunitWriter<W> {
    out: W,
}

impl<W: Write> JunitWriter<W> {
    /// Begins a suite of `cases`, of which `failures` fail and `skipped` are skipped.
    ///
    /// # Errors
    /// A writer that fails.
    pub fn new(mut out: W, suite: &str, [cases, failures, skipped]: [u64; 3]) -> io::Result<Self> {
        let suite = Escaped(suite);
        let counts = format!(
            "name=\"{suite}\" tests=\"{cases}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\""
        );
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites {counts}>\n  <testsuite {counts}>")?;
        Ok(Self { out })
    }

    /// Adds a case.
    ///
    /// # Errors
    /// A writer that fails.
    pub fn case(&mut self, case: &JunitCase<'_>) -> io::Result<()> {
        let JunitCase { class, name, file, outcome } = *case;
        let (class, name) = (Escaped(class), Escaped(name));
        write!(self.out, "    <testcase classname=\"{class}\" name=\"{name}\"")?;
        if let Some(file) = file {
            write!(self.out, " file=\"{}\"", Escaped(file))?;
        }
        match outcome {
            JunitOutcome::Passed => writeln!(self.out, "/>"),
            JunitOutcome::Skipped(message) => {
                let message = Escaped(message);
                writeln!(self.out, "><skipped message=\"{message}\"/></testcase>")
            }
            JunitOutcome::Failed { kind, message } => {
                let (kind, message) = (Escaped(kind), Escaped(message));
                writeln!(self.out, "><failure type=\"{kind}\" message=\"{message}\"/></testcase>")
            }
        }
    }

    /// Ends the suite.
    ///
    /// # Errors
    /// A writer that fails.
    pub fn finish(mut self) -> io::Result<()> {
        writeln!(self.out, "  </testsuite>\n</testsuites>")
    }
}

/// Text in an attribute.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            // Readers make spaces of them.
            '\t' | '\n' | '\r' => write!(f, "&#{};", u32::from(c)),
            '\0'..' ' | '\u{FFFE}' | '\u{FFFF}' => f.write_char('\u{FFFD}'),
            c => f.write_char(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_cases_are_written_in_order() {
        let mut out = Vec::new();
        let mut suite = JunitWriter::new(&mut out, "a&b", [3, 1, 1]).unwrap();
        let (class, file) = ("f.jsonl", Some("f.jsonl"));
        let failed = JunitOutcome::Failed { kind: "near", message: "<\"'\n\u{0}\u{1b}\u{FFFF}é>" };
        suite.case(&JunitCase { class, name: "1", file, outcome: failed }).unwrap();
        let outcome = JunitOutcome::Skipped("s");
        suite.case(&JunitCase { class, name: "2", file: None, outcome }).unwrap();
        let outcome = JunitOutcome::Passed;
        suite.case(&JunitCase { class, name: "3", file: None, outcome }).unwrap();
        suite.finish().unwrap();
        let counts = "name=\"a&amp;b\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"";
        let wanted = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite {counts}>\n    \
             <testcase classname=\"f.jsonl\" name=\"1\" file=\"f.jsonl\"><failure type=\"near\" \
             message=\"&lt;&quot;'&#10;\u{FFFD}\u{FFFD}\u{FFFD}é&gt;\"/></testcase>\n    \
             <testcase classname=\"f.jsonl\" name=\"2\"><skipped message=\"s\"/></testcase>\n    \
             <testcase classname=\"f.jsonl\" name=\"3\"/>\n  </testsuite>\n</testsuites>\n"
        );
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }
}
