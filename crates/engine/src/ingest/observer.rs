//! What else is made of the tokens of documents while they are read, so that no other reading tokenises
//! them again.

use crate::EngineError;
use lookalike_core::FeatureScratch;
use lookalike_io::RecordView;
use std::fmt::Debug;

/// Gets the tokens of the documents that are read, but not of those that an interrupted run read.
pub trait TokenObserver: Debug + Sync {
    /// Begins a chunk, on the thread that reads it.
    fn chunk(&self) -> Box<dyn ChunkObserver + '_>;
}

/// Gets the tokens of the documents of a chunk, in order.
pub trait ChunkObserver: Send {
    /// Begins a document, whose content is freed before [`ChunkObserver::tokens`].
    fn begin(&mut self, record: &RecordView<'_>);

    /// The tokens of the document that was begun, and the bytes of its text.
    fn tokens(&mut self, record: &RecordView<'_>, tokens: &FeatureScratch, text_bytes: u64);

    /// Ends the chunk: chunks are appended in the order of the inputs.
    ///
    /// # Errors
    /// A spill file that cannot be written.
    fn append(self: Box<Self>) -> Result<(), EngineError>;
}
