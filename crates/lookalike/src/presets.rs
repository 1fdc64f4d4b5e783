//! Named settings of well-known data sets and tools.
//!
//! A preset holds what its source states: the n-grams, the similarity that counts as a duplicate,
//! and the bands. Candidates are verified on complete feature sets all the same, unless
//! [`Verify::None`](crate::settings::Verify) is chosen: then a common band suffices, as in most sources.

use crate::evaluation::SCurve;
use crate::methods::{MethodKnobs, MethodSettings};
use crate::settings::Shingle;
use crate::{LookalikeError, Settings};
use lookalike_core::ShortDocuments;
use lookalike_engine::{Linkage, Verify};
use lookalike_methods::minhash::Bands;
use lookalike_text::{Tokens, Unit};

/// Settings by name. `docs/reference/presets.md` lists them with what differs from their sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What was deduplicated so, by which tool.
    pub summary: &'static str,
    /// Where the settings are stated.
    pub source: &'static str,
    /// What differs from the source.
    pub differs: &'static str,
    unit: Unit,
    /// Whether symbols are tokens.
    symbols: bool,
    shingle: u32,
    threshold: &'static str,
    /// Bands and rows of the source, if it states them.
    bands: Option<Bands>,
    /// Whether candidates are those of the bands; else the exact join finds all pairs.
    banded: bool,
    linkage: Linkage,
    short_documents: ShortDocuments,
}

const fn bands(bands: u32, rows: u32) -> Option<Bands> {
    Some(Bands { bands, rows })
}

static PRESETS: [Preset; 8] = [
    Preset {
        name: "fineweb",
        summary: "FineWeb and datatrove: word 5-grams, 14 bands of 8",
        source: "datatrove, MinhashConfig; FineWeb (Penedo et al. 2024): documents that are at least 75 % similar",
        differs: "datatrove also replaces numbers by 0 and removes accents and punctuation; its words are those of \
                  a tokenizer for the language. It verifies nothing",
        unit: Unit::Word,
        symbols: false,
        shingle: 5,
        threshold: "0.75",
        bands: bands(14, 8),
        banded: true,
        linkage: Linkage::Components,
        short_documents: ShortDocuments::Ignore,
    },
    Preset {
        name: "slimpajama",
        summary: "SlimPajama: character 13-grams, 9 bands of 13",
        source: "SlimPajama (Cerebras 2023): MinHashLSH of datasketch, 128 permutations, threshold 0.8, 13-grams; \
                 its program cuts them from the characters of the text (to_hash.py), with a default of 6",
        differs: "its program removes punctuation and squeezes white space before it counts characters. It \
                  verifies nothing",
        unit: Unit::Char,
        symbols: false,
        shingle: 13,
        threshold: "0.8",
        bands: bands(9, 13),
        banded: true,
        linkage: Linkage::Components,
        short_documents: ShortDocuments::Whole,
    },
    Preset {
        name: "curator",
        summary: "NVIDIA NeMo Curator: character 24-grams, 20 bands of 13",
        source: "NeMo Curator, FuzzyDeduplicationWorkflow: char_ngrams=24, num_bands=20, minhashes_per_band=13, \
                 for a similarity of about 0.8",
        differs: "Curator does not normalise texts and verifies nothing",
        unit: Unit::Char,
        symbols: false,
        shingle: 24,
        threshold: "0.8",
        bands: bands(20, 13),
        banded: true,
        linkage: Linkage::Components,
        short_documents: ShortDocuments::Whole,
    },
    Preset {
        name: "olmo3",
        summary: "OLMo 3 and Marin, duplodocus: 5-grams, 26 bands of 11",
        source: "duplodocus, minhash_params: num_buckets 26, bucket_size 11, ngram_size 5",
        differs: "duplodocus counts tokens of cl100k_base and not words; its threshold is not stated, 0.8 is about \
                  where 26 bands of 11 find nine of ten pairs. It verifies nothing",
        unit: Unit::Word,
        symbols: false,
        shingle: 5,
        threshold: "0.8",
        bands: bands(26, 11),
        banded: true,
        linkage: Linkage::Components,
        short_documents: ShortDocuments::Whole,
    },
    Preset {
        name: "lee2021",
        summary: "NearDup of Lee et al.: word 5-grams, all pairs at 0.8",
        source: "Lee et al. 2021, Deduplicating Training Data Makes Language Models Better: 9,000 permutations, \
                 450 bands of 20; RefinedWeb uses the same",
        differs: "the exact join takes the place of the bands, which are more than a sketch has room for (4,096 \
                  minima) and find 99.5 % of the pairs at 0.8. The source verifies candidates by their edit \
                  similarity",
        unit: Unit::Word,
        symbols: false,
        shingle: 5,
        threshold: "0.8",
        bands: bands(450, 20),
        banded: false,
        linkage: Linkage::Components,
        short_documents: ShortDocuments::Whole,
    },
    Preset {
        name: "gopher",
        summary: "MassiveText of Gopher: word 13-grams, all pairs at 0.8",
        source: "Rae et al. 2021, Scaling Language Models, appendix A: MinHash over 13-grams, resemblance 0.8",
        differs: "the exact join takes the place of MinHash, whose bands the source does not state",
        unit: Unit::Word,
        symbols: false,
        shingle: 13,
        threshold: "0.8",
        bands: None,
        banded: false,
        linkage: Linkage::Leaders,
        short_documents: ShortDocuments::Whole,
    },
    Preset {
        name: "core",
        summary: "text-dedup on CORE (scholarly abstracts): word 2-grams, 50 bands of 4",
        source: "text-dedup, configs/benchmark_core_minhash.toml: num_perm 200, ngram_size 2, bands 50, rows 4, \
                 threshold 0.5",
        differs: "text-dedup splits text at every character that is no letter, digit or _, so that don't is \
                  two words; its release 0.4.0 counts empty words as well. It verifies nothing in this benchmark",
        unit: Unit::Word,
        symbols: false,
        shingle: 2,
        threshold: "0.5",
        bands: bands(50, 4),
        banded: true,
        linkage: Linkage::Components,
        short_documents: ShortDocuments::Whole,
    },
    Preset {
        name: "code",
        summary: "source code, The Stack: 5-grams of words and symbols, all pairs at 0.7",
        source: "The Stack (Kocetkov et al. 2022) and its program minhash_deduplication.py: 5-grams, 256 \
                 permutations, threshold 0.7",
        differs: "its program cuts text at every character that is no ASCII letter, digit or _, and compares \
                  words only, so that a < b and a > b are one; here each symbol is a token. The exact join \
                  takes the place of MinHash",
        unit: Unit::Word,
        symbols: true,
        shingle: 5,
        threshold: "0.7",
        bands: None,
        banded: false,
        linkage: Linkage::Components,
        short_documents: ShortDocuments::Whole,
    },
];

/// All presets.
pub fn presets() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter()
}

/// The preset of a name.
///
/// ```
/// let preset = lookalike::settings::preset("fineweb")?;
/// assert_eq!(preset.settings()?.threshold, "0.75");
/// # Ok::<(), lookalike::LookalikeError>(())
/// ```
///
/// # Errors
/// There is none of this name.
pub fn preset(name: &str) -> Result<&'static Preset, LookalikeError> {
    presets().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = presets().map(|preset| preset.name).collect();
        LookalikeError::Settings(format!(
            "there is no preset {name:?}; there are {}",
            names.join(", ")
        ))
    })
}

impl Preset {
    /// The settings as options of the command and their values, in the order in which they are
    /// printed. `shingle` and `threshold` are those of the caller, where it has others: the method
    /// follows them.
    #[must_use]
    pub fn options(
        &self,
        shingle: Option<&str>,
        threshold: Option<&str>,
    ) -> Vec<(&'static str, String)> {
        let width = self.shingle.to_string();
        let shingle = shingle.unwrap_or(&width);
        let threshold = threshold.unwrap_or(self.threshold);
        let mut options = vec![
            ("shingle", shingle.to_owned()),
            ("shingle-unit", if self.unit == Unit::Char { "char" } else { "word" }.to_owned()),
            ("threshold", threshold.to_owned()),
            ("linkage", self.linkage_name().to_owned()),
        ];
        if self.symbols {
            options.push(("tokens", "symbols".to_owned()));
        }
        if self.short_documents == ShortDocuments::Ignore {
            options.push(("short-documents", "ignore".to_owned()));
        }
        if let (Some(bands), true) = (self.bands, self.banded) {
            options.push(("method", format!("minhash-lsh:t={threshold},w={shingle}")));
            options.push(("bands", bands.bands.to_string()));
            options.push(("rows", bands.rows.to_string()));
        }
        options
    }

    /// The settings; all that the preset does not state are defaults.
    ///
    /// # Errors
    /// None: each preset is checked by a test.
    pub fn settings(&self) -> Result<Settings, LookalikeError> {
        self.settings_with(None, None, &MethodKnobs::default())
    }

    /// The settings with a `shingle`, a `threshold` and parameters of the method in place of the
    /// preset's: the method follows them.
    ///
    /// # Errors
    /// Parameters of a method for a preset without one; see [`MethodKnobs::apply`].
    pub fn settings_with(
        &self,
        shingle: Option<u32>,
        threshold: Option<&str>,
        knobs: &MethodKnobs,
    ) -> Result<Settings, LookalikeError> {
        let shingle = shingle.unwrap_or(self.shingle);
        let threshold = threshold.unwrap_or(self.threshold);
        let mut settings = Settings {
            threshold: threshold.into(),
            shingle: Shingle::Of(shingle),
            short_documents: self.short_documents,
            linkage: Some(self.linkage),
            ..Settings::default()
        };
        settings.analysis.unit = self.unit;
        settings.analysis.tokens = self.symbols.then_some(Tokens::Symbols);
        match (self.bands.filter(|_| self.banded), knobs.first()) {
            (Some(bands), _) => {
                let knobs = MethodKnobs {
                    bands: knobs.bands.or(Some(bands.bands)),
                    rows: knobs.rows.or(Some(bands.rows)),
                    ..*knobs
                };
                settings.method = Some(MethodSettings {
                    spec: knobs.apply(&format!("minhash-lsh:t={threshold},w={shingle}"))?,
                    verify: Verify::Exact,
                    lexicon: None,
                    lexicon_checksum: None,
                    key_limit: None,
                });
            }
            (None, Some(knob)) => {
                return Err(LookalikeError::Settings(format!(
                    "the setting {knob} sets a parameter of a method, and the preset {} has none; \
                     name one with the setting method",
                    self.name
                )));
            }
            (None, None) => {}
        }
        Ok(settings)
    }

    /// The probability that the bands of the source find a pair, by its resemblance; `None` if the
    /// source states no bands.
    #[must_use]
    pub fn s_curve(&self) -> Option<SCurve> {
        let bands = self.bands?;
        let points = (0..=20).map(|step| f64::from(step) / 20.0);
        Some(SCurve {
            keys: format!("{} bands of {} minima", bands.bands, bands.rows),
            points: points.map(|s| (s, bands.probability(s))).collect(),
        })
    }

    fn linkage_name(&self) -> &'static str {
        match self.linkage {
            Linkage::Leaders => "leaders",
            Linkage::Components => "components",
        }
    }

    /// Whether candidates are found by the bands; else by the exact join.
    #[must_use]
    pub fn is_banded(&self) -> bool {
        self.banded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_usable() {
        for preset in presets() {
            let settings = preset.settings().unwrap();
            settings.check().unwrap();
            assert_eq!(preset, super::preset(preset.name).unwrap());
            assert_eq!(settings.method.is_some(), preset.is_banded());
            let options = preset.options(None, None);
            let option = |name: &str| {
                options.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
            };
            assert_eq!(option("threshold"), Some(settings.threshold.as_str()));
            assert_eq!(option("linkage"), Some(preset.linkage_name()));
            if let Some(method) = &settings.method {
                let knobs = MethodKnobs {
                    bands: option("bands").map(|text| text.parse().unwrap()),
                    rows: option("rows").map(|text| text.parse().unwrap()),
                    ..MethodKnobs::default()
                };
                assert_eq!(knobs.apply(option("method").unwrap()).unwrap(), method.spec);
            }
            let paragraphs = [preset.summary, preset.source, preset.differs];
            assert!(paragraphs.iter().all(|text| !text.contains("  ")), "{}", preset.name);
        }
        assert!(super::preset("fine-web").unwrap_err().to_string().contains("slimpajama"));
    }

    /// 1 − (1 − 0.8^r)^b, computed by hand.
    #[test]
    fn curves_are_those_of_the_sources() {
        for (name, at_80) in [
            ("fineweb", 0.924),
            ("curator", 0.677),
            ("olmo3", 0.903),
            ("slimpajama", 0.399),
            ("lee2021", 0.9946),
        ] {
            let curve = super::preset(name).unwrap().s_curve().unwrap();
            let (resemblance, probability) = curve.points[16];
            assert_eq!(resemblance, 0.8);
            assert!((probability - at_80).abs() < 0.0006, "{name}: {probability}");
        }
        assert_eq!(super::preset("gopher").unwrap().s_curve(), None);
    }

    #[test]
    fn the_method_follows_the_shingle_and_the_threshold() {
        let preset = super::preset("fineweb").unwrap();
        let knobs = MethodKnobs { bands: Some(20), seed: Some(3), ..MethodKnobs::default() };
        let settings = preset.settings_with(Some(7), Some("0.9"), &knobs).unwrap();
        let spec = settings.method.clone().unwrap().spec;
        assert_eq!(spec, "minhash-lsh:bands=20,k=160,rows=8,seed=3,t=0.9,w=7");
        assert_eq!((settings.shingle_size(), settings.threshold.as_str()), (Some(7), "0.9"));
        assert!(super::preset("gopher").unwrap().settings_with(None, None, &knobs).is_err());
        let options = preset.options(Some("7"), Some("0.9"));
        assert!(options.contains(&("method", "minhash-lsh:t=0.9,w=7".to_owned())), "{options:?}");
    }
}
