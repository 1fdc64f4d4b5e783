//! Real collections in; the tables and figures of the papers, measured again, out as Markdown.
//!
//! One file for each experiment, in `experiment/`. Each says what was run, puts the paper's numbers
//! beside ours, and says in a sentence or two where the two agree or why not. The same collections
//! give the same bytes, but for the tables of seconds, which are marked.

mod corpus;
mod edits;
mod experiment;
mod page;
mod run;
mod signatures;
mod spread;
mod tokens;

use anyhow::{Context, Result};
use clap::Parser;
use corpus::Corpus;
use experiment::{Collections, EXPERIMENTS};
use page::Page;
use std::path::PathBuf;

/// Runs the experiments of the papers on collections of yours and prints a page of Markdown.
///
/// A collection is anything that `lookalike` reads: a file or a directory. An experiment that needs
/// a kind of collection that is not given is left out, and the page says so.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// News stories: edited copies, simhash, and the lexicon that other collections are signed
    /// with.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    news: Vec<PathBuf>,
    /// Web pages.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    web: Vec<PathBuf>,
    /// Mails with a field `label` that says `spam` or `ham`.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    mail: Vec<PathBuf>,
    /// Mails of the same kind whose spam comes in campaigns.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    campaigns: Vec<PathBuf>,
    /// Licences and notices.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    licences: Vec<PathBuf>,
    /// Directories of sweeps: one file of records with addresses for each, in the order of names.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    versions: Vec<PathBuf>,
    /// Only these experiments, by the first word of their name.
    #[arg(long, num_args = 1.., value_name = "NAME")]
    only: Vec<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let read = |paths: &[PathBuf]| -> Result<Vec<Corpus>> {
        let one = |path: &PathBuf| {
            Corpus::read(path).with_context(|| format!("cannot read {}", path.display()))
        };
        paths.iter().map(one).collect()
    };
    let collections = Collections {
        news: read(&arguments.news)?,
        web: read(&arguments.web)?,
        mail: read(&arguments.mail)?,
        campaigns: read(&arguments.campaigns)?,
        licences: read(&arguments.licences)?,
        versions: arguments.versions.clone(),
    };
    let wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|n| n == name);
    let mut page = Page::default();
    experiment::introduce(&collections, &mut page);
    for experiment in EXPERIMENTS.iter().filter(|experiment| wanted(experiment.name)) {
        eprintln!("{}", experiment.name);
        page.heading(experiment.title);
        match experiment.missing(&collections) {
            Some(kind) => page.say(format_args!("*Left out: it needs a collection of {kind}.*")),
            None => (experiment.run)(&collections, &mut page).context(experiment.name)?,
        }
    }
    print!("{}", page.into_text());
    Ok(())
}
