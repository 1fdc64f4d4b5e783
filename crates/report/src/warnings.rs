//! Warnings derived from the numbers of a summary.

use crate::human::{count, counted, share};
use crate::{
    Action, InputSummary, KeepValues, Summary, SymbolDifferences, SymbolExample, TemplateSite,
};

/// Minimum number of documents of a collection or source for a warning about a share of it.
const ENOUGH: u64 = 20;

/// Maximum number of sources that a warning names.
const NAMED: usize = 3;

/// Kinds of differences that tell documents apart, the title first.
const TELLING: [&str; 3] = ["title", "numbers", "identifiers"];

/// Why `kolcz` may leave little of most documents. Its four characters are a word of Latin script,
/// and two or three words of Chinese or Thai.
const OTHER_SCRIPTS: &str = "the filter counts only words of at least four characters with at most one digit, and \
     scripts such as Chinese, Japanese or Thai have few of those; compare by all terms \
     (the setting terms=all) or by shingles";

impl KeepValues {
    /// The warning about these counts, which are of `documents` in all.
    pub(crate) fn warning(&self, documents: u64) -> String {
        let Self { rule, field, missing, unreadable } = self;
        let kind = match rule.contains(':') {
            true => "number",
            false => "date",
        };
        let lacking = (*missing > 0).then(|| format!("{} lack it", count(*missing)));
        let unreadable =
            (*unreadable > 0).then(|| format!("{} hold no {kind}", count(*unreadable)));
        let reasons: Vec<String> = lacking.into_iter().chain(unreadable).collect();
        format!(
            "The setting keep={rule} uses the field `{field}`: of {}, {}. Documents with a {kind} take \
             precedence over them.",
            counted(documents, "document"),
            reasons.join(", ")
        )
    }
}

impl Summary {
    /// All warnings, most severe first.
    #[must_use]
    pub fn find_warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = self.unreadable().into_iter().collect();
        warnings.extend(self.left_out_warnings());
        warnings.extend(self.skipped_warning());
        if self.documents == 0 {
            warnings.push("No document was read.".to_owned());
            return warnings;
        }
        warnings.extend(self.many_problems());
        warnings.extend(self.symbols());
        warnings.extend(self.differing());
        warnings.extend(self.large_cluster());
        warnings.extend(self.losing_sources());
        warnings.extend(self.templates());
        warnings.extend(self.keep_warnings());
        warnings.extend(self.empty_documents());
        warnings.extend(self.few_features());
        warnings.extend(self.few_terms());
        if self.duplicate_ids > 0 {
            warnings.push(format!(
                "{} the id of an earlier document: join tables by file and record, not by id.",
                if self.duplicate_ids == 1 {
                    "1 document has".to_owned()
                } else {
                    format!("{} documents have", count(self.duplicate_ids))
                }
            ));
        }
        if self.wants_all_pairs() && !self.pairs.complete && self.pairs.listed > 0 {
            warnings.push(format!(
                "The table of pairs is incomplete: it lists {}, limited by the setting max_pairs. The \
                 clusters are not affected.",
                counted(self.pairs.listed, "pair")
            ));
        }
        warnings
    }

    /// Warnings about what was kept that are seen in any case: keep rules without values, and symbols
    /// that were not compared.
    #[must_use]
    pub fn urgent_warnings(&self) -> Vec<String> {
        let mut urgent = self.keep_warnings();
        urgent.extend(self.symbols());
        urgent
    }

    /// Inputs of which an unknown part is missing.
    fn unreadable(&self) -> Option<String> {
        let unreadable = || self.inputs.iter().filter(|input| input.unreadable);
        let named: Vec<&str> = unreadable().take(NAMED).map(|input| input.name.as_str()).collect();
        let more = match self.unreadable_inputs.saturating_sub(named.len() as u64) {
            0 => String::new(),
            more if named.is_empty() => {
                format!(" ({} of the inputs given with the setting against)", count(more))
            }
            more => format!(" and {} more", count(more)),
        };
        (self.unreadable_inputs > 0).then(|| {
            format!(
                "{} could not be read to the end: {}{more}. Their missing documents are neither kept nor \
                 removed; the table `problems` lists where and why.",
                counted(self.unreadable_inputs, "input"),
                named.join(", ")
            )
        })
    }

    /// Documents without a value for a keep rule, one warning for each rule.
    #[must_use]
    pub fn keep_warnings(&self) -> Vec<String> {
        self.keep_values.iter().map(|values| values.warning(self.documents)).collect()
    }

    /// More than 1 % of the records.
    fn many_problems(&self) -> Option<String> {
        let records = self.documents + self.problems;
        (self.problems.saturating_mul(100) > records).then(|| {
            format!(
                "{} ({} of all) could not be used, or only in part.",
                match self.problems {
                    1 => "1 record or file".to_owned(),
                    number => format!("{} records or files", count(number)),
                },
                share(self.problems, records)
            )
        })
    }

    /// Lexically equivalent documents whose symbols differ, and source code compared by words.
    fn symbols(&self) -> Option<String> {
        let Some(found) = &self.symbol_differences else {
            return (self.source_code_inputs > 0).then(|| {
                format!(
                    "{} source code, whose symbols are not compared, as other inputs are none. To compare \
                     them, use the setting tokens symbols.",
                    match self.source_code_inputs {
                        1 => "1 input is".to_owned(),
                        inputs => format!("{} inputs are", count(inputs)),
                    }
                )
            });
        };
        let SymbolDifferences { documents, compared, of, examples } = found;
        let example = |example: &SymbolExample| {
            let SymbolExample { removed, kept, removed_text, kept_text } = example;
            format!("{removed} “{removed_text}”, {kept} “{kept_text}”")
        };
        let of = match compared < of {
            true => format!("the first {} lexically equivalent documents", count(*compared)),
            false => counted(*of, "lexically equivalent document"),
        };
        let examples: Vec<String> = examples.iter().map(example).collect();
        Some(format!(
            "Of {of}, {} from the kept one in symbols, which words do not show: {}. To compare \
             them, use the setting tokens symbols.",
            match documents {
                1 => "1 differs".to_owned(),
                documents => format!("{} differ", count(*documents)),
            },
            examples.join("; ")
        ))
    }

    /// More than a tenth of the near-duplicates differ in something that tells documents apart, or lose
    /// many words. Where boilerplate is removed, only titles count: the texts have it still.
    fn differing(&self) -> Option<String> {
        let found = self.differences.as_ref().filter(|found| found.near >= ENOUGH)?;
        let is_many = |number: u64| number.saturating_mul(10) > found.near;
        let of_near = |number| format!("{} ({})", count(number), share(number, found.near));
        let (mut said, mut listing, mut keeping) = (Vec::new(), Vec::new(), Vec::new());
        let with_boilerplate = self.settings.removes_shingles();
        for name in TELLING.into_iter().take(if with_boilerplate { 1 } else { TELLING.len() }) {
            let kind = found.kinds.iter().find(|kind| kind.kind == name);
            let Some(near) = kind.map(|kind| kind.near).filter(|&near| is_many(near)) else {
                continue;
            };
            let differ = if said.is_empty() { " differ from the kept document" } else { "" };
            said.push(format!("{}{differ} in {name}", of_near(near)));
            listing.push(format!("the setting differs={name}"));
            keeping.push(format!("the setting distinct_by={name}"));
        }
        if is_many(found.losing_ten_words) && !with_boilerplate {
            let lost = of_near(found.losing_ten_words);
            said.push(format!("{lost} have ten words or more that the kept document lacks"));
            listing.push("the setting lost=10".to_owned());
            keeping.push("the setting max_lost=9".to_owned());
        }
        let said = match said.as_slice() {
            [] => return None,
            [one] => one.clone(),
            [some @ .., last] => format!("{} and {last}", some.join(", ")),
        };
        let sample = if found.compared < found.of { " in a sample" } else { "" };
        Some(format!(
            "Of {}{sample}, {said}. They may be other documents: `show` lists them, for example with {}; to \
             keep them, use {}.",
            counted(found.near, "near-duplicate"),
            listing[0],
            keeping[0],
        ))
    }

    /// More than 5 % of the documents in one cluster.
    fn large_cluster(&self) -> Option<String> {
        let large =
            self.documents >= ENOUGH && self.largest_cluster.saturating_mul(20) > self.documents;
        (large && self.largest_cluster > 2).then(|| {
            format!(
                "One cluster holds {} ({} of all): check for templates, error pages or empty forms.",
                counted(self.largest_cluster, "document"),
                share(self.largest_cluster, self.documents)
            )
        })
    }

    /// Sites with removals that only a template explains.
    fn templates(&self) -> Option<String> {
        let sites = &self.template_sites;
        let named: Vec<String> = sites
            .iter()
            .take(NAMED)
            .map(|site| {
                let TemplateSite { site, sampled, mostly_template: found } = site;
                format!(
                    "{site} ({} of {} sampled, {})",
                    count(*found),
                    count(*sampled),
                    share(*found, *sampled)
                )
            })
            .collect();
        let more = match sites.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {} more", count(more as u64)),
        };
        (!sites.is_empty()).then(|| {
            format!(
                "Many removed documents have little in common with the kept one besides the template of \
                 their site: {}{more}. Try the setting boilerplate=auto.",
                named.join(", ")
            )
        })
    }

    /// Sources of some size that lose more than half.
    fn losing_sources(&self) -> Option<String> {
        if self.inputs.len() < 2 {
            return None;
        }
        let mut losing: Vec<&InputSummary> = self
            .inputs
            .iter()
            .filter(|input| {
                input.documents >= ENOUGH && input.removed.saturating_mul(2) > input.documents
            })
            .collect();
        losing.sort_by(|a, b| b.removed.cmp(&a.removed).then_with(|| a.name.cmp(&b.name)));
        let named: Vec<String> = losing
            .iter()
            .take(NAMED)
            .map(|input| format!("{} ({})", input.name, share(input.removed, input.documents)))
            .collect();
        let more = match losing.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {} more", count(more as u64)),
        };
        let sources = if losing.len() == 1 { "this source" } else { "these sources" };
        let lost = match self.action {
            Action::Remove => "were removed as duplicates",
            Action::Mark => "were marked as duplicates",
            Action::List => "are duplicates",
        };
        (!losing.is_empty()).then(|| {
            format!("Over half of the documents in {sources} {lost}: {}{more}.", named.join(", "))
        })
    }

    /// Documents that the setting `min_features` excludes.
    fn few_features(&self) -> Option<String> {
        let few = self.without_features.few_features;
        let filtered = self.settings.terms.as_deref() == Some("kolcz");
        let why = match filtered && few.saturating_mul(2) > self.documents {
            true => format!(" Perhaps {OTHER_SCRIPTS}."),
            false => String::new(),
        };
        (few > 0).then(|| {
            format!(
                "{} ({} of all) {} {}: {} matched only with documents of the same words \
                 (the setting min_features).{why}",
                counted(few, "document"),
                share(few, self.documents),
                if few == 1 { "has" } else { "have" },
                self.settings.under_min_features(),
                if few == 1 { "it is" } else { "they are" }
            )
        })
    }

    /// Documents that are compared although they have few terms.
    fn few_terms(&self) -> Option<String> {
        let few = self.few_terms?;
        Some(format!(
            "{} ({} of all) {} compared by fewer than {} terms: documents that share so few may have nothing \
             else in common; use the setting min_features={}.",
            counted(few.documents, "document"),
            share(few.documents, self.documents),
            if few.documents == 1 { "was" } else { "were" },
            few.fewer_than,
            few.fewer_than
        ))
    }

    /// More than 5 % of the documents.
    fn empty_documents(&self) -> Option<String> {
        let (none, lacking) = (self.without_features.no_words, self.lacking());
        // Only `kolcz` filters.
        let why = match lacking {
            "words" => "is the text in another field?",
            _ if none.saturating_mul(2) > self.documents => OTHER_SCRIPTS,
            _ => "they have no word of at least four characters with at most one digit",
        };
        (none.saturating_mul(20) > self.documents).then(|| {
            format!(
                "{} ({} of all) {} no {lacking}: {}{}",
                counted(none, "document"),
                share(none, self.documents),
                if none == 1 { "has" } else { "have" },
                why,
                if why.ends_with('?') { "" } else { "." }
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DifferenceSummary, Differing, FewTerms, Pairs, WithoutFeatures};

    fn sound() -> Summary {
        Summary {
            documents: 1000,
            kept: 900,
            largest_cluster: 50,
            problems: 10,
            without_features: WithoutFeatures { no_words: 50, ..WithoutFeatures::default() },
            pairs: Pairs { listed: 10, complete: true },
            inputs: vec![input("a", 100, 50), input("b", 900, 50), input("tiny", 2, 2)],
            ..Summary::default()
        }
    }

    fn input(name: &str, documents: u64, removed: u64) -> InputSummary {
        InputSummary { name: name.into(), documents, removed, ..InputSummary::default() }
    }

    #[test]
    fn a_sound_run_at_every_limit_warns_of_nothing() {
        assert_eq!(sound().find_warnings(), Vec::<String>::new());
    }

    #[test]
    fn each_limit_when_passed_warns_once() {
        type Change = fn(&mut Summary);
        let values = |missing, unreadable| KeepValues {
            rule: "max:score".into(),
            field: "score".into(),
            missing,
            unreadable,
        };
        let mut both = sound();
        both.keep_values = vec![values(3, 4)];
        assert_eq!(
            both.find_warnings(),
            [
                "The setting keep=max:score uses the field `score`: of 1,000 documents, 3 lack it, 4 hold no number. \
              Documents with a number take precedence over them."
            ]
        );
        let passed: [(&str, Change); 12] = [
            ("2 inputs are source code, whose symbols are not compared", |s| {
                s.source_code_inputs = 2;
            }),
            (
                "Of the first 1,000 lexically equivalent documents, 2 differ from the kept one in symbols, \
                 which words do not show: b “a > b”, a “a < b”. To compare them, use the setting tokens symbols.",
                |s| {
                    s.symbol_differences = Some(SymbolDifferences {
                        documents: 2,
                        compared: 1000,
                        of: 2000,
                        examples: vec![SymbolExample {
                            removed: "b".into(),
                            kept: "a".into(),
                            removed_text: "a > b".into(),
                            kept_text: "a < b".into(),
                        }],
                    });
                },
            ),
            ("3 documents (0.3 % of all) have fewer than 10 terms: they are matched only", |s| {
                s.without_features.few_features = 3;
                s.settings.min_features = Some(10);
            }),
            ("1 document (0.1 % of all) was compared by fewer than 10 terms", |s| {
                s.few_terms = Some(FewTerms { fewer_than: 10, documents: 1 });
            }),
            (
                "of their site: a.example (12 of 40 sampled, 30.0 %). Try the setting boilerplate=auto.",
                |s| {
                    s.template_sites = vec![TemplateSite {
                        site: "a.example".into(),
                        sampled: 40,
                        mostly_template: 12,
                    }];
                },
            ),
            ("11 records or files (1.1 % of all) could not", |s| s.problems = 11),
            ("One cluster holds 51 documents (5.1 %", |s| s.largest_cluster = 51),
            ("in this source were removed as duplicates: a (51.0 %)", |s| s.inputs[0].removed = 51),
            ("51 documents (5.1 % of all) have no words", |s| s.without_features.no_words = 51),
            ("of 1,000 documents, 2 hold no date", |s| {
                s.keep_values.push(KeepValues {
                    rule: "newest".into(),
                    field: "date".into(),
                    missing: 0,
                    unreadable: 2,
                });
            }),
            ("1 document has the id of an earlier document", |s| s.duplicate_ids = 1),
            ("is incomplete: it lists 10 pairs", |s| {
                s.pairs.complete = false;
                s.action = Action::List;
            }),
        ];
        for (words, change) in passed {
            let mut summary = sound();
            change(&mut summary);
            let warnings = summary.find_warnings();
            assert_eq!(warnings.len(), 1, "{words}: {warnings:?}");
            assert!(warnings[0].contains(words), "{words}: {warnings:?}");
        }
    }

    #[test]
    fn near_duplicates_that_differ_in_what_tells_documents_apart() {
        let of = |near, kinds: &[(&str, u64)], losing_ten_words| {
            let mut summary = sound();
            let differing = |&(kind, near): &(&str, u64)| Differing {
                kind: kind.into(),
                documents: near + 100,
                near,
                ..Differing::default()
            };
            summary.differences = Some(DifferenceSummary {
                compared: near + 100,
                of: near + 100,
                near,
                losing_ten_words,
                kinds: kinds.iter().map(differing).collect(),
                ..DifferenceSummary::default()
            });
            summary.find_warnings()
        };
        // A tenth is not more than a tenth, other kinds are not told, and few are no share.
        let none = Vec::<String>::new();
        assert_eq!(of(1000, &[("numbers", 100), ("names", 900)], 100), none);
        assert_eq!(of(19, &[("numbers", 19)], 19), none);
        assert_eq!(
            of(1000, &[("numbers", 101), ("title", 300), ("title+numbers", 900)], 101),
            [
                "Of 1,000 near-duplicates, 300 (30.0 %) differ from the kept document in title, 101 (10.1 %) in \
              numbers and 101 (10.1 %) have ten words or more that the kept document lacks. They may be other \
              documents: `show` lists them, for example with the setting differs=title; to keep them, use the \
              setting distinct_by=title."
            ]
        );
        assert_eq!(
            of(20, &[], 3),
            [
                "Of 20 near-duplicates, 3 (15.0 %) have ten words or more that the kept document lacks. They may \
              be other documents: `show` lists them, for example with the setting lost=10; to keep them, use \
              the setting max_lost=9."
            ]
        );
    }

    #[test]
    fn a_filter_that_leaves_little_of_a_script_is_explained() {
        let of = |no_words| {
            let mut summary = sound();
            summary.settings.terms = Some("kolcz".into());
            summary.without_features.no_words = no_words;
            summary.find_warnings()
        };
        assert_eq!(of(50), Vec::<String>::new());
        let [some] = &of(500)[..] else { panic!("one warning") };
        assert!(
            some.starts_with("500 documents (50.0 % of all) have no terms: they have"),
            "{some}"
        );
        assert!(!some.contains("Thai"), "{some}");
        let [most] = &of(501)[..] else { panic!("one warning") };
        assert!(
            most.starts_with("501 documents (50.1 % of all) have no terms: the filter"),
            "{most}"
        );
        assert!(most.contains("Thai") && most.contains("the setting terms=all"), "{most}");
        let few = |few_features| {
            let mut summary = sound();
            summary.settings.terms = Some("kolcz".into());
            summary.without_features.few_features = few_features;
            summary.find_warnings().concat()
        };
        assert!(!few(500).contains("Thai") && few(501).contains("the setting terms=all"));
    }

    #[test]
    fn many_losing_sources_are_counted_beyond_three() {
        let mut summary = sound();
        summary.inputs = (0..5).map(|i| input(&format!("s{i}"), 100, 60 + i)).collect();
        let warnings = summary.find_warnings();
        assert_eq!(
            warnings,
            ["Over half of the documents in these sources were removed as duplicates: \
              s4 (64.0 %), s3 (63.0 %), s2 (62.0 %) and 2 more."]
        );
    }

    #[test]
    fn nothing_read_is_all_there_is_to_say() {
        assert_eq!(Summary::default().find_warnings(), ["No document was read."]);
    }
}
