//! Prototypes of a group of reports that is not committed yet.

use super::matching::{Words, comparable, needs_same_words, signature};
use super::options::{By, Way};
use super::score::Score;
use lookalike_core::Overlap;
use lookalike_index::{Ask, DocNumber, DocumentBatch, DocumentView, StoredSignature};
use lookalike_run::index::open::Analysis;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// New prototypes, found as those of the index are.
#[derive(Default)]
pub(super) struct NewPrototypes {
    pub(super) documents: DocumentBatch,
    rows: Vec<NewPrototype>,
    /// By an element of the set, or a key of the method.
    postings: HashMap<u64, Vec<u32>>,
    by_sequence: HashMap<u128, Vec<u32>>,
    ids: BTreeSet<String>,
}

struct NewPrototype {
    size: u32,
    tokens: u32,
    extra: Vec<u8>,
    sequence: lookalike_core::TokenDigest,
    few: bool,
    signature: StoredSignature,
}

impl NewPrototypes {
    /// Adds a message as a prototype, under an id that neither `taken` nor another new one has.
    /// Returns its number among the new ones, and its id.
    pub(super) fn push(
        &mut self,
        way: Way,
        message: &DocumentView<'_>,
        taken: impl Fn(&str) -> bool,
    ) -> (usize, String) {
        let free = |id: &String| !taken(id) && !self.ids.contains(id);
        let numbered = (2..).map(|number: u64| format!("{}#{number}", message.id));
        let mut ids = std::iter::once(message.id.to_owned()).chain(numbered);
        let id = ids.find(free).unwrap_or_default();
        let number = self.rows.len() as u32;
        let of_method = match way.by {
            By::Measure(_) => None,
            By::Method(method) => Some(signature(method, message)),
        };
        for &key in of_method.map_or(message.set, |signature| signature.keys) {
            self.postings.entry(key).or_default().push(number);
        }
        self.by_sequence.entry(message.sequence.0).or_default().push(number);
        self.documents.push(&DocumentView { id: &id, ..*message });
        let signature = of_method.map(|signature| StoredSignature {
            keys: signature.keys.to_vec(),
            sketch: signature.sketch.to_vec(),
            size: signature.size,
            level: signature.level,
            unsigned: signature.unsigned,
        });
        self.rows.push(NewPrototype {
            size: message.set.len() as u32,
            tokens: message.tokens,
            extra: message.extra.to_vec(),
            sequence: message.sequence,
            few: message.few,
            signature: signature.unwrap_or_default(),
        });
        self.ids.insert(id.clone());
        (number as usize, id)
    }

    /// Number of new prototypes.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The id of one.
    pub(super) fn id(&self, number: usize) -> String {
        let zero = DocNumber(0);
        self.documents.get(number, zero, zero, &mut Vec::new()).id.to_owned()
    }

    /// The one that a message matches best, of equal ones the first.
    pub(super) fn best(
        &self,
        analysis: &Analysis,
        way: Way,
        message: &DocumentView<'_>,
    ) -> Option<(usize, Score)> {
        if message.set.is_empty() {
            return None;
        }
        if needs_same_words(way, message) {
            let same = self.by_sequence.get(&message.sequence.0)?;
            let may_match = |&&number: &&u32| self.may_match(analysis, way, message, number);
            return same.iter().find(may_match).map(|&same| (same as usize, Score::ratio(1, 1)));
        }
        let of_method = match way.by {
            By::Measure(_) => None,
            By::Method(number) => Some((number, signature(number, message))),
        };
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for key in of_method.map_or(message.set, |(_, signature)| signature.keys) {
            for &number in self.postings.get(key).into_iter().flatten() {
                *shared.entry(number).or_default() += 1;
            }
        }
        let matches = shared.into_iter().filter_map(|(number, shared)| {
            let row = &self.rows[number as usize];
            if row.few || !self.may_match(analysis, way, message, number) {
                return None;
            }
            let score = match (way.by, of_method) {
                (By::Measure(question), _) => {
                    let counts = Overlap { shared, a: message.set.len() as u32, b: row.size };
                    let sides = match question.ask {
                        Ask::ContainedIn => counts.swapped(),
                        _ => counts,
                    };
                    let reaches = question.measure().reaches(question.threshold, sides);
                    reaches.then(|| Score::of(question.ask, counts))?
                }
                (By::Method(_), Some((method, signed))) => {
                    let method = &analysis.methods[method];
                    let evidence = method.accept(signed, row.signature.view())?;
                    let agreed = method.agreed(evidence, signed, row.signature.view());
                    Score::ratio(agreed.equal, agreed.of)
                }
                (By::Method(_), None) => return None,
            };
            Some((number as usize, score))
        });
        matches.max_by(|a, b| a.1.compare(b.1).then(Reverse(a.0).cmp(&Reverse(b.0))))
    }

    fn may_match(
        &self,
        analysis: &Analysis,
        way: Way,
        message: &DocumentView<'_>,
        number: u32,
    ) -> bool {
        let NewPrototype { tokens, sequence, extra, .. } = &self.rows[number as usize];
        let words = Words { tokens: *tokens, sequence: *sequence, extra };
        comparable(analysis, way, message, &words)
    }
}
