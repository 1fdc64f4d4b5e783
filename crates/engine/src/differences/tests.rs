use super::*;
use proptest::prelude::*;

fn parts(text: &str) -> DocumentParts {
    let reader = DifferenceReader::new(&AnalysisSettings::default());
    reader.parts(text, None, &mut DifferenceScratch::default())
}

fn difference(removed: &str, witness: &str) -> DifferenceProfile {
    DifferenceProfile::new(&parts(removed), &parts(witness), &mut DifferenceScratch::default())
}

#[test]
fn profiles_worked_by_hand() {
    let story = "A Story\nonce upon a time";
    let with_dots = "A story: once, upon a time";
    for (removed, witness, lost, added, kinds) in [
        (story, story, 0, 0, ""),
        ("once upon a time", "once, upon a time.", 0, 0, ""),
        (story, "A Story\nonce upon two times", 2, 2, ""),
        ("a a b", "a b b b", 1, 2, "title,title+numbers"),
        ("The plan\ncosts 5 or 6", "The plan\ncosts 5 or 7", 1, 1, "numbers"),
        ("Plan 5\nit costs", "Plan 6\nit costs", 1, 1, "numbers,title+numbers"),
        ("Plan A\nit costs", "Plan B\nit costs", 1, 1, "title,title+numbers"),
        ("x\nuse a_b", "x\nuse a_c", 1, 1, "identifiers"),
        ("x\nby Ann and Bob", "x\nby Ann and Rob", 1, 1, "names"),
        ("x\n12 + 4", "x\n12 - 4", 0, 0, "symbols"),
        (story, "A Story\nOnce upon a Time", 0, 0, "names,case"),
        ("x\nthe end", "x\nThe end", 0, 0, "names,case"),
        ("the end", "The end", 0, 0, "case"),
        ("x\none two", "x\ntwo one", 0, 0, "order"),
        ("x\nfoo_bar", "x\nfoo bar", 0, 0, "identifiers,symbols"),
        (story, with_dots, 0, 0, "title,title+numbers,names,case"),
        ("x\nis so", "x\nis so and more", 0, 2, "quotation"),
        ("x\nhe said: yes it is", "x\nhe said", 3, 0, "quotation"),
        ("x\na b c d", "x\na c d", 1, 0, ""),
        ("", "x", 0, 1, "title,title+numbers"),
        ("", "", 0, 0, ""),
    ] {
        let found = difference(removed, witness);
        let expected = (lost, added, kinds.to_owned());
        let context = format!("{removed:?} and {witness:?}");
        assert_eq!((found.lost, found.added, found.kinds.to_string()), expected, "{context}");
    }
}

#[test]
fn a_title_is_that_of_the_field() {
    let reader = DifferenceReader::new(&AnalysisSettings::default());
    let scratch = &mut DifferenceScratch::default();
    let [a, b, c] =
        ["Foo 1", "Foo 2", "Bar 1"].map(|title| reader.parts("x", Some(title), scratch));
    assert_eq!(a.key(TextPart::Title), b.key(TextPart::Title));
    assert_ne!(a.key(TextPart::TitleNumbers), b.key(TextPart::TitleNumbers));
    assert_ne!(a.key(TextPart::Title), c.key(TextPart::Title));
    assert_eq!(
        [a.key(TextPart::Numbers), a.key(TextPart::Names)],
        [parts("x").key(TextPart::Numbers); 2]
    );
}

#[test]
fn kinds_are_listed_in_one_order_and_have_one_name_each() {
    let mut kinds = DifferenceKinds::default();
    DifferenceKind::ALL.iter().rev().for_each(|&kind| kinds.add(kind));
    assert!(kinds.iter().eq(DifferenceKind::ALL));
    let names = "numbers,identifiers,title,title+numbers,names,symbols,quotation,case,order";
    assert_eq!(kinds.to_string(), names);
    let named = names.split(',').map(DifferenceKind::named);
    assert!(named.eq(DifferenceKind::ALL.map(Some)));
    assert_eq!(DifferenceKind::named("capitals"), None);
    assert_eq!(DifferenceKinds::named(&format!("{names},capitals")), kinds);
    assert_eq!(DifferenceKinds::named(""), DifferenceKinds::default());
    assert!(TextPart::ALL.into_iter().enumerate().all(|(number, part)| part as usize == number));
}

/// The words that the other lacks: each that it has takes one away.
fn lost(of: &[&str], other: &[&str]) -> u64 {
    let mut others = other.to_vec();
    let found = of.iter().filter(|word| match others.iter().position(|other| other == *word) {
        Some(at) => {
            others.remove(at);
            false
        }
        None => true,
    });
    found.count() as u64
}

fn stands_in(part: &[&str], whole: &[&str]) -> bool {
    !part.is_empty() && part.len() < whole.len() && whole.windows(part.len()).any(|w| w == part)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn words_are_lost_added_moved_and_quoted_as_by_brute_force(
        a in prop::collection::vec("[abcABC]", 0..9),
        around in prop::collection::vec("[abcABC]", 0..9),
        cut in 0usize..9,
        quotes in any::<bool>(),
    ) {
        let b = match quotes {
            true => {
                let (before, after) = around.split_at(cut.min(around.len()));
                [before, &a, after].concat()
            }
            false => around,
        };
        let found = difference(&a.join(" "), &b.join(" "));
        let folded = |words: &[String]| words.iter().map(|w| w.to_lowercase()).collect::<Vec<_>>();
        let (low_a, low_b) = (folded(&a), folded(&b));
        let (refs_a, refs_b): (Vec<&str>, Vec<&str>) = (
            low_a.iter().map(String::as_str).collect(),
            low_b.iter().map(String::as_str).collect(),
        );
        prop_assert_eq!(found.lost, lost(&refs_a, &refs_b));
        prop_assert_eq!(found.added, lost(&refs_b, &refs_a));
        let quoted = stands_in(&refs_a, &refs_b) || stands_in(&refs_b, &refs_a);
        prop_assert_eq!(found.kinds.has(DifferenceKind::Quotation), quoted);
        let multiset = |words: &[String]| {
            let mut words = words.to_vec();
            words.sort();
            words
        };
        let same = multiset(&low_a) == multiset(&low_b);
        prop_assert_eq!(found.kinds.has(DifferenceKind::Case), same && multiset(&a) != multiset(&b));
        prop_assert_eq!(found.kinds.has(DifferenceKind::Order), same && low_a != low_b);
        // Either way round.
        let back = difference(&b.join(" "), &a.join(" "));
        prop_assert_eq!((back.lost, back.added, back.kinds), (found.added, found.lost, found.kinds));
    }

    #[test]
    fn buffers_carry_nothing_over(texts in prop::collection::vec("[a-cA-C1-2._ \n-]{0,12}", 4)) {
        let reader = DifferenceReader::new(&AnalysisSettings::default());
        let mut scratch = DifferenceScratch::default();
        let read: Vec<DocumentParts> =
            texts.iter().map(|text| reader.parts(text, None, &mut scratch)).collect();
        for (one, text) in read.iter().zip(&texts) {
            prop_assert_eq!(one.keys, parts(text).keys);
            for (other, other_text) in read.iter().zip(&texts) {
                let found = DifferenceProfile::new(one, other, &mut scratch);
                prop_assert_eq!(found, difference(text, other_text));
            }
        }
    }
}
