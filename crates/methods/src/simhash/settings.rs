//! Parameters of a simhash, and the variants named in the thesis.

use super::fixed::Decimal;
use super::points;
use super::position::Position;
use crate::{FieldUse, MethodSpec, Parameter, Params, SpecError};

/// The weight of an occurrence of a term, before position and markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Weights {
    /// log₂(N/n), so that a term weighs tf·idf.
    #[default]
    TfIdf,
    /// N/n, the literal reading of section 3.3.
    TfInverse,
    /// 1: a term weighs its number of occurrences.
    Tf,
}

/// What the features of a text are (section 3.1: "words, bigrams, trigrams").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Features {
    /// Each word.
    pub words: bool,
    /// Each two adjacent words.
    pub bigrams: bool,
    /// Each three adjacent words.
    pub trigrams: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self { words: true, bigrams: false, trigrams: false }
    }
}

impl Features {
    /// Whether they are the words alone.
    pub(super) fn are_words(self) -> bool {
        self == Self::default()
    }

    /// Their lengths in words.
    pub(super) fn sizes(self) -> impl Iterator<Item = usize> {
        let sizes = [(1, self.words), (2, self.bigrams), (3, self.trigrams)];
        sizes.into_iter().filter(|&(_, is)| is).map(|(size, _)| size)
    }
}

/// The weight of a metadata feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetadataWeight {
    /// This share of the largest weight of a term (section 4.1).
    Share(Decimal),
    /// The smallest magnitude of the 64 sums that is not 0, so that one field can turn a bit
    /// (section 7.1.1).
    SmallestSum,
}

/// What the words of given texts weigh more than those of the text, if `tagged` does not say.
pub(super) const ANCHOR_BOOST: Decimal = Decimal::millionths(1_500_000);

/// Words that the tokeniser must remove. A simhash receives tokens and cannot remove them itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Strip {
    /// Stop words (sections 4.2 and 5.1).
    pub stop_words: bool,
    /// Words that contain a digit (section 6.4.2: "all features that contained a number").
    pub numbers: bool,
    /// Words that are dates or times, months and days of the week among them.
    pub dates: bool,
}

/// How features are chosen and weighted. The default is the standard simhash (chapter 3).
#[derive(Debug, Clone, Default)]
pub struct SimhashSettings {
    /// What the features of a text are.
    pub features: Features,
    /// The weight of an occurrence.
    pub weights: Weights,
    /// The factor by position (sections 5.2, 5.3).
    pub position: Option<Position>,
    /// The factor in headings and emphasis (section 5.4).
    pub tagged: Option<Decimal>,
    /// Terms heavier than the one at this rank weigh as much as that one ("normalizing top
    /// weights", section 7.1.2).
    pub cap: Option<usize>,
    /// Terms under this share of the largest weight are left out (section 5.1).
    pub least: Option<Decimal>,
    /// Terms over this share of the largest weight are left out; with `least`, the middle region
    /// (section 7.1.2).
    pub most: Option<Decimal>,
    /// Maximum number of terms; the heaviest are kept (section 5.1).
    pub top: Option<usize>,
    /// Metadata are features of this weight.
    pub metadata: Option<MetadataWeight>,
    /// The fields that are metadata.
    pub fields: Vec<String>,
    /// Fields whose words are features with the weight of tagged words (section 5.4).
    pub anchors: Vec<String>,
    /// Fields with numbers: each is a feature whose weight is the number, in units of the largest
    /// weight of a term (section 4.1).
    pub numbers: Vec<String>,
    /// What is subtracted from numbers: those on both sides weigh more than those near to it.
    pub centre: Decimal,
    /// Leading bits that are a hash of the metadata and have to be equal (section 7.1.1); at most
    /// 32.
    pub reserved: u32,
    /// Words that are removed from the text (section 4.2).
    pub strip: Strip,
}

/// A variant by name, and how it changes the standard simhash.
type Variant = (&'static str, fn(&mut SimhashSettings));

const HUNDREDTH: Decimal = Decimal::millionths(10_000);
const HALF: Decimal = Decimal::millionths(500_000);

/// The rows of Table 6.1 in its order, then the variants of section 5.1 and chapter 7.
///
/// `strip` removes stop words as well: "stripping all numbers and dates (in addition to stop words)"
/// (chapter 8), and stop words "would also be removed" (section 6.4.2). The name of its row says
/// numbers and dates only, which is `strip=numbers+dates`.
pub const VARIANTS: &[Variant] = &[
    ("original", |_| ()),
    ("metadata", |s| s.metadata = Some(MetadataWeight::Share(HALF))),
    ("strip", |s| s.strip = Strip { stop_words: true, numbers: true, dates: true }),
    ("low", |s| s.least = Some(HUNDREDTH)),
    ("high", |s| s.least = Some(HALF)),
    ("position", |s| s.position = Position::parse("log")),
    ("function", |s| s.position = Position::parse("cosine")),
    ("tagged", |s| s.tagged = Some(Decimal::millionths(1_500_000))),
    ("top", |s| s.top = Some(20)),
    ("middle", |s| (s.least, s.most) = (Some(HUNDREDTH), Some(HALF))),
    ("capped", |s| s.cap = Some(5)),
    ("reserved", |s| s.reserved = 8),
];

/// The parameters, for lists and help.
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "d", default: "3", help: "bits that may differ, 0 to 32" },
    Parameter {
        name: "join",
        default: "tables",
        help: "algorithm of the Hamming join, with the same result: tables, or ones for a large d",
    },
    Parameter {
        name: "variant",
        default: "original",
        help: "original, metadata, strip, low, high, position, function, tagged (Table 6.1), top, middle, capped, reserved; several joined by +",
    },
    Parameter {
        name: "features",
        default: "words",
        help: "words, bigrams, trigrams; several joined by +. An n-gram has the idf of its rarest word",
    },
    Parameter {
        name: "weights",
        default: "tfidf",
        help: "tfidf, tfinverse (tf·N/n) or tf, which needs no document frequencies",
    },
    Parameter {
        name: "position",
        default: "none",
        help: "weight by place in the text: log (log(x)/x), cosine (cos(2πx/L)+1), inverse, inverse-log, none, or points VALUE:VALUE:… from the first word to the last, VALUE@WORD:… or VALUE@SHARE%:…, with straight lines between them",
    },
    Parameter { name: "tagged", default: "1", help: "weight factor for headings and emphasis" },
    Parameter {
        name: "cap",
        default: "none",
        help: "limit all weights to the weight of this rank",
    },
    Parameter { name: "least", default: "0", help: "minimum weight, as a share of the largest" },
    Parameter { name: "most", default: "none", help: "maximum weight, as a share of the largest" },
    Parameter { name: "top", default: "all", help: "number of terms of largest weight to keep" },
    Parameter {
        name: "metadata",
        default: "none",
        help: "weight of metadata features, as a share of the largest; or min, the smallest of the 64 sums, so that a field can turn a bit",
    },
    Parameter {
        name: "fields",
        default: "url+title+date",
        help: "fields that are the metadata, joined by +; each value of a list is one",
    },
    Parameter {
        name: "anchors",
        default: "none",
        help: "fields with anchor or other texts, joined by +: their words are features, weighted as tagged ones, by 1.5 unless tagged says otherwise",
    },
    Parameter {
        name: "numbers",
        default: "none",
        help: "fields with numbers, such as a link weight, joined by +: each is a feature of that weight, in units of the largest",
    },
    Parameter {
        name: "centre",
        default: "0",
        help: "what is subtracted from numbers, so that those near to it weigh little",
    },
    Parameter {
        name: "reserved",
        default: "0",
        help: "number of leading bits taken from a hash of the metadata, which must agree, 0 to 32",
    },
    Parameter {
        name: "strip",
        default: "none",
        help: "tokens to leave out: stopwords (the 571 of the SMART system), numbers, dates; several joined by +",
    },
];

impl SimhashSettings {
    /// Reads the parameters. Parameters given with a variant override it.
    ///
    /// # Errors
    /// A value that does not fit.
    pub fn from_params(params: Params<'_>) -> Result<Self, SpecError> {
        let mut settings =
            Self { fields: FieldUse::OF_RECORDS.map(str::to_owned).to_vec(), ..Self::default() };
        let known = "names of variants, joined by +";
        for name in params.text("variant").unwrap_or("original").split('+') {
            let (_, apply) = VARIANTS
                .iter()
                .find(|variant| variant.0 == name)
                .ok_or_else(|| params.bad("variant", known))?;
            apply(&mut settings);
        }
        settings.weights = match params.text("weights") {
            None | Some("tfidf") => Weights::TfIdf,
            Some("tfinverse") => Weights::TfInverse,
            Some("tf") => Weights::Tf,
            Some(_) => return Err(params.bad("weights", "tfidf, tfinverse or tf")),
        };
        settings.position = match params.text("position") {
            None => settings.position,
            Some("none") => None,
            Some(text) => Some(
                Position::parse(text).ok_or_else(|| params.bad("position", points::EXPECTED))?,
            ),
        };
        let decimal = "a decimal from 0 to 1000, or none";
        settings.tagged = optional(params, "tagged", settings.tagged, decimal)?;
        settings.least = optional(params, "least", settings.least, decimal)?;
        settings.most = optional(params, "most", settings.most, decimal)?;
        settings.metadata = match (params.text("metadata"), settings.metadata) {
            (Some("min"), _) => Some(MetadataWeight::SmallestSum),
            (None, variant) => variant,
            (Some(_), _) => {
                optional(params, "metadata", None, "a decimal from 0 to 1000, min or none")?
                    .map(MetadataWeight::Share)
            }
        };
        settings.centre = params.get("centre", settings.centre, "a decimal from 0 to 1000")?;
        let number = "a whole number from 1, or none";
        settings.cap = optional(params, "cap", settings.cap, number)?;
        settings.top = optional(params, "top", settings.top, number)?;
        for (name, value) in [("cap", settings.cap), ("top", settings.top)] {
            if value == Some(0) {
                return Err(params.bad(name, number));
            }
        }
        settings.reserved =
            params.checked("reserved", settings.reserved, "bits, 0 to 32", |&bits| bits <= 32)?;
        if let Some(text) = params.text("strip") {
            settings.strip = strip(text).ok_or_else(|| {
                params.bad("strip", "stopwords, numbers, dates, joined by +, or none")
            })?;
        }
        if let Some(text) = params.text("features") {
            let expected = "words, bigrams, trigrams, joined by +";
            settings.features = features(text).ok_or_else(|| params.bad("features", expected))?;
        }
        settings.named_fields(params)?;
        Ok(settings)
    }

    /// Reads the parameters that name fields.
    fn named_fields(&mut self, params: Params<'_>) -> Result<(), SpecError> {
        let expected = "names of fields, each once, joined by +";
        let lists = [
            ("fields", &mut self.fields),
            ("anchors", &mut self.anchors),
            ("numbers", &mut self.numbers),
        ];
        for (name, list) in lists {
            if let Some(text) = params.text(name).filter(|text| *text != "none") {
                *list = names(text).ok_or_else(|| params.bad(name, expected))?;
            }
        }
        if params.text("fields").is_some() && self.metadata.is_none() && self.reserved == 0 {
            return Err(
                params.bad("fields", "needs the parameter metadata or reserved, which uses them")
            );
        }
        if params.text("centre").is_some() && self.numbers.is_empty() {
            return Err(
                params.bad("centre", "needs the parameter numbers, of which it is subtracted")
            );
        }
        Ok(())
    }

    /// Parses the description of a simhash, for a tokeniser that has to apply
    /// [`SimhashSettings::strip`].
    ///
    /// # Errors
    /// An unknown parameter or a value that does not fit.
    pub fn from_spec(spec: &MethodSpec) -> Result<Self, SpecError> {
        let names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
        Self::from_params(spec.params(&names)?)
    }
}

/// A parameter that may be `none` (or `all`), which also undoes a variant.
fn optional<T: std::str::FromStr>(
    params: Params<'_>,
    name: &str,
    otherwise: Option<T>,
    expected: &str,
) -> Result<Option<T>, SpecError> {
    match params.text(name) {
        None => Ok(otherwise),
        Some("none" | "all") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| params.bad(name, expected)),
    }
}

fn features(text: &str) -> Option<Features> {
    let mut features = Features { words: false, bigrams: false, trigrams: false };
    for part in text.split('+') {
        match part {
            "words" => features.words = true,
            "bigrams" => features.bigrams = true,
            "trigrams" => features.trigrams = true,
            _ => return None,
        }
    }
    Some(features)
}

/// Names, joined by `+`.
fn names(text: &str) -> Option<Vec<String>> {
    let names: Vec<String> = text.split('+').map(|name| name.trim().to_owned()).collect();
    let once = |(at, name): (usize, &String)| !name.is_empty() && !names[..at].contains(name);
    names.iter().enumerate().all(once).then_some(names.clone())
}

fn strip(text: &str) -> Option<Strip> {
    let mut strip = Strip::default();
    for part in text.split('+') {
        match part {
            "stopwords" => strip.stop_words = true,
            "numbers" => strip.numbers = true,
            "dates" => strip.dates = true,
            "none" => (),
            _ => return None,
        }
    }
    Some(strip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<SimhashSettings, SpecError> {
        SimhashSettings::from_spec(&text.parse().unwrap())
    }

    #[test]
    fn variants_combine_and_parameters_override_them() {
        let s = settings("simhash:variant=metadata+high+strip,least=0.25,strip=dates").unwrap();
        let half = Some(MetadataWeight::Share(HALF));
        assert_eq!((s.metadata, s.least), (half, Some(Decimal::millionths(250_000))));
        assert_eq!(s.strip, Strip { dates: true, ..Strip::default() });
        assert_eq!(settings("simhash:variant=high,least=none").unwrap().least, None);
        assert!(settings("simhash:variant=function").unwrap().position.is_some());
        assert!(settings("simhash:variant=function,position=none").unwrap().position.is_none());
    }

    #[test]
    fn the_variant_strip_removes_stop_words_too() {
        let all = settings("simhash:variant=strip").unwrap().strip;
        assert_eq!(all, Strip { stop_words: true, numbers: true, dates: true });
        let row = settings("simhash:strip=numbers+dates").unwrap().strip;
        assert_eq!(row, Strip { stop_words: false, ..all });
        assert_eq!(settings("simhash:variant=strip,strip=numbers+dates").unwrap().strip, row);
    }

    #[test]
    fn table_6_1_is_all_there() {
        let rows = "original metadata strip low high position function tagged";
        let names: Vec<&str> = VARIANTS.iter().map(|variant| variant.0).collect();
        assert_eq!(names[..8].join(" "), rows);
        for name in names {
            settings(&format!("simhash:variant={name}")).unwrap();
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (text, parameter) in [
            ("variant=best", "variant"),
            ("variant=low+", "variant"),
            ("weights=idf", "weights"),
            ("position=sine", "position"),
            ("tagged=-1", "tagged"),
            ("top=0", "top"),
            ("cap=0", "cap"),
            ("reserved=33", "reserved"),
            ("strip=words", "strip"),
            ("features=", "features"),
            ("features=words+4-grams", "features"),
            ("position=1:x", "position"),
            ("metadata=max", "metadata"),
            ("metadata=min,fields=a++b", "fields"),
            ("metadata=min,fields=a+a", "fields"),
            ("fields=a", "fields"),
            ("anchors=+", "anchors"),
            ("numbers=", "numbers"),
            ("centre=0.5", "centre"),
            ("numbers=a,centre=-1", "centre"),
        ] {
            let error = settings(&format!("simhash:{text}")).unwrap_err().to_string();
            assert!(error.contains(&format!("{parameter}=")), "{error}");
        }
        assert!(settings("simhash:filter=x").is_err());
    }
}
