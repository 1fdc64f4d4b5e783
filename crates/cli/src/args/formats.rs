//! Arguments of single input formats.

use clap::Args;
use clap::builder::TypedValueParser;
use lookalike::{CsvChar, CsvQuote, Extractor, KeepOrDrop, MailAttachments, StatusFilter};
use std::num::NonZeroU32;

#[derive(Debug, Clone, Args)]
pub(crate) struct FormatArgs {
    /// Character between the columns of CSV files, such as ';' or tab [default: a comma, or that of a
    /// first line sep=]
    #[arg(long, value_name = "CHAR", help_heading = "Input")]
    pub(crate) csv_delimiter: Option<CsvChar>,
    /// Character around fields of CSV and TSV files, or none: quotes are text [default: " in CSV, none
    /// in TSV]
    #[arg(long, value_name = "CHAR|none", help_heading = "Input")]
    pub(crate) csv_quote: Option<CsvQuote>,
    /// Character that makes a quote inside of a field text, such as '\\' in files that Spark has written
    /// (a doubled quote is text as well)
    #[arg(long, value_name = "CHAR", help_heading = "Input")]
    pub(crate) csv_escape: Option<CsvChar>,
    /// Responses of WARC files that are documents, by HTTP status: 200, 2xx, 200-299, several with
    /// commas, or all
    #[arg(long, value_name = "STATUS", default_value = "2xx", help_heading = "Input")]
    pub(crate) warc_status: StatusFilter,
    /// Quoted text in mail messages, with the lines that attribute it: keep or drop
    #[arg(
        long,
        value_name = "keep|drop",
        default_value = "keep",
        hide_default_value = true,
        help_heading = "Input"
    )]
    pub(crate) mail_quotes: KeepOrDrop,
    /// Signatures in mail messages (after a line `-- `): keep or drop
    #[arg(
        long,
        value_name = "keep|drop",
        default_value = "keep",
        hide_default_value = true,
        help_heading = "Input"
    )]
    pub(crate) mail_signatures: KeepOrDrop,
    /// HTML parts of mail messages: keep or drop
    #[arg(
        long,
        value_name = "keep|drop",
        default_value = "keep",
        hide_default_value = true,
        help_heading = "Input"
    )]
    pub(crate) mail_html: KeepOrDrop,
    /// Attachments of mail messages: compare (messages with different ones do not match; the default),
    /// ignore, or text (their text counts where it can be read: text, HTML, DOCX, ODT)
    #[arg(long, value_name = "compare|ignore|text", help_heading = "Input")]
    pub(crate) mail_attachments: Option<MailAttachments>,
    /// Extract the text of files with this extension by a command, such as pdf='pdftotext -q {} -':
    /// {} is the file; no shell; UTF-8 on standard output (repeatable, once for an extension)
    #[arg(long, value_name = "EXT=COMMAND", help_heading = "Input")]
    pub(crate) extract: Vec<Extractor>,
    /// Longest time of such a command for one file, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u32).range(1..).try_map(NonZeroU32::try_from),
        default_value = "60",
        help_heading = "Input"
    )]
    pub(crate) extract_timeout: NonZeroU32,
}
