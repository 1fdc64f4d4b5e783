//! What removed documents differ in: a table of counts, examples and pairs.

use super::pair::AlignedPair;
use crate::clean::{self, MEDIUM};
use crate::human::{count, counted, share};
use crate::{DifferenceSummary, Differing, Summary};

/// Kinds shown.
const KINDS: usize = 20;

/// The table.
#[derive(Debug)]
pub(super) struct DifferenceTable {
    /// What the counts are of.
    pub(super) sentence: String,
    pub(super) rows: Vec<DifferenceRow>,
    /// What labels say, and the rules that were found.
    pub(super) found: Vec<(String, String)>,
}

/// A kind of difference.
#[derive(Debug)]
pub(super) struct DifferenceRow {
    pub(super) kind: String,
    /// What it is, where the name does not say it.
    pub(super) meaning: &'static str,
    pub(super) documents: String,
    pub(super) share: String,
    pub(super) percent: String,
    /// A removed document and its witness.
    pub(super) removed: String,
    pub(super) kept: String,
    /// Where the removed document is listed; may be empty.
    pub(super) link: String,
    /// Numbers of the pairs on the page that differ in this.
    pub(super) pairs: Vec<usize>,
}

/// The table of a run; `None` if no texts were compared. `pairs` are those on the page.
pub(super) fn table(
    summary: &Summary,
    pairs: &[AlignedPair],
    linked: bool,
) -> Option<DifferenceTable> {
    let found = summary.differences.as_ref()?;
    let percent = |part: u64| format!("{:.1}", 100.0 * part as f64 / found.compared.max(1) as f64);
    let of = |kind: &str, documents: u64| DifferenceRow {
        kind: clean::line(kind, MEDIUM),
        meaning: meaning(kind),
        documents: count(documents),
        share: share(documents, found.compared),
        percent: percent(documents),
        removed: String::new(),
        kept: String::new(),
        link: String::new(),
        pairs: Vec::new(),
    };
    let row = |differing: &Differing| {
        let Differing { kind, documents, example, .. } = differing;
        let shown = pairs.iter().enumerate().filter(|(_, pair)| pair.kinds.contains(kind));
        DifferenceRow {
            removed: clean::line(&example.removed, MEDIUM),
            kept: clean::line(&example.kept, MEDIUM),
            link: match linked && summary.duplicate_ids == 0 && example.removed.len() <= MEDIUM {
                true => format!("#clusters:q={}", encoded(&example.removed)),
                false => String::new(),
            },
            pairs: shown.map(|(at, _)| at + 1).collect(),
            ..of(kind, *documents)
        }
    };
    let mut rows: Vec<DifferenceRow> = found.kinds.iter().take(KINDS).map(row).collect();
    rows.push(of("ten words or more lost", found.losing_ten_words));
    Some(DifferenceTable { sentence: sentence(found), rows, found: found.found() })
}

fn sentence(found: &DifferenceSummary) -> String {
    let DifferenceSummary { compared, of, .. } = found;
    let number = match compared < of {
        true => format!("A sample of {} of {}", count(*compared), counted(*of, "duplicate")),
        false => counted(*of, "duplicate"),
    };
    format!(
        "{number}, without identical ones, by what differs from the kept document. A document can differ in \
         several of these, or in other words only."
    )
}

fn meaning(kind: &str) -> &'static str {
    match kind {
        "identifiers" => "such as a_b, aB, utf8, CVE-2024-1234, 2.0.1",
        "title" => "words of the title, or else of the first line",
        "title+numbers" => "the title with its numbers",
        "names" => "capitalised words within sentences",
        "symbols" => "that change what a text says",
        "quotation" => "one is a passage of the other",
        "case" => "of the same words",
        "order" => "of the same words",
        "ten words or more lost" => "that the kept document lacks",
        _ => "",
    }
}

/// Text in an address: letters and digits as they are, all other bytes as `%` and two digits.
fn encoded(text: &str) -> String {
    let mut address = String::new();
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => address.push(char::from(byte)),
            false => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DifferenceExample, PairDifference, PairExhibit, SettingsSummary};

    #[test]
    fn rows_have_counts_an_example_and_the_pairs_on_the_page() {
        let pair = |kinds: &[&str]| {
            let kinds = kinds.iter().map(|&kind| kind.to_owned()).collect();
            let difference = Some(PairDifference { lost: 1, added: 0, kinds });
            let pair = PairExhibit { difference, ..PairExhibit::default() };
            let words = |_: &str, _: &mut dyn FnMut(&str, std::ops::Range<usize>)| {};
            AlignedPair::new(&pair, &SettingsSummary::default(), &words, &|| false).unwrap()
        };
        let pairs = [pair(&["title"]), pair(&["numbers"]), pair(&["numbers", "title"])];
        let example = DifferenceExample { removed: "a b".into(), kept: "c".into() };
        let kind = Differing { kind: "numbers".into(), documents: 500, near: 500, example };
        let found = DifferenceSummary {
            compared: 2000,
            of: 31_204,
            losing_ten_words: 20,
            kinds: vec![kind],
            ..DifferenceSummary::default()
        };
        let summary = Summary { differences: Some(found), ..Summary::default() };
        let table = super::table(&summary, &pairs, true).unwrap();
        assert!(table.sentence.starts_with("A sample of 2,000 of 31,204 duplicates, without"));
        let row = &table.rows[0];
        assert_eq!((row.documents.as_str(), row.share.as_str()), ("500", "25.0 %"));
        assert_eq!((row.link.as_str(), &row.pairs[..]), ("#clusters:q=a%20b", &[2, 3][..]));
        assert_eq!((table.rows[1].kind.as_str(), table.rows.len()), ("ten words or more lost", 2));
        assert!(super::table(&Summary::default(), &pairs, true).is_none());
    }
}
