//! The chunks of all inputs by file, so that several files can be read in parallel.

use super::{Chunks, Next};

impl<'a> Chunks<'a> {
    /// The rest of the inputs by file: the rest of the file being read, then each file, or each run
    /// of one-document files that make a chunk. Concatenated, their chunks are those that this
    /// iterator would return.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// use lookalike_io::source::{Next, Piece};
    /// use lookalike_io::{DiscoverOptions, Inputs};
    ///
    /// let paths = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name).display().to_string());
    /// for path in &paths {
    ///     std::fs::write(path, "{\"text\": \"to be\"}\n")?;
    /// }
    /// let inputs = Inputs::discover(&paths, DiscoverOptions::default())?;
    /// let mut files: Vec<_> = inputs.chunks().into_files().collect();
    /// let (mut a, mut b) = (files.remove(0), files.remove(0));
    /// assert!(matches!(b.next(true), Next::Piece(Piece::Chunk(chunk)) if chunk.file == 1));
    /// assert!(matches!(a.next(true), Next::Piece(Piece::Chunk(chunk)) if chunk.file == 0));
    /// assert!(matches!(b.next(true), Next::End));
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_files(self) -> Files<'a> {
        let (template, next_file) = (self.at_file(self.next_file()), self.next_file());
        let begun = self.is_within_file().then_some(FileChunks { chunks: self, until: next_file });
        Files { begun, template, next_file }
    }
}

/// The files of the inputs, each with its chunks; made by [`Chunks::into_files`].
pub struct Files<'a> {
    begun: Option<FileChunks<'a>>,
    template: Chunks<'a>,
    next_file: usize,
}

impl<'a> Iterator for Files<'a> {
    type Item = FileChunks<'a>;

    fn next(&mut self) -> Option<FileChunks<'a>> {
        if let Some(begun) = self.begun.take() {
            return Some(begun);
        }
        let first = self.next_file;
        if first >= self.template.inputs().files.len() {
            return None;
        }
        self.next_file += self.template.run_length(first);
        Some(FileChunks { chunks: self.template.at_file(first), until: self.next_file })
    }
}

/// The chunks of one file, or of one run of one-document files. The file is opened at the first
/// call.
pub struct FileChunks<'a> {
    chunks: Chunks<'a>,
    /// The file after the last one.
    until: usize,
}

impl FileChunks<'_> {
    /// Index of the file, or of the first of the rest of the run.
    #[must_use]
    pub fn first_file(&self) -> u32 {
        let begun = usize::from(self.chunks.is_within_file());
        (self.chunks.next_file() - begun) as u32
    }

    /// The next piece. Unless `any_size`, a record larger than a chunk
    /// is not read, and [`Next::Large`] is returned until any size is allowed.
    pub fn next(&mut self, any_size: bool) -> Next {
        self.chunks.next_before(self.until, any_size)
    }
}
