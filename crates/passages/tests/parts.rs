//! Anchors that are grouped part by part, by their keys, have the runs of all at once.

use lookalike_passages::anchors::{AnchorScratch, anchors};
use lookalike_passages::classes::{Classes, Piece, Repeated};
use lookalike_passages::questions::{Answers, Questions};
use lookalike_passages::{Anchor, Finder, Lengths, Scope, runs};
use proptest::prelude::*;

/// The runs of documents whose anchors are in parts by their keys.
fn by_parts(
    documents: &[Vec<u64>],
    lengths: Lengths,
    repeated: Repeated,
    parts: u16,
) -> Vec<Piece> {
    let mut of_parts: Vec<Vec<Anchor>> = vec![Vec::new(); parts.into()];
    for (document, units) in (0..).zip(documents) {
        anchors(document, units, lengths, &mut AnchorScratch::default(), |anchor| {
            of_parts[(anchor.key % u64::from(parts)) as usize].push(anchor);
        });
    }
    let (mut pieces, mut open, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    for (part, anchors) in (0..).zip(of_parts) {
        let (classes, questions) = Classes::new(anchors);
        asked.extend(questions.in_part(part));
        let mut mixed = Vec::new();
        pieces.extend(classes.settled(repeated, |anchor| mixed.push(*anchor)));
        open.push(mixed);
    }
    let questions = Questions::of_parts(asked);
    let mut answers: Vec<Vec<u64>> = vec![Vec::new(); parts.into()];
    for (document, units) in (0..).zip(documents) {
        let mut hashes = Vec::new();
        questions.answer(document, units, lengths, &mut hashes);
        let mut hashes = hashes.into_iter();
        for question in questions.of(document) {
            let of_question = hashes.by_ref().take(question.windows.into());
            answers[usize::from(question.part)].extend(of_question);
        }
        assert_eq!(hashes.next(), None, "a hash for each window");
    }
    for (open, hashes) in open.into_iter().zip(answers) {
        let (classes, questions) = Classes::new(open);
        let windows: usize = questions.windows().map(|(_, windows)| windows).sum();
        assert_eq!(windows, hashes.len(), "the same questions");
        pieces.extend(classes.pieces(&Answers::new(&questions, hashes), repeated));
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn parts_do_not_show(
        documents in prop::collection::vec(prop::collection::vec(0u64..3, 0..60), 1..8),
        (window, gram) in (2usize..9).prop_flat_map(|window| (Just(window), 1..=window)),
        copies in 2u32..4,
        scope in prop::sample::select(vec![Scope::Anywhere, Scope::Across]),
        parts in 1u16..6,
    ) {
        let lengths = Lengths::new(window, gram).unwrap();
        let repeated = Repeated::at_least(copies, scope);
        let found = runs::runs(by_parts(&documents, lengths, repeated, parts));
        let finder = Finder::new(lengths).with_copies(copies).with_scope(scope);
        prop_assert_eq!(found, finder.find(&documents));
    }
}
