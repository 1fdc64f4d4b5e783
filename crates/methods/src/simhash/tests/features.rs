//! Features beyond words: n-grams, given texts, numbers and metadata, against their definitions.

use super::*;
use crate::Number;
use lookalike_core::fingerprint::shingles;

fn gram(words: &str) -> u64 {
    let tokens = tokens(words);
    let mut found = None;
    shingles(&tokens, tokens.len(), |gram| found = Some(gram));
    found.unwrap()
}

/// The word of features with whole weights; a sum of 0 gives 0.
fn of_weights(weights: &[(u64, i64)]) -> u64 {
    (0..64)
        .filter(|bit| {
            let signed = |&(hash, weight): &(u64, i64)| match hash >> bit & 1 {
                1 => weight,
                _ => -weight,
            };
            weights.iter().map(signed).sum::<i64>() > 0
        })
        .fold(0, |word, bit| word | 1 << bit)
}

/// a rose is a rose: the bigrams are (a rose), (rose is), (is a), (a rose).
#[test]
fn bigrams_by_hand() {
    let text = "a rose is a rose";
    let bigrams = [(gram("a rose"), 2), (gram("rose is"), 1), (gram("is a"), 1)];
    assert_eq!(word("simhash:features=bigrams", text), of_weights(&bigrams));
    let words = [(gram("a"), 2), (gram("rose"), 2), (gram("is"), 1)];
    let both: Vec<_> = bigrams.into_iter().chain(words).collect();
    assert_eq!(word("simhash:features=words+bigrams", text), of_weights(&both));
    let trigrams = ["a rose is", "rose is a", "is a rose"].map(|words| (gram(words), 1));
    assert_eq!(word("simhash:features=trigrams", text), of_weights(&trigrams));
    assert_eq!(word("simhash:features=words", text), word("simhash", text));
    let short = tokens("one two");
    let short = Document { tokens: &short, ..Document::default() };
    let trigrams = method("simhash:features=trigrams", None);
    assert_eq!(sign(&*trigrams, &short), Err(Unsigned::TooShort));
}

#[test]
fn the_order_of_words_matters_to_bigrams_only() {
    let (a, b) = ("one two three four", "four three two one");
    assert_eq!(word("simhash", a), word("simhash", b));
    assert_ne!(word("simhash:features=bigrams", a), word("simhash:features=bigrams", b));
}

/// The words of anchors count 1.5 times, or as often as tagged ones; no bigram joins two texts.
#[test]
fn anchors_by_hand() {
    let (text, anchors) = (tokens("red red blue"), tokens("blue sky blue"));
    let document =
        |texts, text_ends| Document { tokens: &text, texts, text_ends, ..Document::default() };
    let signed = |spec: &str, document: &Document<'_>| {
        sign(&*method(spec, None), document).unwrap().sketch[0]
    };
    // In halves: red twice, blue once in the text and once in each of two anchors, sky once.
    let halves = [(gram("red"), 4), (gram("blue"), 2 + 3 + 3), (gram("sky"), 3)];
    let both = document(&anchors, &[2, 3]);
    assert_eq!(signed("simhash:anchors=a", &both), of_weights(&halves));
    let thrice = [(gram("red"), 2), (gram("blue"), 1 + 3 + 3), (gram("sky"), 3)];
    assert_eq!(signed("simhash:anchors=a,tagged=3", &both), of_weights(&thrice));
    let bigrams = [(gram("red red"), 2), (gram("red blue"), 2), (gram("blue sky"), 3)];
    assert_eq!(signed("simhash:anchors=a,features=bigrams", &both), of_weights(&bigrams));
    let none = document(&[], &[]);
    assert_eq!(signed("simhash:anchors=a", &none), signed("simhash", &none));
}

/// A number weighs itself times the largest weight, with its sign after the centre is subtracted.
#[test]
fn numbers_by_hand() {
    let tokens = tokens("rose rose is");
    let name = Field(fingerprint::token(b"rank"));
    let hash = finalise(!name.0);
    for (spec, value, weight) in [
        ("numbers=rank", 0.75, 15),
        ("numbers=rank", 3.0, 60),
        ("numbers=rank", -3.0, -60),
        ("numbers=rank,centre=0.5", 0.75, 5),
        ("numbers=rank,centre=0.5", 0.5, 0),
        ("numbers=rank,centre=0.5", 0.0, -10),
    ] {
        let numbers = [Number::new(name, value).unwrap()];
        let document = Document { tokens: &tokens, numbers: &numbers, ..Document::default() };
        let signed = sign(&*method(&format!("simhash:{spec}"), None), &document).unwrap();
        // In tenths: the largest weight is 2.
        let expected = of_weights(&[(gram("rose"), 20), (gram("is"), 10), (hash, weight)]);
        assert_eq!(signed.sketch, [expected], "{spec} {value}");
    }
    assert_eq!(Number::new(name, f64::NAN), None);
    assert_eq!(Number::new(name, -1e9).unwrap().millionths, -1_000_000_000);
}

/// Section 7.1.1: a field that weighs the smallest magnitude of the sums can turn a bit, and at its
/// place does: "a change in the metadata would cause the sum to drop to 0".
#[test]
fn metadata_of_the_smallest_sum_turn_a_bit() {
    let text = "medicare medicare medicare plan democrats democrats health";
    let weights = [("medicare", 3), ("plan", 1), ("democrats", 2), ("health", 1)];
    let weights = weights.map(|(word, weight)| (gram(word), weight));
    let tokens = tokens(text);
    let sums: Vec<i64> = (0..64)
        .map(|bit| weights.iter().map(|&(h, w)| if h >> bit & 1 == 1 { w } else { -w }).sum())
        .collect();
    let smallest = sums.iter().filter(|&&sum| sum != 0).map(|sum| sum.abs()).min().unwrap();
    let mut turned = 0;
    for value in 0..20 {
        let fields = [Field(value)];
        let document = Document { tokens: &tokens, fields: &fields, ..Document::default() };
        let signed = sign(&*method("simhash:metadata=min", None), &document).unwrap();
        let feature = finalise(!value);
        let all: Vec<_> = weights.into_iter().chain([(feature, smallest)]).collect();
        assert_eq!(signed.sketch, [of_weights(&all)]);
        // Where the sum is the smallest, the bit is that of the field.
        for bit in (0..64).filter(|&bit| sums[bit] == smallest) {
            assert_eq!(signed.sketch[0] >> bit & 1, feature >> bit & 1);
            turned += 1 - (feature >> bit & 1);
        }
    }
    assert!(turned > 20, "{turned}");
}

#[test]
fn fields_and_stop_words_are_named() {
    let uses = |spec: &str| {
        let built = method(spec, None);
        let fields = built.fields();
        let given: Vec<String> = fields.given().cloned().collect();
        (fields.features.to_vec(), given, built.term_filter().to_owned())
    };
    let words = |names: &str| names.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(uses("simhash"), (vec![], vec![], String::new()));
    assert_eq!(uses("simhash:metadata=min").0, words("url title date"));
    let (fields, given, filter) = uses(
        "simhash:metadata=0.5,fields=title+section.name,anchors=links,numbers=rank+in,strip=stopwords+dates",
    );
    assert_eq!((fields, given), (words("title section.name"), words("section.name links rank in")));
    assert_eq!(filter, "stop+no-dates");
    assert_eq!(uses("simhash:variant=strip,reserved=8,fields=label").1, ["label"]);
    assert_eq!(uses("simhash:strip=numbers+stopwords").2, "stop+no-numbers");
    assert_eq!(uses("simhash:variant=strip").2, "stop+no-numbers+no-dates");
    assert_eq!(uses("simhash:strip=numbers+dates").2, "no-numbers+no-dates");
}

/// What separates documents follows the word, and has to be equal.
#[test]
fn appended_words_must_agree() {
    let method = method("simhash", None);
    let compare = |a: &[u64], b: &[u64]| {
        let sketch = |words| Sketch { words, size: 1, level: 0 };
        method.compare(sketch(a), sketch(b))
    };
    assert_eq!(compare(&[0, 9], &[7, 9]), Evidence::Distance(3));
    assert_eq!(compare(&[0, 9], &[0, 8]), Evidence::Distance(64));
    assert_eq!(compare(&[0, 9], &[0]), Evidence::Distance(64));
}

proptest! {
    /// n-grams with document frequencies: that of the rarest word, position of the first word, and
    /// marks of all words.
    #[test]
    fn grams_weigh_by_the_definition(
        words in prop::collection::vec((0u64..20, prop::bool::ANY), 3..40),
        frequencies in prop::collection::vec(1u32..1000, 20),
        size in 1usize..4,
    ) {
        let tokens: Vec<u64> = words.iter().map(|word| finalise(word.0 + 100)).collect();
        let marks: Vec<Marks> =
            words.iter().map(|word| if word.1 { Marks::HEADING } else { Marks::LINK }).collect();
        let table: BTreeMap<u64, u32> =
            (0u64..20).map(|w| finalise(finalise(w + 100))).zip(frequencies).collect();
        let mut weights = BTreeMap::new();
        for at in 0..=tokens.len() - size {
            let own = at..at + size;
            let rarest = tokens[own.clone()].iter().map(|&token| table[&finalise(token)]).min().unwrap();
            let idf = (1000.0 / f64::from(rarest)).log2().max(1.0 / 256.0);
            let boost = if words[own.clone()].iter().all(|word| word.1) { 2.0 } else { 1.0 };
            let place = 1.0 / (at as f64 + 1.0);
            let mut hash = 0;
            shingles(&tokens[own], size, |gram| hash = gram);
            *weights.entry(hash).or_insert(0.0) += idf * boost * place;
        }
        let names = ["words", "bigrams", "trigrams"];
        let spec = format!("simhash:features={},position=inverse,tagged=2", names[size - 1]);
        let statistics = Arc::new(Made(table, 1000));
        let document = Document { tokens: &tokens, marks: &marks, ..Document::default() };
        let signed = sign(&*method(&spec, Some(statistics)), &document).unwrap();
        prop_assert_eq!(signed.size as usize, weights.len());
        if let Some(expected) = by_the_book(&weights) {
            prop_assert_eq!(signed.sketch, [expected]);
        }
    }
}
