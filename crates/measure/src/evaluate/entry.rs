//! Parses the list of methods of an evaluation into one entry for each run of a method.
//!
//! An entry is a method's description, `name:parameter=value,…`, and after an `@` the verifier of
//! its candidates: `exact`, `sketch` or `none`. One parameter may be a range of whole numbers,
//! `LOW..=HIGH`, or a list, `A|B|C`: each of its values is an entry of its own, and together they
//! are a series. `exact` is the exact join.

use lookalike_engine::Verify;
use lookalike_methods::MethodSpec;
use lookalike_report::SeriesPlace;
use lookalike_run::LookalikeError;
use lookalike_run::approach::name_of;
use std::collections::HashSet;

/// The name of the exact join.
const EXACT: &str = "exact";

/// Maximum number of values of a range.
const MOST_VALUES: u64 = 1000;

/// One method to run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// Its description in normal form.
    pub(super) text: String,
    /// The method; `None` for the exact join.
    pub(super) spec: Option<MethodSpec>,
    /// The verifier of its candidates.
    pub(super) verify: Verify,
    /// Its place in a series.
    pub(super) series: Option<SeriesPlace>,
}

/// Parses method descriptions into entries, in their order.
///
/// # Errors
/// An invalid description, a range without values, a repeated entry.
pub(super) fn entries(texts: &[String]) -> Result<Vec<Entry>, LookalikeError> {
    let mut entries = Vec::new();
    for text in texts {
        expand(text, &mut entries)?;
    }
    let mut seen = HashSet::new();
    match entries.iter().find(|entry| !seen.insert(entry.text.as_str())) {
        Some(twice) => Err(wrong(&twice.text, "is given twice")),
        None if entries.is_empty() => Err(LookalikeError::Settings("no method to evaluate".into())),
        None => Ok(entries),
    }
}

fn wrong(text: &str, what: &str) -> LookalikeError {
    LookalikeError::Settings(format!("the setting methods: {text:?} {what}"))
}

fn expand(text: &str, out: &mut Vec<Entry>) -> Result<(), LookalikeError> {
    let (described, verify) = match text.rsplit_once('@') {
        None => (text, None),
        Some((described, name)) => (described, Some(verification(text, name)?)),
    };
    if described.trim() == EXACT {
        if verify.is_some_and(|verify| verify != Verify::Exact) {
            return Err(wrong(text, "is invalid: the exact join always verifies complete sets"));
        }
        out.push(Entry { text: EXACT.into(), spec: None, verify: Verify::Exact, series: None });
        return Ok(());
    }
    let verify = verify.unwrap_or(Verify::Sketch);
    let (name, parameters) = described.split_once(':').unwrap_or((described, ""));
    let parameters: Vec<&str> = parameters.split(',').collect();
    let ranges: Vec<(usize, &str, Vec<String>)> = (0..)
        .zip(&parameters)
        .filter_map(|(at, part)| part.split_once('=').map(|(key, value)| (at, key.trim(), value)))
        .filter_map(|(at, key, value)| values(value).map(|values| (at, key, values)))
        .collect();
    let spec = |changed: Option<(usize, &str, &str)>| -> Result<MethodSpec, LookalikeError> {
        let parts = (0..).zip(&parameters).map(|(at, part)| match changed {
            Some((place, key, value)) if place == at => format!("{key}={value}"),
            _ => (*part).to_owned(),
        });
        Ok(format!("{name}:{}", parts.collect::<Vec<_>>().join(",")).parse()?)
    };
    let named = |spec: &MethodSpec| name_of(spec, verify);
    match ranges.as_slice() {
        [] => {
            let spec = spec(None)?;
            out.push(Entry { text: named(&spec), spec: Some(spec), verify, series: None });
        }
        [(at, key, values)] => {
            if values.is_empty() {
                return Err(wrong(text, "is a range without values, or of more than 1000"));
            }
            let series = named(&spec(Some((*at, key, "*")))?);
            for value in values {
                let spec = spec(Some((*at, key, value)))?;
                let place = SeriesPlace {
                    series: series.clone(),
                    parameter: (*key).to_owned(),
                    value: value.clone(),
                };
                let text = named(&spec);
                out.push(Entry { text, spec: Some(spec), verify, series: Some(place) });
            }
        }
        _ => return Err(wrong(text, "has two ranges; one parameter can vary at a time")),
    }
    Ok(())
}

/// The values of a range or list; an empty list if a range is empty or too long, `None` for a
/// single value.
fn values(text: &str) -> Option<Vec<String>> {
    if text.contains('|') {
        let values: Vec<String> = text.split('|').map(|value| value.trim().to_owned()).collect();
        return Some(if values.iter().any(String::is_empty) { Vec::new() } else { values });
    }
    let (low, high) = text.split_once("..=")?;
    let bounds = (low.trim().parse::<u64>(), high.trim().parse::<u64>());
    let (Ok(low), Ok(high)) = bounds else { return Some(Vec::new()) };
    if high < low || high - low >= MOST_VALUES {
        return Some(Vec::new());
    }
    Some((low..=high).map(|value| value.to_string()).collect())
}

fn verification(text: &str, name: &str) -> Result<Verify, LookalikeError> {
    Verify::ALL
        .into_iter()
        .find(|verify| verify.name() == name.trim())
        .ok_or_else(|| wrong(text, "has an unknown verifier after @; use exact, sketch or none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&str]) -> Result<Vec<String>, String> {
        let of: Vec<String> = of.iter().map(|&text| text.to_owned()).collect();
        let entries = entries(&of).map_err(|error| error.to_string())?;
        Ok(entries.into_iter().map(|entry| entry.text).collect())
    }

    #[test]
    fn verification_and_spelling() {
        let all = ["exact", "dsc:w=5,m=10", "imatch:nidf=0.2..0.8@none", "minhash-lsh:t=0.8@exact"];
        let expected = [
            "exact",
            "dsc:m=10,w=5@sketch",
            "imatch:nidf=0.2..0.8@none",
            "minhash-lsh:t=0.8@exact",
        ];
        assert_eq!(texts(&all).unwrap(), expected);
    }

    #[test]
    fn ranges_and_lists_become_series() {
        let all = entries(&["simhash:d=9..=11,weights=tf@none".to_owned()]).unwrap();
        let found: Vec<&str> = all.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(
            found,
            [
                "simhash:d=9,weights=tf@none",
                "simhash:d=10,weights=tf@none",
                "simhash:d=11,weights=tf@none"
            ]
        );
        let place = all[1].series.as_ref().unwrap();
        assert_eq!(
            (place.series.as_str(), place.value.as_str()),
            ("simhash:d=*,weights=tf@none", "10")
        );
        assert_eq!(texts(&["dsc:m=4|25"]).unwrap(), ["dsc:m=4@sketch", "dsc:m=25@sketch"]);
    }

    #[test]
    fn nonsense_is_refused() {
        for (text, why) in [
            ("exact@sketch", "complete sets"),
            ("dsc@often", "unknown verifier"),
            ("dsc:m=9..=3", "without values"),
            ("dsc:m=0..=5000", "more than 1000"),
            ("dsc:m=4||5", "without values"),
            ("dsc:m=1|2,w=3|4", "two ranges"),
            ("dsc:m", "NAME:PARAMETER"),
        ] {
            let error = texts(&[text]).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert!(texts(&["dsc:w=5,m=2", "dsc:m=2,w=5"]).unwrap_err().contains("twice"));
        assert!(texts(&[]).is_err());
    }
}
