//! Headings, sentences and tables in, a Markdown page out.

use std::fmt::{Display, Write};

/// One section of the page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    text: String,
}

/// What stands before a table whose numbers differ from run to run.
const TIMES: &str = "*Times: these differ from run to run.*";

impl Page {
    /// A heading of the second level.
    pub(crate) fn heading(&mut self, text: &str) {
        let _ = writeln!(self.text, "## {text}\n");
    }

    /// A paragraph, on one line.
    pub(crate) fn say(&mut self, text: impl Display) {
        let _ = writeln!(self.text, "{text}\n");
    }

    /// A table; every row has as many cells as the header.
    pub(crate) fn table<R: AsRef<[String]>>(
        &mut self,
        header: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        let _ = writeln!(self.text, "| {} |", header.join(" | "));
        let rule: Vec<&str> =
            (0..header.len()).map(|at| if at == 0 { "---" } else { "---:" }).collect();
        let _ = writeln!(self.text, "| {} |", rule.join(" | "));
        for row in rows {
            assert_eq!(row.as_ref().len(), header.len(), "a row does not fit its header");
            let _ = writeln!(self.text, "| {} |", row.as_ref().join(" | "));
        }
        self.text.push('\n');
    }

    /// A table of seconds, marked as one.
    pub(crate) fn times<R: AsRef<[String]>>(
        &mut self,
        header: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        self.say(TIMES);
        self.table(header, rows);
    }

    /// The Markdown.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Cells of a row, each as it is displayed.
#[macro_export]
macro_rules! row {
    ($($cell:expr),+ $(,)?) => { vec![$($cell.to_string()),+] };
}

/// `part / whole` in percent with one decimal; `–` of nothing.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "–".into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// A mean with so many decimals; `–` of nothing.
pub(crate) fn mean(sum: f64, count: usize, decimals: usize) -> String {
    if count == 0 { "–".into() } else { format!("{:.decimals$}", sum / count as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_markdown() {
        let mut page = Page::default();
        page.heading("One");
        page.table(&["a", "b"], [row![1, percent(1, 8)]]);
        page.times(&["s"], [row![mean(0.0, 0, 1)]]);
        assert_eq!(
            page.into_text(),
            "## One\n\n| a | b |\n| --- | ---: |\n| 1 | 12.5 % |\n\n\
             *Times: these differ from run to run.*\n\n| s |\n| --- |\n| – |\n\n"
        );
    }
}
