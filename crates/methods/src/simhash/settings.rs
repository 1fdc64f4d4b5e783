//! Parameters of a simhash, and the variants named in the thesis.

use super::fixed::Decimal;
use super::position::{self, PositionFunction};
use crate::{MethodSpec, Parameter, Params, SpecError};

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

/// Words that the tokeniser must remove. A simhash receives tokens and cannot remove them itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Strip {
    /// Words that contain a digit (section 6.4.2: "all features that contained a number").
    pub numbers: bool,
    /// Words that are dates or times, months and days of the week among them.
    pub dates: bool,
}

/// How features are chosen and weighted. The default is the standard simhash (chapter 3).
#[derive(Debug, Clone, Copy, Default)]
pub struct SimhashSettings {
    /// The weight of an occurrence.
    pub weights: Weights,
    /// The factor by position (sections 5.2, 5.3).
    pub position: Option<PositionFunction>,
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
    /// Metadata are features that weigh this share of the largest weight (section 4.1).
    pub metadata: Option<Decimal>,
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
pub const VARIANTS: &[Variant] = &[
    ("original", |_| ()),
    ("metadata", |s| s.metadata = Some(HALF)),
    ("strip", |s| s.strip = Strip { numbers: true, dates: true }),
    ("low", |s| s.least = Some(HUNDREDTH)),
    ("high", |s| s.least = Some(HALF)),
    ("position", |s| s.position = position::named("log")),
    ("function", |s| s.position = position::named("cosine")),
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
        name: "weights",
        default: "tfidf",
        help: "tfidf, tfinverse (tf·N/n) or tf, which needs no document frequencies",
    },
    Parameter {
        name: "position",
        default: "none",
        help: "weight by place in the text: log (log(x)/x), cosine (cos(2πx/L)+1), inverse, inverse-log or none",
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
        help: "weight of metadata features, as a share of the largest",
    },
    Parameter {
        name: "reserved",
        default: "0",
        help: "number of leading bits taken from a hash of the metadata, which must agree, 0 to 32",
    },
    Parameter {
        name: "strip",
        default: "none",
        help: "tokens to leave out: numbers, dates or numbers+dates",
    },
];

impl SimhashSettings {
    /// Reads the parameters. Parameters given with a variant override it.
    ///
    /// # Errors
    /// A value that does not fit.
    pub fn from_params(params: Params<'_>) -> Result<Self, SpecError> {
        let mut settings = Self::default();
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
            Some(name) => Some(position::named(name).ok_or_else(|| {
                params.bad("position", "log, cosine, inverse, inverse-log or none")
            })?),
        };
        let decimal = "a decimal from 0 to 1000, or none";
        settings.tagged = optional(params, "tagged", settings.tagged, decimal)?;
        settings.least = optional(params, "least", settings.least, decimal)?;
        settings.most = optional(params, "most", settings.most, decimal)?;
        settings.metadata = optional(params, "metadata", settings.metadata, decimal)?;
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
            settings.strip = strip(text)
                .ok_or_else(|| params.bad("strip", "numbers, dates, numbers+dates or none"))?;
        }
        Ok(settings)
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

fn strip(text: &str) -> Option<Strip> {
    let mut strip = Strip::default();
    for part in text.split('+') {
        match part {
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
        assert_eq!((s.metadata, s.least), (Some(HALF), Some(Decimal::millionths(250_000))));
        assert_eq!(s.strip, Strip { numbers: false, dates: true });
        assert_eq!(settings("simhash:variant=high,least=none").unwrap().least, None);
        assert!(settings("simhash:variant=function").unwrap().position.is_some());
        assert!(settings("simhash:variant=function,position=none").unwrap().position.is_none());
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
            ("strip=stopwords", "strip"),
        ] {
            let error = settings(&format!("simhash:{text}")).unwrap_err().to_string();
            assert!(error.contains(&format!("{parameter}=")), "{error}");
        }
        assert!(settings("simhash:filter=x").is_err());
    }
}
