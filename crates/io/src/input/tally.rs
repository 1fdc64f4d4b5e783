//! How many files each argument leads to.

/// An argument, and how many files it led to: itself, or those of a directory, a pattern or an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentFiles {
    /// The argument as given; a URL without what may be secret.
    pub argument: String,
    /// Files that are read.
    pub read: u64,
    /// Files that are skipped.
    pub skipped: u64,
}

/// Counts of all arguments. A file counts for each argument that leads to it.
pub(super) struct Tally(Vec<ArgumentFiles>);

impl Tally {
    pub(super) fn new(arguments: &[&String]) -> Self {
        let count = |argument: &&String| ArgumentFiles {
            argument: lookalike_store::shown_url(argument),
            ..ArgumentFiles::default()
        };
        Self(arguments.iter().map(count).collect())
    }

    /// Counts files that the arguments with these numbers lead to.
    pub(super) fn add(&mut self, arguments: &[u32], read: usize, skipped: usize) {
        for &argument in arguments {
            let count = &mut self.0[argument as usize];
            count.read += read as u64;
            count.skipped += skipped as u64;
        }
    }

    /// Arguments of which more files are skipped than read, sorted.
    pub(super) fn mostly_skipped(self) -> Vec<ArgumentFiles> {
        let mut found = self.0;
        found.retain(|count| count.skipped > count.read);
        found.sort_by(|a, b| a.argument.cmp(&b.argument));
        found
    }
}
