//! Converts arguments to settings.

use crate::args::{
    AnalysisArgs, FieldArgs, FormatArgs, InputFormatArg, LinkageArg, MeasureArg, NormalizeArg,
    ShortArg, TablesArg, TermsArg, UnitArg, WitnessArg,
};
use crate::exit::WrongUsage;
use lookalike::{
    AnalysisSettings, FieldNames, Format, FormatOptions, Linkage, Measure, Normalize, Settings,
    ShortDocuments, TableFormat, Terms, Unit, WitnessRule,
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
        }
    }
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
    }
}

pub(super) fn input_format(args: &FieldArgs) -> Option<Format> {
    args.input_format.map(|format| match format {
        InputFormatArg::Jsonl => Format::Jsonl,
        InputFormatArg::Csv => Format::Csv,
        InputFormatArg::Tsv => Format::Tsv,
        InputFormatArg::Parquet => Format::Parquet,
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
        warc_status,
        mail_quotes,
        mail_signatures,
        mail_html,
        extract,
        extract_timeout,
    } = args.formats.clone();
    let extract_timeout = (!extract.is_empty()).then_some(extract_timeout);
    FormatOptions { warc_status, mail_quotes, mail_signatures, mail_html, extract, extract_timeout }
}

/// Converts the analysis arguments to settings. Without `--shingle`, cosine compares terms.
pub(super) fn settings(
    measure: MeasureArg,
    analysis: &AnalysisArgs,
    fields: &FieldArgs,
) -> anyhow::Result<Settings> {
    Ok(Settings {
        fields: field_names(fields),
        format: input_format(fields),
        max_record: Some(fields.max_record),
        formats: format_options(fields),
        ..analysis_settings(measure, analysis)?
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
    let shingle = match (analysis.shingle, measure) {
        (Some(size), _) => Some(size),
        (None, Measure::Cosine) => None,
        (None, _) => Some(lookalike::DEFAULT_SHINGLE),
    };
    if terms != Terms::All && shingle.is_some() {
        let reason = "--terms filters the terms of --measure cosine; shingles use all words; leave out \
                      --terms or --shingle";
        return Err(WrongUsage(reason.to_owned()).into());
    }
    let defaults = Settings::default();
    Ok(Settings {
        measure,
        shingle,
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
        },
        ..defaults
    })
}
