//! Named settings of `decontaminate`, as well-known models and tools state them.

use crate::LookalikeError;
use lookalike_run::ContaminationSettings;

/// Settings of `decontaminate` by name. `docs/how-to/decontaminate.md` lists them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContaminationPreset {
    /// Its name.
    pub name: &'static str,
    /// What was looked for so.
    pub summary: &'static str,
    /// Where the settings are stated.
    pub source: &'static str,
    /// What differs from the source.
    pub differs: &'static str,
    ngram: u32,
    threshold: &'static str,
    /// `None` if the source has no limit.
    common: Option<u32>,
}

static PRESETS: [ContaminationPreset; 5] = [
    ContaminationPreset {
        name: "gpt3",
        summary: "GPT-3: any 13-gram that at most 10 documents have",
        source: "Brown et al. 2020, Language Models are Few-Shot Learners, appendix C; TaskDecontamination of NeMo \
                 Curator and janitor.py of lm-evaluation-harness follow it",
        differs: "the source removes 200 characters around each match, and documents that this splits into more \
                  than 10 pieces",
        ngram: 13,
        threshold: "0.000000001",
        common: Some(10),
    },
    ContaminationPreset {
        name: "palm",
        summary: "PaLM: 70 % of the 8-grams of an item",
        source: "Chowdhery et al. 2022, PaLM, section 8: at least 70 % of the 8-grams are found in the training data",
        differs: "the source finds them anywhere in the training data; here one document has them",
        ngram: 8,
        threshold: "0.7",
        common: None,
    },
    ContaminationPreset {
        name: "llama2",
        summary: "Llama 2, its dirty samples: 80 % in n-grams of more than 10",
        source: "Touvron et al. 2023, Llama 2, appendix A.6: tokens in n-grams of more than 10 tokens; a sample is \
                 dirty if they are 80 % of it",
        differs: "the source counts tokens of its tokenizer and not n-grams of words, anywhere in the training data, \
                  and lets up to four tokens of an n-gram differ",
        ngram: 11,
        threshold: "0.8",
        common: None,
    },
    ContaminationPreset {
        name: "cosmopedia",
        summary: "Cosmopedia: half of an item, found by 10-grams",
        source: "huggingface/cosmopedia, decontamination: candidates by a common 10-gram, removed if difflib matches \
                 more than half of the benchmark sample",
        differs: "the source counts matched characters; here n-grams count",
        ngram: 10,
        threshold: "0.5",
        common: None,
    },
    ContaminationPreset {
        name: "marin",
        summary: "Marin: half of the 13-grams",
        source: "marin-community/marin, datakit: 13-grams of words, overlap 0.5; n-grams that are frequent in a \
                 source are left out",
        differs: "the source takes the share of a paragraph of the document, so that a longer paragraph hides an \
                  item; here it is the share of the item. It uses a Bloom filter, and estimates frequencies by source",
        ngram: 13,
        threshold: "0.5",
        common: None,
    },
];

/// All presets of `decontaminate`.
pub fn contamination_presets() -> impl Iterator<Item = &'static ContaminationPreset> {
    PRESETS.iter()
}

/// The preset of a name.
///
/// ```
/// let preset = lookalike::contamination::contamination_preset("palm")?;
/// assert_eq!(preset.settings().ngram, 8);
/// # Ok::<(), lookalike::LookalikeError>(())
/// ```
///
/// # Errors
/// There is none of this name.
pub fn contamination_preset(name: &str) -> Result<&'static ContaminationPreset, LookalikeError> {
    contamination_presets().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = contamination_presets().map(|preset| preset.name).collect();
        LookalikeError::Settings(format!(
            "there is no preset {name:?} for benchmarks; there are {}",
            names.join(", ")
        ))
    })
}

impl ContaminationPreset {
    /// The settings as options of the command and their values.
    #[must_use]
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let mut options =
            vec![("ngram", self.ngram.to_string()), ("threshold", self.threshold.to_owned())];
        options.extend(self.common.map(|common| ("common", common.to_string())));
        options
    }

    /// The settings; all that the preset does not state are defaults.
    #[must_use]
    pub fn settings(&self) -> ContaminationSettings {
        let usual = ContaminationSettings::default();
        ContaminationSettings {
            ngram: self.ngram,
            threshold: self.threshold.into(),
            common: self.common.unwrap_or(usual.common),
            ..usual
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_usable() {
        let page = include_str!("../../../docs/how-to/decontaminate.md");
        for preset in contamination_presets() {
            preset.settings().check().unwrap();
            assert!(page.contains(&format!("| `{}` |", preset.name)), "{}", preset.name);
            assert!(crate::settings::preset(preset.name).is_err(), "{}", preset.name);
            let paragraphs = [preset.summary, preset.source, preset.differs];
            assert!(paragraphs.iter().all(|text| !text.contains("  ")), "{}", preset.name);
        }
        assert!(contamination_preset("gpt-3").unwrap_err().to_string().contains("gpt3"));
    }
}
