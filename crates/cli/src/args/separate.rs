//! The argument that separates documents.

use clap::Args;

/// A field that limits which documents are compared.
#[derive(Debug, Args)]
pub(crate) struct SeparateArgs {
    /// Match only documents with the same value of this field: a language, a site, a security label
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Matching",
        long_help = "Match only documents with the same value of this field: a language, a site, a security label. \
                     No pair, cluster or removal is of documents with different values, whatever the method is. \
                     Documents without the field have one value in common, and the distinct elements of a list are \
                     one value."
    )]
    pub(crate) separate_by: Option<String>,
}
