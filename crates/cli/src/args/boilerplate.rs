//! Arguments about the boilerplate of sites.

use clap::Args;
use lookalike::BoilerplateLimit;

/// Shingles that are removed because many documents of one site have them.
#[derive(Debug, Args)]
pub(crate) struct BoilerplateArgs {
    /// Ignore shingles in more than N, or P% of the, distinct documents of one site (host of the
    /// URL, else input file or directory); auto: 5%
    #[arg(
        long,
        value_name = "N|P%|auto",
        help_heading = "Matching",
        conflicts_with = "method",
        long_help = "Ignore shingles that occur in more than N, or more than P % of the, distinct documents of one site: \
                     headers, navigation, footers. The site of a document is the host of its URL; without one, the \
                     file of many documents or the directory of a file that is one document. A share counts only \
                     beyond 10 documents; auto is 5%. The shingles are removed from the sets of all \
                     documents before they are compared. Documents that reach the threshold only with them match if \
                     the rest reaches 0.3. Documents of nothing else match only documents of the same words. The summary shows what was removed as text, and the tables have the resemblance of \
                     complete documents in the column whole_resemblance. The inputs are read two more times."
    )]
    pub(crate) boilerplate: Option<BoilerplateLimit>,
    /// Field that names the site of a document for --boilerplate
    #[arg(long, value_name = "NAME", requires = "boilerplate", help_heading = "Matching")]
    pub(crate) site_field: Option<String>,
}
