//! Arrays of little-endian numbers.

use std::io::{self, Read, Write};

/// A number that is stored little-endian.
pub trait Number: Copy + Default {
    /// Size in bytes.
    const BYTES: usize;

    /// Stores it in a slice of [`Number::BYTES`] bytes.
    fn put(self, bytes: &mut [u8]);

    /// Loads it from a slice of [`Number::BYTES`] bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Number for $type {
            const BYTES: usize = size_of::<$type>();

            #[inline]
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn get(bytes: &[u8]) -> Self {
                bytes.try_into().map(Self::from_le_bytes).unwrap_or_default()
            }
        }
    )*};
}

number!(u8, u32, u64, u128, f64);

/// Bytes converted at a time, on the stack.
const PART: usize = 8192;

/// Writes arrays, each preceded by its length as u64.
#[derive(Debug)]
pub struct Encoder<W>(pub W);

impl<W: Write> Encoder<W> {
    /// Writes an array.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn array<T: Number>(&mut self, numbers: &[T]) -> io::Result<()> {
        self.0.write_all(&(numbers.len() as u64).to_le_bytes())?;
        self.numbers(numbers)
    }

    /// Writes numbers without their count, which the reader has to know.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn numbers<T: Number>(&mut self, numbers: &[T]) -> io::Result<()> {
        let mut bytes = [0; PART];
        for numbers in numbers.chunks(PART / T::BYTES) {
            let bytes = &mut bytes[..numbers.len() * T::BYTES];
            for (number, bytes) in numbers.iter().zip(bytes.chunks_exact_mut(T::BYTES)) {
                number.put(bytes);
            }
            self.0.write_all(bytes)?;
        }
        Ok(())
    }
}

/// Reads what an [`Encoder`] wrote.
#[derive(Debug)]
pub struct Decoder<R>(pub R);

impl<R: Read> Decoder<R> {
    /// Reads an array of at most `max_bytes` bytes, so that a damaged length cannot allocate more.
    ///
    /// # Errors
    /// The error of the reader, or a length beyond `max_bytes`.
    pub fn array<T: Number>(&mut self, max_bytes: u64) -> io::Result<Vec<T>> {
        let length: u64 = self.number()?;
        if length.checked_mul(T::BYTES as u64).is_none_or(|bytes| bytes > max_bytes) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "an array longer than its file",
            ));
        }
        let mut numbers = Vec::with_capacity(length as usize);
        self.numbers(length, &mut numbers)?;
        Ok(numbers)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// The error of the reader.
    pub fn number<T: Number>(&mut self) -> io::Result<T> {
        let mut bytes = [0; u128::BYTES];
        let bytes = &mut bytes[..T::BYTES];
        self.0.read_exact(bytes)?;
        Ok(T::get(bytes))
    }

    /// Reads `count` numbers and appends them to `out`.
    ///
    /// # Errors
    /// The error of the reader.
    pub fn numbers<T: Number>(&mut self, mut count: u64, out: &mut Vec<T>) -> io::Result<()> {
        let mut bytes = [0; PART];
        while count > 0 {
            let part = count.min((PART / T::BYTES) as u64);
            let bytes = &mut bytes[..part as usize * T::BYTES];
            self.0.read_exact(bytes)?;
            out.extend(bytes.chunks_exact(T::BYTES).map(T::get));
            count -= part;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arrays_round_trip(
            small in prop::collection::vec(any::<u8>(), 0..20_000),
            middle in prop::collection::vec(any::<u32>(), 0..5000),
            large in prop::collection::vec(any::<u128>(), 0..1500),
        ) {
            let mut encoder = Encoder(Vec::new());
            encoder.array(&small).unwrap();
            encoder.array(&middle).unwrap();
            encoder.array(&large).unwrap();
            let bytes = encoder.0;
            let most = bytes.len() as u64;
            let mut decoder = Decoder(bytes.as_slice());
            prop_assert_eq!(decoder.array::<u8>(most).unwrap(), small);
            prop_assert_eq!(decoder.array::<u32>(most).unwrap(), middle);
            prop_assert_eq!(decoder.array::<u128>(most).unwrap(), large);
            prop_assert!(decoder.0.is_empty());
        }
    }

    #[test]
    fn a_length_beyond_the_file_is_an_error() {
        let bytes = u64::MAX.to_le_bytes();
        assert!(Decoder(&bytes[..]).array::<u32>(1000).is_err());
    }
}
