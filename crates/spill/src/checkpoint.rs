//! What a checkpoint file stores.

use crate::{Decoder, Encoder};
use std::io::{self, Read, Write};

/// The result of a finished step, which a resumed run reads instead of computing it again.
///
/// [`Checkpoint::read`] is only called on content whose checksum is verified afterwards, so it must
/// return an error, and not panic, on any bytes.
pub trait Checkpoint: Sized {
    /// Name of the file in the scratch directory.
    const NAME: &'static str;

    /// Writes the content.
    ///
    /// # Errors
    /// The error of the writer.
    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()>;

    /// Reads what [`Checkpoint::write`] wrote. `max_bytes` is the size of the content, a bound for
    /// each array.
    ///
    /// # Errors
    /// The error of the reader, or content that is not a checkpoint of this type.
    fn read(from: &mut Decoder<&mut dyn Read>, max_bytes: u64) -> io::Result<Self>;
}
