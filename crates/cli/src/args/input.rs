//! Arguments that say what is read, and how.

use super::InputFormatArg;
use super::formats::FormatArgs;
use super::records::RecordArgs;
use super::values::{size, utf8};
use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct InputArgs {
    /// Files, directories, globs, URLs (s3, gs, az, https); `-` for standard input (JSONL, or what
    /// --input-format says).
    ///
    /// A JSONL, CSV, TSV, Parquet, Arrow, mbox or WARC file holds many documents; a text, Markdown, HTML or eml
    /// file and a message of a Maildir are one document. The text of a mail message is that of its
    /// text parts, without the subject; header fields are fields, such as message-id. Files
    /// compressed with gzip, zstd, bzip2 or xz are decompressed, and tar archives are unpacked.
    #[arg(required = true, value_name = "INPUT", value_parser = utf8())]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    /// Stop at the first bad record (default: count it, name it and continue)
    #[arg(long, help_heading = "Input", conflicts_with = "skip_unreadable")]
    pub(crate) strict: bool,
    /// Continue when an input cannot be read to its end (damaged, truncated, no permission); it is
    /// counted and named (default: fail)
    #[arg(long, help_heading = "Input")]
    pub(crate) skip_unreadable: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct FieldArgs {
    /// Field or column that holds the text
    #[arg(
        long,
        visible_alias = "text-column",
        alias = "text-key",
        value_name = "NAME",
        default_value = "text",
        help_heading = "Input"
    )]
    pub(crate) text_field: String,
    /// Field that holds the id of the document; a document without an id is named FILE:RECORD
    #[arg(
        long,
        visible_alias = "id-column",
        value_name = "NAME",
        default_value = "id",
        help_heading = "Input"
    )]
    pub(crate) id_field: String,
    /// Field that holds HTML, read if a record has no text field
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Input")]
    pub(crate) html_field: String,
    /// Field that holds the URL
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Input")]
    pub(crate) url_field: String,
    /// Field that holds the title
    #[arg(long, value_name = "NAME", default_value = "title", help_heading = "Input")]
    pub(crate) title_field: String,
    /// Field that holds the date, for --keep newest and oldest: ISO 8601, a mail date, 14 digits
    /// (CDX), or seconds or milliseconds since 1970
    #[arg(long, value_name = "NAME", default_value = "date", help_heading = "Input")]
    pub(crate) date_field: String,
    /// Format of all inputs (default: by file name; mbox also by content)
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    pub(crate) input_format: Option<InputFormatArg>,
    /// Skip records longer than this, and list them in `problems`
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256MiB", help_heading = "Input")]
    pub(crate) max_record: usize,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) formats: FormatArgs,
}
