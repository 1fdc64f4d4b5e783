//! What is wrong with a segment, if anything.

use super::columns::{self, STRINGS};
use super::compose::count_common;
use super::format::Section;
use super::sets::is_of;
use super::{Segment, TextReader};
use crate::SetMaker;
use crate::disk::ReadOrder;
use crate::search::{CommonShare, PostingList};
use lookalike_core::BitmapSignature;

/// Findings of a check at most.
const MOST: usize = 100;

impl Segment {
    /// The names of sections whose checksums are wrong. Reads the whole file.
    pub(crate) fn wrong_checksums(&self) -> Vec<&'static str> {
        self.footer.wrong_checksums(&self.data)
    }

    /// Checks checksums, the order of columns and postings, and that ids, addresses, numbers and
    /// keys are found. With a maker of sets also that every set is what is posted. Returns what is
    /// wrong, up to 100 findings.
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
        self.expect(ReadOrder::Sequential);
        for section in self.wrong_checksums() {
            say(format!("the checksum of {section} is wrong"));
        }
        self.check_postings(&mut say);
        self.check_units(&mut say);
        self.check_documents(&mut say);
        (0..self.settings.methods).for_each(|method| self.check_keys(method as usize, &mut say));
        if let Some(maker) = maker {
            self.check_sets(maker, &mut say);
        }
        self.expect(ReadOrder::Random);
        wrong
    }

    /// Checks the postings, and what is counted over them.
    fn check_postings(&self, say: &mut dyn FnMut(String)) {
        let mut common = vec![0; self.units() as usize];
        let each = |entries: &[u64]| count_common(entries, &mut common);
        if let Some(what) = self.postings.check(&self.data, self.units(), each) {
            return say(what);
        }
        let wrong = (0..).zip(common).zip(self.common_shares()).find(|((unit, common), share)| {
            CommonShare::new(*common, self.unit_size(*unit)).0 != **share
        });
        if let Some(((unit, _), _)) = wrong {
            say(format!("unit {unit} has another share of common elements than stored"));
        }
    }

    fn check_units(&self, say: &mut dyn FnMut(String)) {
        let (mut posted, mut end) = (0, 0);
        for unit in 0..self.units() {
            let key = |unit: u32| (self.unit_size(unit), self.unit_digest(unit));
            if unit > 0 && key(unit - 1) >= key(unit) {
                say(format!("unit {unit} is out of order"));
            }
            let documents = self.unit_documents(unit);
            let stored_end = columns::u32_at(self.section(Section::UnitEnds), unit);
            if documents.start != end || documents.is_empty() || documents.end != stored_end {
                say(format!("unit {unit} has no documents of its own"));
            }
            let number = |local| self.row(local).number;
            if documents.clone().skip(1).any(|local| number(local - 1) >= number(local)) {
                say(format!("the documents of unit {unit} are out of order"));
            }
            end = documents.end;
            posted += u64::from(self.settings.posted(self.unit_size(unit)));
        }
        if posted != self.posting_count() {
            say(format!("{} postings, where sets have {posted} to post", self.posting_count()));
        }
    }

    fn check_documents(&self, say: &mut dyn FnMut(String)) {
        let mut end = 0;
        for local in 0..self.documents() {
            let (id, url) = (self.id(local), self.url(local));
            for column in 0..STRINGS {
                match self.string(local, column) {
                    Some(string) => end += string.len() as u64,
                    None => say(format!("string {column} of document `{id}` has no bytes")),
                }
            }
            let text = |column| str::from_utf8(self.string(local, column).unwrap_or_default());
            if (0..STRINGS - 1).any(|column| text(column).is_err()) {
                say(format!("a string of document `{id}` is not UTF-8"));
            }
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
        if end != self.section(Section::Strings).len() as u64 {
            say("the strings do not fill their section".into());
        }
        for (section, name) in [(Section::IdHashes, "ids"), (Section::UrlHashes, "addresses")] {
            let hashes = self.section(section);
            let hash = |at: u64| columns::u64_at(hashes, at);
            if (1..hashes.len() as u64 / 8).any(|at| hash(at - 1) > hash(at)) {
                say(format!("the {name} are out of order"));
            }
        }
    }

    /// Checks that the keys of a method are those of the signatures.
    fn check_keys(&self, method: usize, say: &mut dyn FnMut(String)) {
        let keys = &self.keys[method];
        if let Some(what) = keys.check(&self.data, self.documents(), |_| {}) {
            return say(format!("keys of method {method}: {what}"));
        }
        let mut count = 0;
        for local in 0..self.documents() {
            let signature = self.signature(method, local);
            count += signature.keys.len() as u64;
            let is_posted = |key: &u64| self.documents_with_key(method, *key).contains(local);
            if !signature.keys.iter().all(is_posted) {
                say(format!(
                    "a key of document `{}`, method {method}, is not posted",
                    self.id(local)
                ));
            }
        }
        if count != keys.entries() {
            say(format!("{} postings of {count} keys of method {method}", keys.entries()));
        }
    }

    /// Makes every set again and looks it up.
    fn check_sets(&self, maker: &mut dyn SetMaker, say: &mut dyn FnMut(String)) {
        let (mut texts, mut set, mut buffer) = (TextReader::default(), Vec::new(), Vec::new());
        for local in 0..self.documents() {
            let id = self.id(local);
            let made = match self.settings.texts {
                true => self
                    .text(local, &mut texts)
                    .map(|text| maker.make(text, self.extra(local), &mut set)),
                false => self.stored_set(local, &mut set).map(|()| None),
            };
            let made = match made {
                Ok(made) => made,
                Err(error) => {
                    say(error.to_string());
                    continue;
                }
            };
            let Some(unit) = self.unit_of(local) else {
                if !set.is_empty() {
                    say(format!("document `{id}` has features, and no unit"));
                }
                continue;
            };
            let row = self.row(local);
            let stored = self.unit_digest(unit);
            let is_right = match (row.few, self.settings.texts) {
                (true, _) => stored == maker.few_unit(row.sequence, self.extra(local)),
                (false, true) => made == Some(stored),
                (false, false) => is_of(stored, &set),
            };
            if !is_right {
                say(format!("document `{id}` has another set than its unit"));
            } else if set.len() as u32 != self.unit_size(unit) {
                say(format!("document `{id}` has another number of features than stored"));
            } else if self.unit_bitmap(unit) != BitmapSignature::of(&set) {
                say(format!("document `{id}` has another bitmap than stored"));
            } else {
                let mut posted = self.settings.posted_of(&set, &mut buffer).iter();
                if let Some(element) = posted.find(|&&e| !self.lookup(e).contains(unit)) {
                    say(format!("element {element:016x} of document `{id}` is not posted"));
                }
            }
        }
    }
}
