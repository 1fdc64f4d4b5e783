//! Converts arguments to settings.

use crate::args::Given;
use crate::exit::WrongUsage;
use lookalike::{
    Settings,
    methods::{MethodKnobs, MethodSettings},
    settings::Terms,
};
use lookalike_options::Item;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The method that arguments name; `exact` is the exact join, as is none.
pub(super) fn method(method: &Given, seed: &Given) -> anyhow::Result<Option<MethodSettings>> {
    let of = |name| method.iter().chain(seed).find(|(item, _)| item.name == name);
    let number = |name| of(name).and_then(|(_, value)| value.as_u64());
    let small = |name| number(name).and_then(|number| number.try_into().ok());
    let knobs = MethodKnobs {
        num_perm: small("num-perm"),
        bands: small("bands"),
        rows: small("rows"),
        seed: number("seed"),
    };
    let text = |name| of(name).and_then(|(_, value)| value.as_str());
    let Some(spec) = text("method").filter(|spec| *spec != "exact") else {
        let wrong = match knobs.first() {
            Some(name) => {
                let name = name.replace('_', "-");
                let method =
                    if name == "seed" { "minhash-lsh or imatch-random" } else { "minhash-lsh" };
                format!(
                    "--{name} sets a parameter of a method, and the exact join has none; add --method {method}"
                )
            }
            None if of("method").is_some() && text("verify") != Some("exact") => {
                "--verify is for the candidates of a method; --method exact has only matches"
                    .to_owned()
            }
            None => {
                let needs = |item: &Item| !item.needs.is_empty() && item.default.is_none();
                match method.iter().find(|(item, _)| needs(item)) {
                    None => return Ok(None),
                    Some((Item { name, .. }, _)) => format!(
                        "--{name} has no effect without a method; add --method, or leave it out"
                    ),
                }
            }
        };
        return Err(WrongUsage(wrong).into());
    };
    let fields = method.iter().filter_map(|(item, value)| {
        Some((item.path.strip_prefix("method.")?.to_owned(), value.clone()))
    });
    let mut fields: Map<String, Value> = fields.collect();
    fields.insert("spec".to_owned(), knobs.apply(spec)?.into());
    let settings: MethodSettings = serde_json::from_value(fields.into())?;
    settings.check()?;
    Ok(Some(settings))
}

/// Settings with the values of these groups of arguments.
pub(super) fn settings(groups: &[&Given]) -> anyhow::Result<Settings> {
    let mut json = serde_json::to_value(Settings::default())?;
    for (item, value) in groups.iter().copied().flatten() {
        let place = match item.path().split_once('.') {
            Some((group, name)) => &mut json[group][name],
            None => &mut json[item.path()],
        };
        *place = value.clone();
    }
    let mut settings: Settings = serde_json::from_value(json)?;
    if settings.formats.extract.is_empty() {
        settings.formats.extract_timeout = None;
    }
    let Settings { measure, shingle, .. } = settings;
    let of_texts = Settings { measure, shingle, ..Settings::default() };
    if settings.terms != Terms::All && of_texts.shingle_size().is_some() {
        let reason = "--terms filters the terms of --measure cosine; shingles use all words; leave out \
                      --terms or --shingle";
        return Err(WrongUsage(reason.to_owned()).into());
    }
    Ok(settings)
}

/// Settings of a group of their own, whose defaults are these.
pub(super) fn of_group<S: Serialize + DeserializeOwned>(
    defaults: S,
    given: &Given,
) -> anyhow::Result<S> {
    let mut json = serde_json::to_value(defaults)?;
    // The options of a preset are added to the command line.
    for (item, value) in given.iter().filter(|(item, _)| item.name != "preset") {
        json[item.path()] = value.clone();
    }
    Ok(serde_json::from_value(json)?)
}
