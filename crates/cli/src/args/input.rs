//! Arguments that say what is read, and how.

use super::FieldArgs;
use super::values::utf8;
use clap::Args;

#[derive(Debug, Args)]
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
