//! Converts arguments to settings.

use crate::args::{
    CaseArg, Given, LinkageArg, MeasureArg, MethodArgs, NormalizeArg, TablesArg, TokensArg,
    VerifyArg, WitnessArg,
};
use crate::exit::WrongUsage;
use lookalike::{
    Case, Linkage, Measure, MethodKnobs, MethodSettings, Normalize, Settings, TableFormat, Terms,
    Tokens, Verify, WitnessRule,
};

impl From<MeasureArg> for Measure {
    fn from(typed: MeasureArg) -> Self {
        match typed {
            MeasureArg::Resemblance => Self::Resemblance,
            MeasureArg::Containment => Self::Containment,
            MeasureArg::Cosine => Self::Cosine,
        }
    }
}

impl From<LinkageArg> for Linkage {
    fn from(typed: LinkageArg) -> Self {
        match typed {
            LinkageArg::Leaders => Self::Leaders,
            LinkageArg::Components => Self::Components,
        }
    }
}

impl From<WitnessArg> for WitnessRule {
    fn from(typed: WitnessArg) -> Self {
        match typed {
            WitnessArg::First => Self::First,
            WitnessArg::Best => Self::Best,
        }
    }
}

impl From<TablesArg> for TableFormat {
    fn from(typed: TablesArg) -> Self {
        match typed {
            TablesArg::Parquet => Self::Parquet,
            TablesArg::Tsv => Self::Tsv,
            TablesArg::Jsonl => Self::Jsonl,
        }
    }
}

impl From<NormalizeArg> for Normalize {
    fn from(typed: NormalizeArg) -> Self {
        match typed {
            NormalizeArg::None => Self::None,
            NormalizeArg::Nfc => Self::Nfc,
            NormalizeArg::Nfkc => Self::Nfkc,
            NormalizeArg::Confusables => Self::Confusables,
        }
    }
}

impl From<TokensArg> for Tokens {
    fn from(typed: TokensArg) -> Self {
        match typed {
            TokensArg::Words => Self::Words,
            TokensArg::Symbols => Self::Symbols,
        }
    }
}

impl From<CaseArg> for Case {
    fn from(typed: CaseArg) -> Self {
        match typed {
            CaseArg::Fold => Self::Fold,
            CaseArg::Keep => Self::Keep,
        }
    }
}

/// Converts the method arguments to settings; `exact` is the exact join, as is none.
pub(super) fn method(
    args: &MethodArgs,
    seed: Option<u64>,
) -> anyhow::Result<Option<MethodSettings>> {
    let knobs = MethodKnobs {
        num_perm: args.knobs.num_perm,
        bands: args.knobs.bands,
        rows: args.knobs.rows,
        seed,
    };
    let Some(spec) = args.method.as_deref().filter(|spec| *spec != "exact") else {
        let wrong = match (knobs.first(), &args.method) {
            (Some(name), _) => {
                let name = name.replace('_', "-");
                let method =
                    if name == "seed" { "minhash-lsh or imatch-random" } else { "minhash-lsh" };
                format!(
                    "--{name} sets a parameter of a method, and the exact join has none; add --method {method}"
                )
            }
            (None, Some(_)) if args.verify != VerifyArg::Exact => {
                "--verify is for the candidates of a method; --method exact has only matches"
                    .to_owned()
            }
            (None, _) => {
                let given = [
                    ("lexicon", args.lexicon.is_some()),
                    ("lexicon-checksum", args.lexicon_checksum.is_some()),
                    ("key-limit", args.key_limit.is_some()),
                ];
                match given.into_iter().find(|(_, is_given)| *is_given) {
                    None => return Ok(None),
                    Some((name, _)) => format!(
                        "--{name} has no effect without a method; add --method, or leave it out"
                    ),
                }
            }
        };
        return Err(WrongUsage(wrong).into());
    };
    let settings = MethodSettings {
        spec: knobs.apply(spec)?,
        verify: match args.verify {
            VerifyArg::Exact => Verify::Exact,
            VerifyArg::Sketch => Verify::Sketch,
            VerifyArg::None => Verify::None,
        },
        lexicon: args.lexicon.clone(),
        lexicon_checksum: args.lexicon_checksum.clone(),
        key_limit: args.key_limit,
    };
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
