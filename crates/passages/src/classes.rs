//! Groups of anchors with equal keys, and classes of those with equal contexts.

use crate::questions::{Answers, Question, Questions};
use crate::{Anchor, Place, Scope};
use rayon::prelude::*;
use std::ops::Range;

/// Consecutive windows of a document, whose first places are consecutive as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The first of the windows.
    pub at: Place,
    /// Number of windows.
    pub windows: u32,
    /// First place of the first window.
    pub first: Place,
    /// Number of copies of each of the windows, themselves included.
    pub copies: u32,
}

/// Anchors whose keys repeat, by key and context.
#[derive(Debug)]
pub struct Classes {
    /// Members of a class follow each other, the smallest place first; classes of a group as well.
    anchors: Vec<Anchor>,
    classes: Vec<Class>,
    /// The end of each group in `classes`.
    group_ends: Vec<u32>,
}

/// Anchors with the same key and context: their windows are equal one by one.
#[derive(Debug, Clone, Copy)]
struct Class {
    /// The end of its members in `anchors`.
    end: u32,
    /// The question about its windows; `None` if it is the only class of its group.
    question: Option<u32>,
}

/// Which windows are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// The fewest copies, the window itself included.
    pub copies: u32,
    /// The most.
    pub most: u32,
    /// Where they stand.
    pub scope: Scope,
}

/// The documents of the copies of a window.
#[derive(Debug, Clone, Copy)]
struct Copies {
    number: u32,
    /// The smallest and the largest of their documents.
    documents: [u32; 2],
}

impl Copies {
    /// The copies of two classes together.
    fn and(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.documents, other.documents);
        Self { number: self.number + other.number, documents: [a.min(c), b.max(d)] }
    }
}

impl Repeated {
    /// Windows with at least this many copies.
    #[must_use]
    pub fn at_least(copies: u32, scope: Scope) -> Self {
        Self { copies, most: u32::MAX, scope }
    }

    fn holds(self, copies: Copies) -> bool {
        let [least, most] = copies.documents;
        (self.copies..=self.most).contains(&copies.number) && self.scope.joins(least, most)
    }
}

/// Windows of classes that are compared at a time.
const COMPARED: usize = 1 << 22;

impl Classes {
    /// Groups anchors, in any order, and says which windows have to be hashed: those of the first member
    /// of each class, in groups of several classes. O(n log n) for n anchors.
    ///
    /// # Panics
    /// With 2³² anchors or more of keys that repeat.
    #[must_use]
    pub fn new(mut anchors: Vec<Anchor>) -> (Self, Questions) {
        // Minima have low values: their low bits are uniform, and any order of keys will do.
        anchors.par_sort_unstable_by_key(|anchor| {
            let Anchor { key, context, place, windows, offset } = *anchor;
            (key, context, windows, offset, place)
        });
        let mut grouped = Self { anchors: Vec::new(), classes: Vec::new(), group_ends: Vec::new() };
        let mut questions = Vec::new();
        for group in anchors.chunk_by(|a, b| a.key == b.key).filter(|group| group.len() > 1) {
            let is_mixed = !group.iter().all(|anchor| same_class(anchor, &group[0]));
            for class in group.chunk_by(same_class) {
                grouped.anchors.extend_from_slice(class);
                let end =
                    u32::try_from(grouped.anchors.len()).expect("fewer than 2³² anchors repeat");
                let question = is_mixed.then(|| {
                    let Anchor { place, windows, .. } = class[0];
                    questions.push(Question { place, windows, part: 0 });
                    questions.len() as u32 - 1
                });
                grouped.classes.push(Class { end, question });
            }
            grouped.group_ends.push(grouped.classes.len() as u32);
        }
        let (questions, places) = Questions::new(questions);
        for class in &mut grouped.classes {
            class.question = class.question.map(|number| places[number as usize]);
        }
        (grouped, questions)
    }

    /// The first places of all windows that are repeated, in no order.
    #[must_use]
    pub fn pieces(&self, answers: &Answers, repeated: Repeated) -> Vec<Piece> {
        self.pieces_by(answers, repeated, COMPARED)
    }

    fn pieces_by(&self, answers: &Answers, repeated: Repeated, compared: usize) -> Vec<Piece> {
        let groups = 0..self.group_ends.len();
        let of_group = |group: usize| {
            let mut pieces = Vec::new();
            let classes = self.group(group);
            match self.is_mixed(&classes) {
                false => self.of_class(classes.start, repeated, &mut pieces),
                true => self.of_mixed(classes, answers, repeated, compared, &mut pieces),
            }
            pieces
        };
        groups.into_par_iter().flat_map_iter(of_group).collect()
    }

    /// What is known without hashes: the pieces of groups of one class. The anchors of the other groups are
    /// given to `open`, in order: [`Classes::new`] asks the same questions about them.
    #[must_use]
    pub fn settled(&self, repeated: Repeated, mut open: impl FnMut(&Anchor)) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for group in 0..self.group_ends.len() {
            let classes = self.group(group);
            match self.is_mixed(&classes) {
                false => self.of_class(classes.start, repeated, &mut pieces),
                true => classes.for_each(|class| self.members(class).iter().for_each(&mut open)),
            }
        }
        pieces
    }

    /// The classes of a group.
    fn group(&self, number: usize) -> Range<usize> {
        range(self.group_ends.get(number.wrapping_sub(1)), self.group_ends[number])
    }

    /// Whether a group has several classes.
    fn is_mixed(&self, classes: &Range<usize>) -> bool {
        self.classes[classes.start].question.is_some()
    }

    /// The pieces of a class that is the only one of its group.
    fn of_class(&self, class: usize, repeated: Repeated, pieces: &mut Vec<Piece>) {
        let members = self.members(class);
        let copies = self.copies(class);
        let first = members[0].place;
        let piece = |member: &Anchor| Piece {
            at: member.place,
            windows: member.windows.into(),
            first,
            copies: copies.number,
        };
        if repeated.holds(copies) {
            pieces.extend(members.iter().map(piece));
        }
    }

    /// The pieces of a group of several classes: windows are equal if they are as far before the k-gram
    /// and have equal hashes.
    fn of_mixed(
        &self,
        classes: Range<usize>,
        answers: &Answers,
        repeated: Repeated,
        compared: usize,
        pieces: &mut Vec<Piece>,
    ) {
        let leader = |class: usize| self.members(class)[0];
        let farthest = classes.clone().map(|class| leader(class).offset).max().unwrap_or_default();
        // Distances to the k-gram in slices, so that a group of any size takes bounded memory.
        let width = (compared / classes.len()).clamp(1, usize::from(u16::MAX)) as u32;
        let mut entries: Vec<(u32, u64, Place, u32)> = Vec::new();
        let mut found: Vec<(u32, u32, Place, u32)> = Vec::new();
        for nearest in (0..=u32::from(farthest)).step_by(width as usize) {
            entries.clear();
            found.clear();
            for (class, number) in classes.clone().zip(0..) {
                let Anchor { offset, place, windows, .. } = leader(class);
                let hashes = answers.of(self.classes[class].question);
                debug_assert_eq!(hashes.len(), usize::from(windows), "one hash for each window");
                for (window, &hash) in (0..).zip(hashes) {
                    let distance = u32::from(offset) - window;
                    if (nearest..nearest + width).contains(&distance) {
                        entries.push((distance, hash, place.plus(window), number));
                    }
                }
            }
            entries.sort_unstable();
            for equal in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let of_class =
                    |entry: &(u32, u64, Place, u32)| self.copies(classes.start + entry.3 as usize);
                let all = equal.iter().map(of_class).reduce(Copies::and);
                if let Some(Copies { number: copies, .. }) = all.filter(|&all| repeated.holds(all))
                {
                    let first = equal[0].2;
                    found.extend(equal.iter().map(|&(_, _, at, class)| {
                        let window = at.unit - leader(classes.start + class as usize).place.unit;
                        (class, window, first, copies)
                    }));
                }
            }
            found.sort_unstable();
            let follows = |a: &(u32, u32, Place, u32), b: &(u32, u32, Place, u32)| {
                (a.0, a.1 + 1, a.2.plus(1), a.3) == *b
            };
            for consecutive in found.chunk_by(follows) {
                let (class, window, first, copies) = consecutive[0];
                let windows = consecutive.len() as u32;
                let piece = |member: &Anchor| Piece {
                    at: member.place.plus(window),
                    windows,
                    first,
                    copies,
                };
                pieces.extend(self.members(classes.start + class as usize).iter().map(piece));
            }
        }
    }

    /// The copies of each window of a class.
    fn copies(&self, class: usize) -> Copies {
        let members = self.members(class);
        let documents = [members[0], members[members.len() - 1]].map(|one| one.place.document);
        Copies { number: members.len() as u32, documents }
    }

    fn members(&self, class: usize) -> &[Anchor] {
        let before = class.checked_sub(1).map(|before| &self.classes[before].end);
        &self.anchors[range(before, self.classes[class].end)]
    }
}

fn same_class(a: &Anchor, b: &Anchor) -> bool {
    (a.context, a.windows, a.offset) == (b.context, b.windows, b.offset)
}

fn range(start: Option<&u32>, end: u32) -> Range<usize> {
    start.copied().unwrap_or(0) as usize..end as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lengths;
    use crate::anchors::{AnchorScratch, anchors};
    use crate::runs::runs;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slices_of_groups_do_not_show(
            documents in prop::collection::vec(prop::collection::vec(0u64..2, 0..40), 1..6),
            compared in 1usize..40,
        ) {
            let lengths = Lengths::new(6, 2).unwrap();
            let mut all = Vec::new();
            for (document, units) in (0..).zip(&documents) {
                anchors(document, units, lengths, &mut AnchorScratch::default(), |one| all.push(one));
            }
            let (classes, questions) = Classes::new(all);
            let mut answers = Vec::new();
            for (document, units) in (0..).zip(&documents) {
                questions.answer(document, units, lengths, &mut answers);
            }
            let answers = Answers::new(&questions, answers);
            let repeated = Repeated::at_least(2, Scope::Anywhere);
            let of = |compared| runs(classes.pieces_by(&answers, repeated, compared));
            prop_assert_eq!(of(compared), of(COMPARED));
        }
    }
}
