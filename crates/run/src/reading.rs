//! Where the documents of a run are read from: the files of its inputs, or what a caller has in
//! memory.

use crate::LookalikeError;
use lookalike_engine::{Collection, IngestOptions, Progress, Signer, ingest, ingest_chunks};
use lookalike_io::Inputs;
use lookalike_io::source::Piece;

/// The documents of a run in order, and what could not be read of them.
pub(crate) type DocumentChunks<'s> = Box<dyn Iterator<Item = Piece> + Send + 's>;

/// Documents that a caller has in memory.
pub trait CallerDocuments: Sync {
    /// Begins a reading: another one, if they can be read several times. One reading at a time.
    ///
    /// # Errors
    /// They were read, and can be read once.
    fn chunks(&self) -> Result<DocumentChunks<'_>, LookalikeError>;

    /// Ends a reading.
    ///
    /// # Errors
    /// The reading ended before all documents were read.
    fn check_end(&self) -> Result<(), LookalikeError>;
}

/// Where the documents of a run are read from.
#[derive(Clone, Copy)]
pub enum Reading<'s> {
    /// The files of the inputs.
    Files,
    /// Documents that a caller has in memory.
    Caller(&'s dyn CallerDocuments),
}

/// The documents of a run.
#[derive(Clone, Copy)]
pub struct Documents<'s> {
    /// How they are read, and the names of their files.
    pub inputs: &'s Inputs,
    /// How they are read.
    pub reading: Reading<'s>,
}

impl<'s> Documents<'s> {
    /// Those of files.
    pub fn of_files(inputs: &'s Inputs) -> Self {
        Self { inputs, reading: Reading::Files }
    }

    /// The error of documents that are not the same when they are read again.
    pub fn changed(self) -> LookalikeError {
        let files = &self.inputs.files;
        let first = files.first().map(|file| file.name.clone()).unwrap_or_default();
        match self.reading {
            Reading::Caller(_) => LookalikeError::SourceChanged { name: first },
            Reading::Files if files.len() < 2 => LookalikeError::Changed { input: first },
            Reading::Files => {
                LookalikeError::Changed { input: format!("{first} or another input") }
            }
        }
    }

    /// Reads all documents into a collection.
    ///
    /// # Errors
    /// Any error of [`ingest()`], and any error that the caller's documents return.
    pub fn ingest(
        self,
        signer: &Signer,
        options: &IngestOptions,
        progress: &dyn Progress,
    ) -> Result<Collection, LookalikeError> {
        let inputs = self.inputs;
        let Reading::Caller(documents) = self.reading else {
            return Ok(ingest(inputs, signer, options, progress)?);
        };
        let chunks = documents.chunks()?;
        progress.phase("reading", None);
        let collection = ingest_chunks(inputs, chunks, signer, options, progress);
        // Why the documents ended comes before what became of those that were read.
        documents.check_end()?;
        Ok(collection?)
    }

    /// Gives the chunks of all documents to `read`.
    ///
    /// # Errors
    /// Those of `read`, and those of the caller's documents.
    pub(crate) fn with_chunks<T>(
        self,
        read: impl FnOnce(DocumentChunks<'_>) -> Result<T, LookalikeError>,
    ) -> Result<T, LookalikeError> {
        let Reading::Caller(documents) = self.reading else {
            return read(Box::new(self.inputs.chunks()));
        };
        let result = read(documents.chunks()?);
        documents.check_end()?;
        result
    }
}
