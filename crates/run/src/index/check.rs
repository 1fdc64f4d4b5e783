//! What is wrong with an index, if anything.

use super::open::{Analysis, Index};
use super::passage_keys::PassageKeyScratch;
use super::sweeps::table;
use crate::LookalikeError;
use crate::analysis::pool;
use crate::panics::caught;
use crate::settings::thread_count;
use lookalike_index::{DocAt, RealDisk, Snapshot, TextReader, check_files};
use rayon::prelude::*;
use std::path::Path;

/// Checks an index: the structure, checksums, state and records of its store, checksums, order and
/// numbers of all segments, and that both say the same. `deep` also makes every set from its text
/// and compares it with the postings, and decides again which documents are kept. Returns what is
/// wrong.
///
/// Reads all files, and changes none. The index may be written to at the same time: the last commit
/// is checked.
///
/// # Errors
/// A directory without an index, an index of another version.
pub fn check_index(dir: &Path, deep: bool, threads: usize) -> Result<Vec<String>, LookalikeError> {
    let pool = pool(thread_count(threads))?;
    caught(|| {
        pool.install(|| {
            let (description, _) = Analysis::of(dir, &RealDisk)?;
            let mut wrong = check_files(&RealDisk, dir, &description);
            match documents(dir, deep) {
                Ok(more) => wrong.extend(more),
                // It cannot be opened: as one finding among others.
                Err(error) => wrong.push(error.to_string()),
            }
            let mut seen = std::collections::HashSet::new();
            wrong.retain(|what| seen.insert(what.clone()));
            Ok(wrong)
        })
    })
}

/// What is wrong with the documents of the last commit, and the records about them.
fn documents(dir: &Path, deep: bool) -> Result<Vec<String>, LookalikeError> {
    let index = Index::open(dir)?;
    let snapshot = index.snapshot()?;
    let makers = index.analysis.makers();
    let mut wrong = snapshot.check(deep.then_some(&makers));
    if deep {
        wrong.extend(passage_keys(&index, &snapshot));
    }
    let sweeps = table::all(&index.reader.records()?)?;
    let known = |number: u32| number == 0 || sweeps.iter().any(|sweep| sweep.number == number);
    let strays = snapshot.documents().filter(|&at| !known(snapshot.document(at).sweep())).count();
    // A writer may have removed a sweep between the two.
    if strays > 0 && index.reader.records()?.commit() == snapshot.commit() {
        wrong.push(format!("{strays} documents are of sweeps that the store does not name"));
    }
    Ok(wrong)
}

/// Documents whose keys of passages are not those of their texts.
fn passage_keys(index: &Index, snapshot: &Snapshot) -> Vec<String> {
    let Some(keys) = &index.analysis.passages else { return Vec::new() };
    let method = index.analysis.passage_method();
    let documents: Vec<DocAt> = snapshot.documents().collect();
    let buffers = <(TextReader, PassageKeyScratch)>::default;
    let wrong = documents.par_iter().map_init(buffers, |(texts, scratch), &at| {
        let document = snapshot.document(at);
        // A text that cannot be read was found already.
        let made = keys.sign(document.text(texts).ok()?, scratch);
        let differ = made != document.signature(method);
        differ.then(|| {
            format!("document `{}` has other keys of passages than its text", document.id())
        })
    });
    wrong.flatten().take_any(MOST).collect()
}

/// Findings about documents at most.
const MOST: usize = 100;
