//! What is wrong with the documents of a commit, if anything.

use super::{DocAt, NEVER, Snapshot};
use crate::scratch::{MakeSets, QueryScratch};
use rayon::prelude::*;
use std::collections::HashMap;

/// Findings of a check at most.
const MOST: usize = 100;

impl Snapshot {
    /// Checks every segment, that no id is live twice in a sweep, and that documents that are not
    /// kept rely on kept ones. With `makers` also that every set is what is posted, and that the
    /// kept documents are those of leader clustering: a kept document has no kept match that
    /// precedes it, and one that is not kept has one. Returns what is wrong.
    #[must_use]
    pub fn check(&self, makers: Option<&MakeSets>) -> Vec<String> {
        let mut wrong: Vec<String> = self
            .segments
            .par_iter()
            .flat_map_iter(|live| {
                let mut maker = makers.map(|makers| makers());
                match &mut maker {
                    Some(maker) => live.segment.check(Some(&mut **maker)),
                    None => live.segment.check(None),
                }
            })
            .collect();
        let mut known: HashMap<(&str, u32), DocAt> = HashMap::new();
        for at in self.documents() {
            let document = self.document(at);
            let (id, sweep) = (document.id(), document.sweep());
            if known.insert((id, sweep), at).is_some() {
                wrong.push(format!("document `{id}` is there twice"));
            }
            let relied = self.relies_on(at);
            let kept =
                relied.map(|number| self.numbered(number).is_some_and(|at| self.is_kept(at)));
            if kept == Some(false) {
                wrong.push(format!("document `{id}` relies on a document that is not kept"));
            }
        }
        if let Some(makers) = makers {
            let documents: Vec<DocAt> = self.documents().collect();
            let more: Vec<String> = documents
                .par_iter()
                .map_init(
                    || QueryScratch::new(makers()),
                    |scratch, &at| self.check_kept(at, scratch),
                )
                .flatten()
                .collect();
            wrong.extend(more);
        }
        wrong.truncate(MOST);
        wrong
    }

    fn check_kept(&self, at: DocAt, scratch: &mut QueryScratch) -> Option<String> {
        let document = self.document(at);
        let id = document.id();
        match self.first_kept(at, &self.rank(at), NEVER, scratch) {
            Err(error) => Some(error.to_string()),
            Ok(Some(other)) if self.is_kept(at) => Some(format!(
                "document `{id}` is kept, and matches `{}`, which precedes it",
                self.document(other).id()
            )),
            Ok(None) if !self.is_kept(at) => {
                Some(format!("document `{id}` is not kept, and matches no kept document"))
            }
            Ok(_) => None,
        }
    }
}
