//! Options in, one document after the other out.

use super::render::{Labels, line};
use super::{BREAK, Case, Edit, FEWEST_WORDS, FRESH, Sources, Words};
use lookalike_testing::prng::{MILLION, Prng};
use std::collections::VecDeque;

/// How many documents back a near-duplicate's original can lie: bounds the memory.
const WINDOW: usize = 4096;

/// Lengths of documents are log-normal with a deviation of 0.8, like those of news and of web
/// pages: the 16-quantiles as thousandths of the median (the first and last are those of 1 and 99
/// in 100).
pub(super) const LENGTHS: [usize; 17] =
    [156, 293, 398, 492, 583, 676, 775, 882, 1000, 1134, 1290, 1478, 1715, 2033, 2510, 3412, 6431];

/// What kind of collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Documents of all lengths, some of them near-duplicates of earlier ones.
    Mixed,
    /// One text, again and again.
    Copies,
    /// Edited variants of a few texts.
    Variants {
        /// How many texts.
        texts: usize,
    },
    /// Pages of their own content between the same few beginnings and ends.
    Templates {
        /// How many templates.
        templates: usize,
        /// Words of a beginning, and of an end.
        words: usize,
    },
    /// Each document is the one before, edited.
    Chain,
    /// Half of all documents are edited variants of the first; the others are as in `Mixed`.
    Half,
    /// As `Mixed`, but a third of every original is one and the same paragraph; all are of one
    /// length.
    Boilerplate,
    /// A few texts with gaps of a word or two, one to twelve of them, filled in differently each
    /// time.
    Forms {
        /// How many texts.
        forms: usize,
    },
    /// As `Mixed`, but originals are made of whole sentences of a stock, each of which is in about
    /// so many originals: what real collections share, in quotations, forms and agency reports.
    Shared {
        /// Originals that contain a sentence, on average.
        documents: usize,
    },
}

/// Sentences of the stock that originals draw from at a time. Two originals can share a sentence if
/// fewer than this many times [`Mode::Shared`]'s number of sentences were drawn between them, so
/// what a document shares with others does not grow with the collection.
const STOCK_WINDOW: usize = 1 << 15;

/// Gaps of a form. At 250 words two fillings of five gaps share about 0.8 of their 5-shingles, of
/// one 0.96, of twelve 0.6: there are forms on both sides of any usual threshold, and on it.
const MOST_GAPS: usize = 12;

/// What to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Other seeds give other documents.
    pub seed: u64,
    /// Median of the documents' words.
    pub words: usize,
    /// How many in a million are near-duplicates of earlier documents (mixed, templates,
    /// boilerplate, shared, and of the other half in half).
    pub duplicates: u32,
    /// How many words in a million change (variants, chain, half).
    pub edits: u32,
    /// How many words in a million of an original's own text no other original has.
    pub fresh: u32,
    /// What kind of collection.
    pub mode: Mode,
}

/// A document that was written.
struct Earlier {
    number: u64,
    words: Words,
    case: Case,
}

/// Writes documents.
pub struct Generator<'a> {
    sources: &'a Sources,
    options: Options,
    prng: Prng,
    /// Documents made so far.
    count: u64,
    /// Fresh words made so far.
    fresh: u32,
    /// Sentences drawn from the stock so far.
    drawn: u64,
    /// Sentences of the stock that are drawn from at a time.
    stock_window: usize,
    /// Documents that near-duplicates can be made from.
    recent: VecDeque<Earlier>,
    /// Beginnings and ends of pages; or forms, and where their gaps are.
    templates: Vec<(Words, Words)>,
    /// The document in work.
    words: Words,
}

impl<'a> Generator<'a> {
    /// A generator at its first document.
    #[must_use]
    pub fn new(sources: &'a Sources, options: Options) -> Self {
        let mut prng = Prng::new(options.seed);
        let mut text = |words: usize| {
            let mut out = Words::new();
            sources.splice(words.max(FEWEST_WORDS), &mut prng, &mut out);
            out
        };
        let templates = match options.mode {
            Mode::Templates { templates, words } => {
                let mut boilerplate = || text(words);
                (0..templates.max(1)).map(|_| (boilerplate(), boilerplate())).collect()
            }
            Mode::Boilerplate => vec![(text(options.words / 3), Words::new())],
            Mode::Forms { forms } => {
                let texts: Vec<Words> = (0..forms.max(1)).map(|_| text(options.words)).collect();
                let with_gaps = |words: Words| {
                    let count = prng.between(1, MOST_GAPS);
                    let gaps = (0..count).map(|_| prng.below(words.len()) as u32).collect();
                    (words, gaps)
                };
                texts.into_iter().map(with_gaps).collect()
            }
            _ => Vec::new(),
        };
        Self {
            sources,
            options,
            prng,
            count: 0,
            fresh: 0,
            drawn: 0,
            stock_window: STOCK_WINDOW,
            recent: VecDeque::new(),
            templates,
            words: Words::new(),
        }
    }

    /// Appends the next document to `out` as a line of JSON.
    pub fn write_next(&mut self, out: &mut Vec<u8>) {
        let origin = self.origin();
        let (made_from, case) = match origin {
            None => {
                self.original();
                (None, Case::AsWritten)
            }
            Some((at, edit)) => {
                let &Earlier { number, ref words, case } = &self.recent[at];
                edit.apply(words, self.sources, &mut self.prng, &mut self.words);
                let case = if let Edit::Recased(case) = edit { case } else { case };
                (Some((number, edit.name())), case)
            }
        };
        let first = self.words.first().copied().unwrap_or_default();
        let source = self.sources.name_of(first);
        let labels = Labels { number: self.count, source, made_from };
        line(&self.words, case, &labels, self.sources, out);
        // What is made from the first of a half must not pull others into its cluster.
        if self.options.mode != Mode::Half || origin.is_none_or(|(at, _)| at > 0) {
            self.remember(case);
        }
        self.count += 1;
    }

    /// Which earlier document the next one is made from, and how; `None` for a new one.
    fn origin(&mut self) -> Option<(usize, Edit)> {
        let known = self.recent.len();
        let edited = Edit::Edited(self.options.edits);
        match self.options.mode {
            Mode::Copies if known > 0 => Some((0, Edit::Exact)),
            Mode::Chain if known > 0 => Some((0, edited)),
            Mode::Variants { texts } if known >= texts.max(1) => {
                Some((self.count as usize % known, edited))
            }
            Mode::Half if known > 0 && self.prng.happens(MILLION / 2) => Some((0, edited)),
            Mode::Half if known > 1 => {
                let duplicate = self.prng.happens(self.options.duplicates);
                duplicate.then(|| (self.prng.between(1, known - 1), Edit::draw(&mut self.prng)))
            }
            Mode::Mixed | Mode::Templates { .. } | Mode::Boilerplate | Mode::Shared { .. }
                if known > 0 =>
            {
                let duplicate = self.prng.happens(self.options.duplicates);
                duplicate.then(|| (self.prng.below(known), Edit::draw(&mut self.prng)))
            }
            _ => None,
        }
    }

    /// Makes a new document.
    fn original(&mut self) {
        self.words.clear();
        if matches!(self.options.mode, Mode::Forms { .. }) {
            return self.fill_in();
        }
        let length = self.length();
        let template = (!self.templates.is_empty()).then(|| self.prng.below(self.templates.len()));
        if let Some(template) = template {
            self.words.extend_from_slice(&self.templates[template].0);
        }
        let start = self.words.len();
        match self.options.mode {
            Mode::Shared { documents } => self.quote(length, documents.max(1)),
            _ => self.sources.splice(length, &mut self.prng, &mut self.words),
        }
        self.refresh(start);
        if let Some(template) = template {
            self.words.extend_from_slice(&self.templates[template].1);
        }
    }

    /// Appends this many words of whole sentences, the last one cut. The window of the stock moves
    /// on by one sentence for every `documents` that are drawn, so each is drawn about that many
    /// times.
    fn quote(&mut self, words: usize, documents: usize) {
        let end = self.words.len() + words;
        while self.words.len() < end {
            for _ in 0..self.prng.between(1, 4) {
                let first = self.drawn / documents as u64;
                let number = first + self.prng.below(self.stock_window) as u64;
                self.sources.stock_sentence(self.options.seed, number, &mut self.words);
                self.drawn += 1;
                if self.words.len() >= end {
                    break;
                }
            }
            self.words.push(BREAK);
        }
        self.words.truncate(end);
    }

    /// Puts fresh words in the place of some, but for the first, which says where the document is
    /// from.
    fn refresh(&mut self, start: usize) {
        if self.options.fresh == 0 {
            return;
        }
        for word in self.words[start..].iter_mut().skip(1).filter(|word| **word != BREAK) {
            if self.prng.happens(self.options.fresh) {
                *word = FRESH + self.fresh;
                self.fresh = (self.fresh + 1) % (BREAK - FRESH);
            }
        }
    }

    /// Makes a document of some form.
    fn fill_in(&mut self) {
        let (form, gaps) = &self.templates[self.prng.below(self.templates.len())];
        self.words.extend_from_slice(form);
        for &gap in gaps {
            self.words[gap as usize] = self.sources.draw(&mut self.prng);
        }
        // Now and then a gap holds one word more.
        let at = gaps[0] as usize;
        if self.prng.below(4) == 0 {
            self.words.insert(at, self.sources.draw(&mut self.prng));
        }
    }

    fn length(&mut self) -> usize {
        match self.options.mode {
            Mode::Mixed | Mode::Templates { .. } | Mode::Half | Mode::Shared { .. } => {}
            Mode::Boilerplate => {
                let own = self.options.words - self.options.words / 3;
                return own.max(2 * FEWEST_WORDS);
            }
            Mode::Copies | Mode::Variants { .. } | Mode::Chain | Mode::Forms { .. } => {
                return self.options.words.max(FEWEST_WORDS);
            }
        }
        let quantile = self.prng.below(LENGTHS.len() - 1);
        let thousandths = self.prng.between(LENGTHS[quantile], LENGTHS[quantile + 1] - 1);
        (self.options.words * thousandths / 1000).max(FEWEST_WORDS)
    }

    /// Keeps the document, where later ones can be made from it.
    fn remember(&mut self, case: Case) {
        let most = match self.options.mode {
            Mode::Copies => 1,
            Mode::Variants { texts } => texts.max(1),
            Mode::Chain => {
                self.recent.clear();
                1
            }
            Mode::Forms { .. } => 0,
            Mode::Mixed
            | Mode::Templates { .. }
            | Mode::Half
            | Mode::Boilerplate
            | Mode::Shared { .. } => WINDOW,
        };
        // The first of a half is made from for ever.
        let oldest = usize::from(self.options.mode == Mode::Half);
        let number = self.count;
        if self.recent.len() < most {
            self.recent.push_back(Earlier { number, words: self.words.clone(), case });
        } else if most == WINDOW
            && let Some(mut oldest) = self.recent.remove(oldest)
        {
            // The oldest makes room, and its buffer serves again.
            std::mem::swap(&mut oldest.words, &mut self.words);
            self.recent.push_back(Earlier { number, case, ..oldest });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_testing::oracle::{self, Measure, Ratio, Short};
    use lookalike_text::{AnalysisSettings, Terms};
    use serde_json::Value;
    use std::collections::HashMap;

    /// Hardly 2000 words: far smaller than any real source, so chance resemblance is at its worst.
    fn small_sources() -> Sources {
        let mut prng = Prng::new(7);
        let word = |n: usize| format!("w{n}\"\\é");
        // Squares of uniform numbers: some words are much more frequent than others.
        let words = (0..2000).map(|_| word(prng.below(40) * prng.below(40)));
        let text: Vec<String> = words.collect();
        let sentences: Vec<String> = text.chunks(12).map(|words| words.join(" ") + ".").collect();
        Sources::from_text("small/a b.txt", &sentences.join(" ")).unwrap()
    }

    fn options(mode: Mode) -> Options {
        Options { seed: 1, words: 120, duplicates: 300_000, edits: 10_000, fresh: 0, mode }
    }

    fn lines(options: Options, count: usize) -> String {
        let sources = small_sources();
        let mut generator = Generator::new(&sources, options);
        let mut out = Vec::new();
        (0..count).for_each(|_| generator.write_next(&mut out));
        String::from_utf8(out).unwrap()
    }

    fn documents(options: Options, count: usize) -> Vec<Value> {
        let lines = lines(options, count);
        let documents: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(documents.len(), count);
        documents
    }

    fn texts(documents: &[Value]) -> Vec<&str> {
        documents.iter().map(|document| document["text"].as_str().unwrap()).collect()
    }

    /// Resemblance of 5-shingles by the oracle: all pairs above the ratio.
    fn pairs(texts: &[&str], numerator: u32, denominator: u32) -> Vec<oracle::Pair> {
        let settings = oracle::Settings {
            measure: Measure::Resemblance,
            threshold: Ratio { numerator, denominator },
            shingle: Some(5),
            terms: Terms::All,
            short: Short::Whole,
            analysis: AnalysisSettings::default(),
        };
        oracle::pairs(texts, &settings)
    }

    const MODES: [Mode; 9] = [
        Mode::Mixed,
        Mode::Copies,
        Mode::Variants { texts: 3 },
        Mode::Templates { templates: 4, words: 30 },
        Mode::Chain,
        Mode::Half,
        Mode::Boilerplate,
        Mode::Forms { forms: 3 },
        Mode::Shared { documents: 12 },
    ];

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        for mode in MODES {
            let options = options(mode);
            assert_eq!(lines(options, 50), lines(options, 50));
            assert!(lines(options, 50).starts_with(&lines(options, 20)));
            assert_ne!(lines(options, 50), lines(Options { seed: 2, ..options }, 50));
        }
    }

    #[test]
    fn every_record_is_complete() {
        for mode in MODES {
            for (number, document) in (0..).zip(documents(options(mode), 300)) {
                assert_eq!(document["id"], format!("d{number:07}"));
                assert_eq!(document["source"], "a-b.txt");
                assert_eq!(document["url"], format!("https://example.org/a-b.txt/{number}"));
                assert_ne!(document["text"], "");
            }
        }
    }

    /// Even with sources of 2000 words, whose sentences every document repeats.
    #[test]
    fn originals_are_no_near_duplicates() {
        let documents = documents(Options { duplicates: 0, ..options(Mode::Mixed) }, 1000);
        assert_eq!(pairs(&texts(&documents), 1, 3), []);
        let median = {
            let mut sizes: Vec<usize> =
                texts(&documents).iter().map(|text| text.split_whitespace().count()).collect();
            sizes.sort_unstable();
            sizes[500]
        };
        assert!((95..125).contains(&median), "{median} words, asked for 120");
    }

    #[test]
    fn fresh_words_are_in_one_original_and_what_is_made_from_it() {
        let options = Options { fresh: 100_000, ..options(Mode::Mixed) };
        let documents = documents(options, 500);
        let mut of: HashMap<String, &str> = HashMap::new();
        let (mut words, mut fresh) = (0, 0);
        for document in &documents {
            let original = document["edit"].is_null();
            let id = document["id"].as_str().unwrap();
            for word in document["text"].as_str().unwrap().split_whitespace() {
                let made = word.starts_with(['q', 'Q']);
                words += usize::from(original);
                fresh += usize::from(original && made);
                if made && let Some(other) = of.insert(word.to_lowercase(), id) {
                    assert!(!original || other == id, "{word} in {other} and {id}");
                }
            }
        }
        assert!(fresh.abs_diff(words / 10) < words / 100, "{fresh} of {words}");
    }

    #[test]
    fn near_duplicates_are_what_they_say() {
        let documents = documents(options(Mode::Mixed), 2000);
        let texts = texts(&documents);
        let place: HashMap<&str, usize> =
            documents.iter().enumerate().map(|(at, d)| (d["id"].as_str().unwrap(), at)).collect();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut kinds: HashMap<&str, usize> = HashMap::new();
        for (document, text) in documents.iter().zip(&texts) {
            let Some(edit) = document["edit"].as_str() else { continue };
            *kinds.entry(edit).or_default() += 1;
            let original = texts[place[document["from"].as_str().unwrap()]];
            let holds = |outer: &str, inner: &str| words(outer).contains(&words(inner));
            assert!(
                match edit {
                    "exact" => *text == original,
                    "recased" => text.to_lowercase() == original.to_lowercase(),
                    "cut" => holds(original, text),
                    "nested" => holds(text, original),
                    _ => edit == "edited",
                },
                "{document}"
            );
        }
        let duplicates: usize = kinds.values().sum();
        assert!((500..700).contains(&duplicates), "{duplicates} of 2000, asked for 600");
        assert_eq!(kinds.len(), 5, "{kinds:?}");
        let found = pairs(&texts, 4, 5).len();
        assert!(found > duplicates / 3, "{found} pairs for {duplicates} near-duplicates");
    }

    /// Counted from the words themselves, for sentences that were in the window all their time.
    #[test]
    fn a_shared_sentence_is_in_as_many_originals_as_asked() {
        let sources = small_sources();
        for asked in [3, 12] {
            let options = Options { duplicates: 0, ..options(Mode::Shared { documents: asked }) };
            let mut generator = Generator::new(&sources, options);
            generator.stock_window = 300;
            let mut texts = Vec::new();
            for _ in 0..2000 {
                generator.write_next(&mut Vec::new());
                texts.push(generator.words.clone());
            }
            let mut places: HashMap<&[u32], std::collections::BTreeSet<usize>> = HashMap::new();
            for (number, words) in texts.iter().enumerate() {
                for run in words.windows(12) {
                    places.entry(run).or_default().insert(number);
                }
            }
            let last = generator.drawn / asked as u64;
            let (first, mut sentences, mut originals) = (300, 0, 0);
            for number in first..last {
                let mut words = Words::new();
                sources.stock_sentence(options.seed, number, &mut words);
                sentences += 1;
                originals += places.get(&words[..12]).map_or(0, |places| places.len());
            }
            assert!(sentences > 1000, "{sentences}");
            // The last sentence of a document is cut, and one of a document's two dozen comes
            // twice.
            let mean = originals as f64 / sentences as f64;
            assert!((0.85..1.05).contains(&(mean / asked as f64)), "{mean}, asked for {asked}");
        }
    }

    #[test]
    fn originals_that_share_sentences_are_no_near_duplicates() {
        let options = Options { duplicates: 0, ..options(Mode::Shared { documents: 12 }) };
        let documents = documents(options, 1000);
        assert_eq!(pairs(&texts(&documents), 1, 2), []);
    }

    #[test]
    fn copies_are_one_text() {
        let documents = documents(options(Mode::Copies), 50);
        assert!(texts(&documents).windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn variants_resemble_their_text_and_no_other() {
        let documents = documents(options(Mode::Variants { texts: 3 }), 60);
        let found = pairs(&texts(&documents), 1, 2);
        assert!(found.iter().all(|pair| pair.a % 3 == pair.b % 3));
        assert!(found.len() > 3 * 19 * 20 / 2 * 9 / 10, "{}", found.len());
    }

    #[test]
    fn pages_share_their_template_only() {
        let mode = Mode::Templates { templates: 4, words: 30 };
        let documents = documents(Options { duplicates: 0, ..options(mode) }, 200);
        let texts = texts(&documents);
        let of = |text: &str| text.split_whitespace().take(20).collect::<Vec<_>>().join(" ");
        let beginnings: std::collections::BTreeSet<String> = texts.iter().map(|t| of(t)).collect();
        assert_eq!(beginnings.len(), 4);
        assert_eq!(pairs(&texts, 4, 5), []);
        assert!(pairs(&texts, 1, 5).len() > 1000);
    }

    #[test]
    fn a_chain_drifts_away_link_by_link() {
        let documents = documents(options(Mode::Chain), 300);
        let texts = texts(&documents);
        let found = pairs(&texts, 1, 2);
        let near = found.iter().filter(|pair| pair.b == pair.a + 1).count();
        assert!(near > 290, "{near} of 299 neighbours");
        assert!(!found.iter().any(|pair| pair.b > pair.a + 100));
    }

    #[test]
    fn half_of_all_documents_are_one_cluster() {
        // More than the window: the first is made from to the end.
        let documents = documents(Options { words: 30, ..options(Mode::Half) }, 6 * WINDOW / 2);
        let from = |document: &Value| document["from"].as_str().map(str::to_owned);
        let of_the_first = |from: &Option<String>| from.as_deref() == Some("d0000000");
        let count = documents.len();
        let variants = documents.iter().map(from).filter(of_the_first).count();
        assert!(variants.abs_diff(count / 2) < count / 50, "{variants} of {count}");
        let late = documents[count - 100..].iter().map(from).filter(of_the_first).count();
        assert!((30..70).contains(&late), "{late} of the last 100");
        // The others are as mixed as ever, and none of them is made from a variant.
        let made: Vec<String> = documents.iter().filter_map(from).collect();
        let others = made.len() - variants;
        let asked = (count - variants) * 3 / 10;
        assert!(others.abs_diff(asked) < asked / 10, "{others}, asked for {asked}");
        let number = |id: &str| id[1..].parse::<usize>().unwrap();
        assert!(made.iter().all(|id| !of_the_first(&from(&documents[number(id)]))));
    }

    #[test]
    fn a_third_of_every_page_is_the_same_paragraph() {
        let documents = documents(Options { duplicates: 0, ..options(Mode::Boilerplate) }, 200);
        let texts = texts(&documents);
        let words: Vec<Vec<&str>> = texts.iter().map(|t| t.split_whitespace().collect()).collect();
        for page in &words {
            assert_eq!(page[..35], words[0][..35]);
            assert!((105..=120).contains(&page.len()), "{}", page.len());
        }
        assert_eq!(pairs(&texts, 1, 2), []);
        // (40 − 4) of (40 − 4) + 2 · 80 shingles, about.
        assert_eq!(pairs(&texts, 1, 10).len(), 200 * 199 / 2);
    }

    /// Documents of one form resemble each other as its gaps let them, those of two not at all.
    #[test]
    fn forms_differ_in_their_gaps() {
        let documents = documents(options(Mode::Forms { forms: 12 }), 240);
        let texts = texts(&documents);
        let same_form = pairs(&texts, 1, 5);
        assert!(same_form.len() > 12 * 20 * 19 / 2 * 9 / 10, "{}", same_form.len());
        assert!(same_form.len() < 2 * 12 * 20 * 19 / 2, "{}", same_form.len());
        let near = pairs(&texts, 4, 5).len();
        assert!(near * 10 > same_form.len() && near * 10 < same_form.len() * 9, "{near}");
    }
}
