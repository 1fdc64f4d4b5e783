//! Theoretical probability that a method finds two documents of a given resemblance.
//!
//! Bands: 1−(1−s^r)^b (Haveliwala, Gionis & Indyk 2000). Two of six super shingles: Seshasai 2009,
//! section 2.4.1. Both apply to the keys: a method that also verifies by its sketch finds slightly
//! less. They hold for the resemblance of the same shingles as the method's own.

use lookalike_core::{FeatureKind, Measure};
use lookalike_engine::MatchSettings;
use lookalike_methods::minhash::lsh::bands_for;
use lookalike_methods::minhash::{Bands, super_shingle};
use lookalike_methods::{MethodSpec, methods};
use lookalike_run::LookalikeError;
use lookalike_run::approach::wanted;

/// Steps of a curve from resemblance 0 to 1.
const STEPS: u32 = 50;

/// The probability of finding a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Theory {
    /// One of b bands of r minima agrees.
    Bands(Bands),
    /// Two of six super shingles agree.
    TwoOfSix,
}

impl Theory {
    /// The theory of a method, if there is one for the measure and features of the truth.
    pub(crate) fn of(spec: &MethodSpec, settings: &MatchSettings) -> Option<Self> {
        let about = methods().find(|about| about.name == spec.name)?;
        let params = spec.params(&about.parameter_names()).ok()?;
        let default = about.parameters.iter().find(|known| known.name == "w")?.default;
        let width: usize = params.text("w").unwrap_or(default).parse().ok()?;
        let same_shingles =
            matches!(settings.features, FeatureKind::Shingles { size, .. } if size == width);
        if settings.measure != Measure::Resemblance || !same_shingles {
            return None;
        }
        Self::of_keys(spec)
    }

    /// The theory of a method's keys, for the resemblance of its own shingles.
    fn of_keys(spec: &MethodSpec) -> Option<Self> {
        let about = methods().find(|about| about.name == spec.name)?;
        let params = spec.params(&about.parameter_names()).ok()?;
        let number = |name: &str| {
            let default = about.parameters.iter().find(|known| known.name == name)?.default;
            params.text(name).unwrap_or(default).parse::<f64>().ok()
        };
        let count = |name: &str| number(name).map(|number| number as u32);
        match spec.name.as_str() {
            "minhash-lsh" => match (count("bands"), count("rows")) {
                (Some(bands), Some(rows)) => Some(Self::Bands(Bands { bands, rows })),
                _ => bands_for(number("t")?, number("recall")?, count("k")?).map(Self::Bands),
            },
            "super-shingles-84" | "megashingles" => Some(Self::TwoOfSix),
            _ => None,
        }
    }

    /// The probability at resemblance `s`.
    pub(crate) fn probability(self, s: f64) -> f64 {
        match self {
            Self::Bands(bands) => bands.probability(s),
            Self::TwoOfSix => super_shingle::probability(s),
        }
    }

    /// The probability at 0, 0.02, … 1.
    pub(super) fn curve(self) -> Vec<f64> {
        (0..=STEPS).map(|step| self.probability(f64::from(step) / f64::from(STEPS))).collect()
    }
}

/// Probability that two documents have a common key, by their resemblance.
#[derive(Debug, Clone, PartialEq)]
pub struct SCurve {
    /// Description of the keys: `14 bands of 7 minima`.
    pub keys: String,
    /// Resemblance and probability, from 0 to 1.
    pub points: Vec<(f64, f64)>,
}

/// The S-curve of a method by its description, if it has one.
///
/// ```
/// let curve = lookalike::evaluation::s_curve("minhash-lsh:bands=14,rows=7")?.expect("it has one");
/// assert_eq!(curve.keys, "14 bands of 7 minima");
/// # Ok::<(), lookalike::LookalikeError>(())
/// ```
///
/// # Errors
/// A description that makes no sense.
pub fn s_curve(spec: &str) -> Result<Option<SCurve>, LookalikeError> {
    let spec: MethodSpec = spec.parse()?;
    // Parameters and their values are checked where the method is built.
    wanted(&Default::default(), &spec)?;
    let theory = Theory::of_keys(&spec);
    Ok(theory.map(|theory| SCurve {
        keys: match theory {
            Theory::Bands(Bands { bands, rows }) => format!("{bands} bands of {rows} minima"),
            Theory::TwoOfSix => "2 of 6 super shingles of 14 minima".into(),
        },
        points: (0..=20)
            .map(|step| f64::from(step) / 20.0)
            .map(|s| (s, theory.probability(s)))
            .collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn theory(text: &str) -> Option<Theory> {
        let settings = MatchSettings::resemblance("0.8".parse().unwrap());
        Theory::of(&text.parse().unwrap(), &settings)
    }

    #[test]
    fn bands_given_and_chosen() {
        let given = theory("minhash-lsh:bands=3,rows=2,k=6").unwrap();
        assert_eq!(given, Theory::Bands(Bands { bands: 3, rows: 2 }));
        assert_eq!(given.probability(0.5), 0.578_125);
        let chosen = bands_for(0.8, 0.95, 128).unwrap();
        assert_eq!(theory("minhash-lsh"), Some(Theory::Bands(chosen)));
        assert_eq!(given.curve().len(), 51);
        assert_eq!((given.curve()[25], given.curve()[50]), (0.578_125, 1.0));
    }

    #[test]
    fn only_where_it_holds() {
        assert_eq!(theory("megashingles"), Some(Theory::TwoOfSix));
        assert_eq!(theory("megashingles:w=4"), None, "other shingles than those of the truth");
        assert_eq!(theory("lexical"), None);
        let mut settings = MatchSettings::resemblance("0.8".parse().unwrap());
        settings.measure = Measure::Cosine;
        assert_eq!(Theory::of(&"megashingles".parse().unwrap(), &settings), None);
    }
}
