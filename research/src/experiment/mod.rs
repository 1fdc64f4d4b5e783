//! The experiments by name: one line and one file each.

mod banner;
mod best_settings;
mod change;
mod common_shingles;
mod cosine_recall;
mod duplicate_names;
mod edited_copies;
mod imatch_defaults;
mod imatch_filters;
mod judged;
mod mails;
mod quality;
mod ranking;
mod rules;
mod run_time;
mod short_documents;
mod simhash_distance;
mod simhash_features;
mod simhash_figures;
mod simhash_precision;
mod spam;
mod spam_copies;
mod stability;
mod status;
mod storage;
mod super_shingle_sets;
mod syntactic;
mod template_matches;
mod web_queries;

use crate::corpus::Corpus;
use crate::page::Page;
use crate::row;
use anyhow::Result;
use std::path::PathBuf;

/// The collections that were given, by kind.
pub(crate) struct Collections {
    /// News stories.
    pub(crate) news: Vec<Corpus>,
    /// Web pages.
    pub(crate) web: Vec<Corpus>,
    /// Mails, labelled.
    pub(crate) mail: Vec<Corpus>,
    /// Mails, labelled, with campaigns of spam.
    pub(crate) campaigns: Vec<Corpus>,
    /// Licences and notices.
    pub(crate) licences: Vec<Corpus>,
    /// Directories of sweeps, a file of records for each.
    pub(crate) versions: Vec<PathBuf>,
}

impl Collections {
    /// Whether there are no collections of a kind.
    fn lacks(&self, kind: Kind) -> bool {
        match kind {
            Kind::News => self.news.is_empty(),
            Kind::Web => self.web.is_empty(),
            Kind::Mail => self.mail.is_empty(),
            Kind::Versions => self.versions.is_empty(),
        }
    }

    /// Every document of the kinds that the papers had, the campaigns apart: they are edited copies
    /// of mails.
    fn all(&self) -> Result<Corpus> {
        Corpus::joined(self.news.iter().chain(&self.web).chain(&self.mail))
    }
}

/// A kind of collection that an experiment cannot do without.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    News,
    Web,
    Mail,
    Versions,
}

/// A table or a figure, or a few that come from one run.
pub(crate) struct Experiment {
    /// By which it is asked for.
    pub(crate) name: &'static str,
    /// Heading on the page: what, and where in which paper.
    pub(crate) title: &'static str,
    needs: &'static [Kind],
    /// Runs it and writes its section.
    pub(crate) run: fn(&Collections, &mut Page) -> Result<()>,
}

impl Experiment {
    /// A kind of collection that is needed and was not given.
    pub(crate) fn missing(&self, collections: &Collections) -> Option<&'static str> {
        let missing = self.needs.iter().find(|&&kind| collections.lacks(kind));
        missing.map(|kind| match kind {
            Kind::News => "news",
            Kind::Web => "web pages",
            Kind::Mail => "mail",
            Kind::Versions => "sweeps",
        })
    }
}

/// All experiments, in the order of the page.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    syntactic::EXPERIMENT,
    edited_copies::EXPERIMENT,
    short_documents::EXPERIMENT,
    imatch_filters::EXPERIMENT,
    duplicate_names::EXPERIMENT,
    super_shingle_sets::EXPERIMENT,
    judged::EXPERIMENT,
    run_time::EXPERIMENT,
    banner::EXPERIMENT,
    stability::EXPERIMENT,
    cosine_recall::EXPERIMENT,
    template_matches::EXPERIMENT,
    spam::EXPERIMENT,
    spam_copies::EXPERIMENT,
    imatch_defaults::EXPERIMENT,
    simhash_precision::EXPERIMENT,
    simhash_distance::EXPERIMENT,
    simhash_features::EXPERIMENT,
    simhash_figures::EXPERIMENT,
    status::EXPERIMENT,
    common_shingles::EXPERIMENT,
    change::EXPERIMENT,
    best_settings::EXPERIMENT,
];

/// What the page is, and what it was made of.
pub(crate) fn introduce(collections: &Collections, page: &mut Page) {
    page.say("# The papers' experiments, measured again");
    page.say(
        "Written by `make experiments DATA=DIR`; do not edit. Our collections are not the papers' \
         (which are no longer available, or only under licences) and are ten to a thousand times \
         smaller, so what can be compared is the order of the methods and the shape of the \
         curves, not the numbers. Every random choice is seeded, and everything runs on one \
         thread.",
    );
    if cfg!(debug_assertions) {
        page.say("This page was written by a development build: its times are too high.");
    }
    let kinds = [
        ("news", &collections.news),
        ("web", &collections.web),
        ("mail", &collections.mail),
        ("campaigns", &collections.campaigns),
        ("licences", &collections.licences),
    ];
    let rows = kinds.iter().flat_map(|(kind, corpora)| {
        corpora.iter().map(move |corpus| {
            let bytes: usize = corpus.texts.iter().map(|text| text.text.len()).sum();
            row![corpus.name, kind, corpus.len(), format!("{:.1}", bytes as f64 / 1e6)]
        })
    });
    page.table(&["collection", "kind", "documents", "MB of text"], rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn experiments_are_asked_for_by_different_names() {
        let names: BTreeSet<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        assert_eq!(names.len(), EXPERIMENTS.len());
    }
}
