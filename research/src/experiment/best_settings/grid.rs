//! The settings that are tried for each method: those of the papers, and a few to either side.
//!
//! Documents too short for a method are signed as one value wherever a method can do so, as the
//! exact join compares them as well.

use crate::corpus::Corpus;
use crate::run::{approach, cosine, resemblance};
use anyhow::Result;
use lookalike_core::Measure;
use lookalike_engine::{Approach, MatchSettings, Verify};
use lookalike_lexicon::Lexicon;
use lookalike_methods::{MethodSpec, methods};
use std::sync::Arc;

/// What is added to a method's parameters if its document frequencies are of news.
pub(super) const OF_NEWS: &str = " (lexicon of news)";

/// The resemblance of near-duplicates.
pub(super) const THRESHOLD: &str = "0.8";

/// A method, or the exact join, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    /// `exact` or the name of the method.
    pub(super) method: &'static str,
    /// The options of the exact join, or the parameters of the method.
    pub(super) parameters: &'static str,
    /// The document frequencies are of news, and not of the documents themselves.
    pub(super) of_news: bool,
}

/// Measure and threshold of the exact join, by the options of the command.
const EXACT: [&str; 8] = [
    "--threshold 0.8",
    "--threshold 0.9",
    "--threshold 0.7",
    "--threshold 0.6",
    "--threshold 0.5",
    "--threshold 0.3",
    "--measure containment --threshold 0.8",
    "--measure cosine --terms kolcz --threshold 0.9",
];

/// The parameters of the methods, by method.
const GRID: [(&str, &[&str]); 14] = [
    ("lexical", &[""]),
    (
        "shingle-equivalent",
        &["w=5,m=1,short=whole", "w=5,m=4,short=whole", "w=10,m=25,short=whole"],
    ),
    (
        "dsc",
        &[
            "w=5,m=4,t=0.7,short=whole",
            "w=5,m=4,t=0.75,short=whole",
            "w=5,m=4,t=0.8,short=whole",
            "w=5,m=8,t=0.75,short=whole",
            "w=5,m=25,t=0.75,short=whole",
            "w=10,m=25,t=0.5,short=whole",
        ],
    ),
    (
        "dsc-variable",
        &[
            "w=5,t=0.7,short=whole",
            "w=5,t=0.75,short=whole",
            "w=5,t=0.8,short=whole",
            "w=10,t=0.5,short=whole",
            "w=10,t=0.7,short=whole",
        ],
    ),
    (
        "dsc-minimum",
        &[
            "w=5,s=50,t=0.75,short=whole",
            "w=5,s=100,t=0.75,short=whole",
            "w=5,s=100,t=0.8,short=whole",
            "w=5,s=200,t=0.75,short=whole",
            "w=5,s=200,t=0.8,short=whole",
            "w=10,s=100,t=0.5,short=whole",
        ],
    ),
    (
        "dsc-ss",
        &[
            "w=5,m=1,n=10,short=whole",
            "w=5,m=1,n=25,short=whole",
            "w=5,m=4,n=2,short=whole",
            "w=5,m=4,n=4,short=whole",
            "w=5,m=4,n=10,short=whole",
            "w=10,m=25,n=2,short=whole",
            "w=10,m=25,n=4,short=whole",
            "w=10,m=25,n=10,short=whole",
        ],
    ),
    (
        "minhash-lsh",
        &[
            "w=5,t=0.8,k=64,recall=0.9,short=whole",
            "w=5,t=0.8,k=128,recall=0.9,short=whole",
            "w=5,t=0.8,k=128,recall=0.95,short=whole",
            "w=5,t=0.8,k=128,recall=0.99,short=whole",
            "w=5,t=0.8,k=256,recall=0.95,short=whole",
            "w=5,t=0.8,k=256,recall=0.99,short=whole",
            "w=5,t=0.85,k=256,recall=0.95,short=whole",
        ],
    ),
    (
        "super-shingles-84",
        &["w=5,short=whole", "w=3,short=whole", "w=1,short=whole", "w=5,slots=kfold,short=whole"],
    ),
    (
        "megashingles",
        &["w=5,short=whole", "w=3,short=whole", "w=1,short=whole", "w=5,slots=kfold,short=whole"],
    ),
    (
        "word-lsh",
        &[
            "t=0.8,short=whole",
            "t=0.85,short=whole",
            "t=0.9,short=whole",
            "t=0.95,recall=0.99,short=whole",
        ],
    ),
    (
        "syntactic",
        &[
            "filter=all",
            "filter=stop",
            "filter=nosc+stem",
            "filter=tg5",
            "filter=kolcz",
            "filter=stop+tg5+tl25+nosc+stem",
        ],
    ),
    (
        "imatch",
        &[
            "filter=idf-l-10,terms=nosc+stem",
            "filter=idf-l-30,terms=nosc+stem",
            "filter=idf-h-30,terms=nosc+stem",
            "filter=doc-l-90,terms=nosc+stem",
            "filter=doc-l-50,terms=nosc+stem",
            "nidf=0.2..0.8,min=5,terms=kolcz",
            "nidf=0.2..0.3,fill=1,min=10,terms=kolcz",
        ],
    ),
    (
        "imatch-random",
        &[
            "terms=kolcz",
            "fill=1,terms=kolcz",
            "copies=5,terms=kolcz",
            "copies=30,terms=kolcz",
            "copies=30,drop=0.5,terms=kolcz",
            "nidf=0.2..0.3,min=10,fill=1,terms=kolcz",
        ],
    ),
    (
        "simhash",
        &[
            "weights=tf,d=0",
            "weights=tf,d=1",
            "weights=tf,d=3",
            "weights=tf,d=6",
            "weights=tf,d=10",
            "d=0",
            "d=1",
            "d=3",
            "d=6",
            "d=10",
        ],
    ),
];

/// All settings of a method; those that need document frequencies once for each lexicon.
pub(super) fn settings(method: &'static str) -> Vec<Setting> {
    let of = |parameters, of_news| Setting { method, parameters, of_news };
    if method == "exact" {
        return EXACT.iter().map(|parameters| of(*parameters, false)).collect();
    }
    let tried = GRID.iter().filter(|(name, _)| *name == method).flat_map(|(_, tried)| *tried);
    tried
        .flat_map(|parameters| {
            let own = of(*parameters, false);
            let news = of(*parameters, true);
            [Some(own), news.needs_lexicon().then_some(news)]
        })
        .flatten()
        .collect()
}

/// The exact join and all methods, in the order of `lookalike methods`.
pub(super) fn rows() -> Vec<&'static str> {
    std::iter::once("exact").chain(methods().map(|about| about.name)).collect()
}

impl Setting {
    /// As in `--method`; the exact join by its options.
    pub(super) fn name(&self) -> String {
        match (self.method, self.parameters) {
            ("exact", options) => options.to_owned(),
            (method, "") => method.to_owned(),
            (method, parameters) => format!("{method}:{parameters}"),
        }
    }

    /// The name in a cell.
    pub(super) fn cell(&self) -> String {
        format!("`{}`{}", self.name(), if self.of_news { OF_NEWS } else { "" })
    }

    /// Whether document frequencies are needed.
    pub(super) fn needs_lexicon(&self) -> bool {
        let spec = self.name().parse::<MethodSpec>();
        spec.is_ok_and(|spec| {
            methods().any(|about| about.name == spec.name && about.needs_statistics(&spec))
        })
    }

    /// The filter of its terms, which is also that of its document frequencies.
    pub(super) fn terms(&self) -> &'static str {
        self.parameters.split(',').find_map(|pair| pair.strip_prefix("terms=")).unwrap_or_default()
    }

    /// What is compared, and how. A method is verified by its own rule unless `exact` says on
    /// complete sets.
    pub(super) fn built(
        &self,
        lexicon: Option<&Arc<Lexicon>>,
        exact: bool,
    ) -> Result<(Approach, MatchSettings)> {
        if self.method != "exact" {
            let mut approach = approach(&self.name(), lexicon)?;
            if exact {
                approach.verify = Verify::Exact;
            }
            return Ok((approach, resemblance(THRESHOLD)?));
        }
        let threshold = self.parameters.rsplit(' ').next().unwrap_or(THRESHOLD);
        let settings = if self.parameters.contains("cosine") {
            cosine(threshold)?
        } else if self.parameters.contains("containment") {
            MatchSettings { measure: Measure::Containment, ..resemblance(threshold)? }
        } else {
            resemblance(threshold)?
        };
        Ok((Approach::default(), settings))
    }

    /// The lexicon that it is given: of its own documents, or of news.
    pub(super) fn lexicon(&self, own: &Corpus, news: &Corpus) -> Result<Option<Arc<Lexicon>>> {
        if !self.needs_lexicon() {
            return Ok(None);
        }
        let corpus = if self.of_news { news } else { own };
        corpus.lexicon(self.terms()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;

    #[test]
    fn every_method_has_settings_that_can_be_built() {
        let texts = corpus(&["a rose is a rose", "is a rose"]);
        for method in rows() {
            let settings = settings(method);
            assert!(!settings.is_empty(), "{method} is not tried");
            for setting in settings {
                let lexicon = setting.lexicon(&texts, &texts).unwrap();
                setting.built(lexicon.as_ref(), true).unwrap_or_else(|error| {
                    panic!("{}: {error:#}", setting.name());
                });
            }
        }
    }

    #[test]
    fn settings_say_what_they_are() {
        let exact = settings("exact");
        let built = |at: usize| exact[at].built(None, false).unwrap().1;
        assert_eq!(built(0).threshold, THRESHOLD.parse().unwrap());
        assert_eq!(
            (built(4).threshold, built(4).measure),
            ("0.5".parse().unwrap(), Measure::Resemblance)
        );
        assert_eq!((built(6).measure, built(7).measure), (Measure::Containment, Measure::Cosine));
        let twice = settings("imatch-random");
        assert_eq!((twice[0].of_news, twice[1].of_news), (false, true));
        assert_eq!(twice[1].cell(), format!("`imatch-random:terms=kolcz`{OF_NEWS}"));
        let once = settings("simhash").iter().filter(|setting| !setting.needs_lexicon()).count();
        assert_eq!(once, 5, "term frequencies need no lexicon");
    }
}
