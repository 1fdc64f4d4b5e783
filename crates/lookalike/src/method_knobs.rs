//! Parameters of methods under the names that other tools give them.

use crate::LookalikeError;
use lookalike_methods::{About, MethodSpec, methods};

/// Parameters that most tools name alike: they set parameters of a method.
///
/// | name | parameter |
/// |---|---|
/// | `num_perm` | `k`: minima in a sketch (permutations) |
/// | `bands` | `bands` (buckets) |
/// | `rows` | `rows`: minima in a band |
/// | `seed` | `seed` of the hash functions, or of the random choices of a method |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MethodKnobs {
    /// Minima in a sketch.
    pub num_perm: Option<u32>,
    /// Bands.
    pub bands: Option<u32>,
    /// Minima in a band.
    pub rows: Option<u32>,
    /// Random seed.
    pub seed: Option<u64>,
}

impl MethodKnobs {
    /// Each name, the parameter of methods that it sets, and the value given.
    fn all(&self) -> [(&'static str, &'static str, Option<u64>); 4] {
        [
            ("num_perm", "k", self.num_perm.map(u64::from)),
            ("bands", "bands", self.bands.map(u64::from)),
            ("rows", "rows", self.rows.map(u64::from)),
            ("seed", "seed", self.seed),
        ]
    }

    /// The first name with a value.
    #[must_use]
    pub fn first(&self) -> Option<&'static str> {
        self.all().into_iter().find_map(|(name, _, value)| value.map(|_| name))
    }

    /// The method with these parameters. Without `num_perm` or a `k` of its own, a method with bands
    /// and rows has as many minima as they need.
    ///
    /// ```
    /// use lookalike::methods::MethodKnobs;
    ///
    /// let knobs = MethodKnobs { bands: Some(20), rows: Some(13), ..MethodKnobs::default() };
    /// assert_eq!(knobs.apply("minhash-lsh:w=24")?, "minhash-lsh:bands=20,k=260,rows=13,w=24");
    /// assert!(knobs.apply("minhash-lsh:bands=14").is_err());
    /// assert!(knobs.apply("simhash").is_err());
    /// # Ok::<(), lookalike::LookalikeError>(())
    /// ```
    ///
    /// # Errors
    /// No method; a method without the parameter; a parameter that the method states already.
    pub fn apply(&self, method: &str) -> Result<String, LookalikeError> {
        if self.first().is_none() {
            return Ok(method.to_owned());
        }
        let mut spec: MethodSpec = method.parse().map_err(LookalikeError::MethodSetting)?;
        let about = methods().find(|about| about.name == spec.name);
        let known = |name: &str| about.is_some_and(|about| has(about, name));
        let sized = self.num_perm.is_some() || spec.get("k").is_some();
        for (name, parameter, value) in self.all() {
            let Some(value) = value else { continue };
            // A method that does not exist is reported where it is built.
            if about.is_some() && !known(parameter) {
                let with: Vec<&str> = methods()
                    .filter(|about| has(about, parameter))
                    .map(|about| about.name)
                    .collect();
                return Err(LookalikeError::Settings(format!(
                    "the setting {name} sets the parameter {parameter} of a method, which {} does not \
                     have; {} does",
                    spec.name,
                    with.join(", ")
                )));
            }
            if let Some(stated) = spec.get(parameter) {
                return Err(LookalikeError::Settings(format!(
                    "the setting {name}={value} and the parameter {parameter}={stated} of the method \
                     {method:?} say the same; leave one out"
                )));
            }
            spec.set(parameter, &value.to_string());
        }
        let count = |name: &str| spec.get(name).and_then(|text| text.parse::<u32>().ok());
        if let (false, true, Some(bands), Some(rows)) =
            (sized, known("k"), count("bands"), count("rows"))
        {
            spec.set("k", &bands.saturating_mul(rows).to_string());
        }
        Ok(spec.to_string())
    }
}

fn has(about: &About, parameter: &str) -> bool {
    about.parameters.iter().any(|known| known.name == parameter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_set_the_parameters_of_the_method() {
        let none = MethodKnobs::default();
        assert_eq!(
            (none.apply("anything at all").unwrap(), none.first()),
            ("anything at all".into(), None)
        );
        let all =
            MethodKnobs { num_perm: Some(256), bands: Some(16), rows: Some(15), seed: Some(42) };
        let spec = all.apply("minhash-lsh").unwrap();
        assert_eq!(spec, "minhash-lsh:bands=16,k=256,rows=15,seed=42");
        let rows = MethodKnobs { rows: Some(8), ..none };
        assert_eq!(
            rows.apply("minhash-lsh:bands=14").unwrap(),
            "minhash-lsh:bands=14,k=112,rows=8"
        );
        assert_eq!(
            rows.apply("minhash-lsh:bands=14,k=200").unwrap(),
            "minhash-lsh:bands=14,k=200,rows=8"
        );
        let seed = MethodKnobs { seed: Some(7), ..none };
        assert_eq!(seed.apply("imatch-random").unwrap(), "imatch-random:seed=7");
    }

    #[test]
    fn what_cannot_be_set_is_refused() {
        let num_perm = MethodKnobs { num_perm: Some(64), ..MethodKnobs::default() };
        let error = num_perm.apply("minhash-lsh:k=128").unwrap_err().to_string();
        assert!(error.contains("num_perm=64") && error.contains("k=128"), "{error}");
        let error = num_perm.apply("lexical").unwrap_err().to_string();
        assert!(error.contains("lexical does not have; minhash-lsh"), "{error}");
        assert!(num_perm.apply("").is_err());
    }
}
