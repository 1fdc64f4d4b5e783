//! What is wrong with a segment, if anything.

use super::format::Section;
use super::{Segment, TextReader, columns};
use crate::SetMaker;
use crate::search::PostingList;
use lookalike_core::BitmapSignature;

/// Findings of a check at most.
const MOST: usize = 100;

impl Segment {
    /// Checks checksums, the order of columns and postings, and that ids, addresses and numbers are
    /// found. With a maker of sets also that every set is what is posted. Returns what is wrong.
    ///
    /// Reads the whole file. O(documents + postings), and with a maker one lookup for each element.
    pub fn check(&self, maker: Option<&mut dyn SetMaker>) -> Vec<String> {
        let mut wrong = Vec::new();
        let name = self.path().display().to_string();
        let mut say = |what: String| {
            if wrong.len() < MOST {
                wrong.push(format!("{name}: {what}"));
            }
        };
        for section in self.footer.wrong_checksums(&self.data) {
            say(format!("the checksum of {section} is wrong"));
        }
        if let Some(what) = self.postings.check(&self.data, self.units()) {
            say(what);
        }
        for keys in &self.keys {
            if let Some(what) = keys.check(&self.data, self.documents()) {
                say(format!("keys of a method: {what}"));
            }
        }
        let mut elements = 0;
        let mut end = 0;
        for unit in 0..self.units() {
            let key = |unit: u32| (self.unit_size(unit), self.unit_digest(unit));
            if unit > 0 && key(unit - 1) >= key(unit) {
                say(format!("unit {unit} is out of order"));
            }
            let documents = self.unit_documents(unit);
            if documents.start != end || documents.is_empty() {
                say(format!("unit {unit} has no documents of its own"));
            }
            end = documents.end;
            elements += u64::from(self.unit_size(unit));
        }
        if elements != self.posting_count() {
            say(format!("{} postings of {elements} elements", self.posting_count()));
        }
        for local in 0..self.documents() {
            let (id, url) = (self.id(local), self.url(local));
            if !self.find_id(id).any(|found| found == local) {
                say(format!("document `{id}` is not found by its id"));
            }
            if !url.is_empty() && !self.find_url(url).any(|found| found == local) {
                say(format!("document `{id}` is not found by its address"));
            }
            if self.find_number(self.row(local).number) != Some(local) {
                say(format!("document `{id}` is not found by its number"));
            }
            if self.stored(local).is_none() {
                say(format!("document `{id}` has no text"));
            }
        }
        let hashes = self.section(Section::IdHashes);
        let hash = |at: u64| columns::u64_at(hashes, at);
        if (1..hashes.len() as u64 / 8).any(|at| hash(at - 1) > hash(at)) {
            say("the ids are out of order".into());
        }
        if let Some(maker) = maker {
            self.check_sets(maker, &mut say);
        }
        wrong
    }

    /// Makes every set again and looks it up.
    fn check_sets(&self, maker: &mut dyn SetMaker, say: &mut dyn FnMut(String)) {
        let (mut texts, mut set) = (TextReader::default(), Vec::new());
        for local in 0..self.documents() {
            let id = self.id(local);
            if self.settings.texts {
                match self.text(local, &mut texts) {
                    Ok(text) => maker.make(text, &mut set),
                    Err(error) => {
                        say(error.to_string());
                        continue;
                    }
                }
            } else if let Err(error) = self.stored_set(local, &mut set) {
                say(error.to_string());
                continue;
            }
            let Some(unit) = self.unit_of(local) else {
                if !set.is_empty() {
                    say(format!("document `{id}` has features, and no unit"));
                }
                continue;
            };
            if set.len() as u32 != self.unit_size(unit) {
                say(format!("document `{id}` has another number of features than stored"));
            } else if self.unit_bitmap(unit) != BitmapSignature::of(&set) {
                say(format!("document `{id}` has another bitmap than stored"));
            } else if let Some(element) = set.iter().find(|&&e| !self.lookup(e).contains(unit)) {
                say(format!("element {element:016x} of document `{id}` is not posted"));
            }
        }
    }
}
