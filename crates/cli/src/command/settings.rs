//! Converts arguments to settings.

use crate::args::{
    AnalysisArgs, CaseArg, FieldArgs, FormatArgs, InputFormatArg, LinkageArg, MeasureArg,
    MethodArgs, NormalizeArg, ShortArg, TablesArg, TermsArg, TokensArg, UnitArg, VerifyArg,
    WitnessArg,
};
use crate::exit::WrongUsage;
use lookalike::{
    AnalysisSettings, Case, FieldNames, Format, FormatOptions, Linkage, Measure, MethodKnobs,
    MethodSettings, Normalize, Settings, Shingle, ShortDocuments, TableFormat, Terms, Tokens, Unit,
    Verify, WitnessRule,
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

/// Converts the field arguments to settings.
pub(super) fn field_names(args: &FieldArgs) -> FieldNames {
    FieldNames {
        text: args.text_field.clone(),
        id: args.id_field.clone(),
        url: args.url_field.clone(),
        title: args.title_field.clone(),
        date: args.date_field.clone(),
        html: args.html_field.clone(),
        extra: Vec::new(),
        given: Vec::new(),
        join_lists: args.records.join_lists.clone(),
        features: args.records.features_field.clone(),
    }
}

pub(super) fn input_format(args: &FieldArgs) -> Option<Format> {
    args.input_format.map(|format| match format {
        InputFormatArg::Jsonl => Format::Jsonl,
        InputFormatArg::Csv => Format::Csv,
        InputFormatArg::Tsv => Format::Tsv,
        InputFormatArg::Parquet => Format::Parquet,
        InputFormatArg::Arrow => Format::Arrow,
        InputFormatArg::Text => Format::Text,
        InputFormatArg::Markdown => Format::Markdown,
        InputFormatArg::Html => Format::Html,
        InputFormatArg::Mbox => Format::Mbox,
        InputFormatArg::Maildir => Format::Maildir,
        InputFormatArg::Eml => Format::Eml,
        InputFormatArg::Warc => Format::Warc,
        InputFormatArg::Docx => Format::Docx,
        InputFormatArg::Odt => Format::Odt,
    })
}

/// Converts the arguments of single formats to settings.
pub(super) fn format_options(args: &FieldArgs) -> FormatOptions {
    let FormatArgs {
        csv_delimiter,
        csv_quote,
        csv_escape,
        warc_status,
        mail_quotes,
        mail_signatures,
        mail_html,
        mail_attachments,
        extract,
        extract_timeout,
    } = args.formats.clone();
    let extract_timeout = (!extract.is_empty()).then_some(extract_timeout);
    FormatOptions {
        csv_delimiter,
        csv_quote,
        csv_escape,
        warc_status,
        mail_quotes,
        mail_signatures,
        mail_html,
        mail_attachments,
        extract,
        extract_timeout,
    }
}

/// Converts the analysis arguments to settings.
pub(super) fn settings(
    measure: MeasureArg,
    analysis: &AnalysisArgs,
    fields: &FieldArgs,
) -> anyhow::Result<Settings> {
    let of_texts = analysis_settings(measure, analysis)?;
    Ok(Settings {
        fields: field_names(fields),
        format: input_format(fields),
        max_record: Some(fields.max_record),
        formats: format_options(fields),
        ..of_texts
    })
}

/// Converts the analysis arguments to settings.
pub(super) fn analysis_settings(
    measure: MeasureArg,
    analysis: &AnalysisArgs,
) -> anyhow::Result<Settings> {
    let measure = measure.into();
    let terms = match analysis.terms {
        TermsArg::All => Terms::All,
        TermsArg::Kolcz => Terms::Kolcz,
    };
    let shingle = analysis.shingle.map_or(Shingle::Usual, Shingle::Of);
    let defaults = Settings { measure, shingle, ..Settings::default() };
    if terms != Terms::All && defaults.shingle_size().is_some() {
        let reason = "--terms filters the terms of --measure cosine; shingles use all words; leave out \
                      --terms or --shingle";
        return Err(WrongUsage(reason.to_owned()).into());
    }
    Ok(Settings {
        terms,
        short_documents: match analysis.short_documents {
            ShortArg::Whole => ShortDocuments::Whole,
            ShortArg::Ignore => ShortDocuments::Ignore,
        },
        analysis: AnalysisSettings {
            normalize: analysis.normalize.into(),
            unit: match analysis.shingle_unit {
                UnitArg::Word => Unit::Word,
                UnitArg::Char => Unit::Char,
            },
            tokens: analysis.tokens.map(Into::into),
            case: analysis.case.into(),
        },
        ..defaults
    })
}
