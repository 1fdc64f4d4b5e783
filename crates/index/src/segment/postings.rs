//! Posting files: (first bits of an element, number), sorted, packed, with a directory.
//!
//! Elements are hashes, hence uniform: the first b bits of an element are its bucket, of
//! [`PER_BUCKET`] entries on average. A directory says where each bucket begins; in a bucket the
//! entries are numbers of a fixed width, the rest of the stored bits above the unit's number. So the
//! entries of an element are neighbours in ascending order of units, and a lookup reads one line of
//! the directory and one or two of a bucket.

use super::MOST_POSTINGS;
use super::columns::{self, bisect};
use super::packed::{self, Packer};
use crate::search::{LOOKUP_BLOCK, PostingList};
use std::io::{self, Write};
use std::ops::Range;

/// Bits of an element that are stored.
pub(super) const BITS: u32 = 40;

/// Bits of an element that a lean index stores. A question needs many hits there, so that the false
/// ones are few enough: one in 50 lookups at 10⁸ entries.
pub(super) const LEAN_BITS: u32 = 32;

/// Bits of a number in an entry while it is sorted: the other 40 are those of the element.
pub(super) const NUMBER_BITS: u32 = 64 - BITS;

/// Entries of a bucket, on average.
const PER_BUCKET: u64 = 64;

/// An entry as it is sorted, of so many bits of an element.
#[inline]
pub(super) fn entry(element: u64, element_bits: u32, number: u32) -> u64 {
    let other_bits = u64::BITS - element_bits;
    element >> other_bits << other_bits | u64::from(number)
}

/// The layout of a posting file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Entries.
    pub(super) entries: u64,
    /// Bits of an element that are stored.
    pub(super) element_bits: u32,
    /// Bits of a bucket's number.
    pub(super) bucket_bits: u32,
    /// Bits of a unit's (or document's) number.
    pub(super) number_bits: u32,
}

impl Layout {
    /// The layout for so many entries of numbers below `numbers`.
    pub(super) fn new(entries: u64, element_bits: u32, numbers: u32) -> Self {
        let buckets = (entries / PER_BUCKET).max(1).next_power_of_two();
        let number_bits = (u32::BITS - numbers.saturating_sub(1).leading_zeros()).max(1);
        // A number of 57 bits can be read at once.
        let least = (element_bits + number_bits).saturating_sub(packed::MOST_BITS);
        let bucket_bits = buckets.trailing_zeros().clamp(least, element_bits - 9);
        Self { entries, element_bits, bucket_bits, number_bits }
    }

    /// Bits of an element that are not stored.
    fn other_bits(self) -> u32 {
        u64::BITS - self.element_bits
    }

    /// Bits of an entry.
    pub(super) fn width(self) -> u32 {
        self.element_bits - self.bucket_bits + self.number_bits
    }

    /// Whether a file can have it: entries can be read at once, and numbered.
    pub(super) fn is_valid(self) -> bool {
        self.entries <= MOST_POSTINGS
            && self.bucket_bits <= self.element_bits - 9
            && (1..=NUMBER_BITS).contains(&self.number_bits)
            && self.width() <= packed::MOST_BITS
    }

    /// Bytes of the packed entries.
    pub(super) fn bytes(self) -> u64 {
        packed::bytes(self.width(), self.entries)
    }

    /// Bytes of the directory: where each bucket begins, and where the last one ends.
    pub(super) fn directory_bytes(self) -> u64 {
        4 * ((1 << self.bucket_bits) + 1)
    }

    #[inline]
    fn bucket(self, element: u64) -> u64 {
        if self.bucket_bits == 0 { 0 } else { element >> (64 - self.bucket_bits) }
    }

    /// About where the entries of an element are in its bucket: elements are uniform.
    #[inline]
    fn about(self, bucket: &Range<u64>, element: u64) -> u64 {
        // The first bits of the element below those of the bucket: no product passes 64 bits.
        let part = element << self.bucket_bits >> (64 - 24);
        bucket.start + ((part * (bucket.end - bucket.start)) >> 24)
    }

    /// What an entry stores of a sorted entry.
    fn packed(self, entry: u64) -> u64 {
        let residue =
            entry >> self.other_bits() & ((1 << (self.element_bits - self.bucket_bits)) - 1);
        residue << self.number_bits | entry & ((1 << self.number_bits) - 1)
    }
}

/// Writes the entries of a posting file in ascending order, and its directory.
pub(super) struct PostingWriter {
    layout: Layout,
    packer: Packer,
    /// Where each bucket begins.
    starts: Vec<u32>,
    written: u64,
}

impl PostingWriter {
    pub(super) fn new(layout: Layout) -> Self {
        let starts = Vec::with_capacity((1 << layout.bucket_bits) + 1);
        Self { layout, packer: Packer::new(layout.width()), starts, written: 0 }
    }

    /// Writes ascending entries, all after those before.
    pub(super) fn push_all(&mut self, entries: &[u64], out: &mut dyn Write) -> io::Result<()> {
        for &entry in entries {
            let bucket = self.layout.bucket(entry) as usize;
            while self.starts.len() <= bucket {
                self.starts.push(self.written as u32);
            }
            self.packer.push(self.layout.packed(entry), out)?;
            self.written += 1;
        }
        Ok(())
    }

    /// Ends the entries. Returns the directory.
    pub(super) fn finish(mut self, out: &mut dyn Write) -> io::Result<Vec<u32>> {
        if self.written != self.layout.entries {
            return Err(io::Error::other("a posting file has another number of entries than said"));
        }
        self.packer.finish(out)?;
        self.starts.resize((1 << self.layout.bucket_bits) + 1, self.written as u32);
        Ok(self.starts)
    }
}

/// Where a posting file is, and its layout.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    pub(super) layout: Layout,
    pub(super) directory: Range<usize>,
    pub(super) data: Range<usize>,
}

impl Directory {
    /// Number of entries.
    pub(super) fn entries(&self) -> u64 {
        self.layout.entries
    }

    fn parts<'a>(&self, file: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let part = |range: &Range<usize>| file.get(range.clone()).unwrap_or_default();
        (part(&self.directory), part(&self.data))
    }

    /// The entries of a bucket.
    fn bucket(&self, directory: &[u8], bucket: u64) -> Range<u64> {
        let start = columns::u32_at(directory, bucket as u32);
        let end = columns::u32_at(directory, bucket as u32 + 1);
        let end = u64::from(end).min(self.layout.entries);
        u64::from(start).min(end)..end
    }

    pub(super) fn lookup<'a>(&self, file: &'a [u8], element: u64) -> List<'a> {
        let (directory, data) = self.parts(file);
        let layout = self.layout;
        let bucket = self.bucket(directory, layout.bucket(element));
        let low = layout.packed(element >> NUMBER_BITS << NUMBER_BITS);
        let near = layout.about(&bucket, element);
        let (width, number_bits) = (layout.width(), layout.number_bits);
        let bucket = List { data, width, number_bits, start: bucket.start, end: bucket.end };
        let start = bucket.first_from(near, |packed| packed < low);
        let list = List { start, ..bucket };
        // Most lists have no or few entries.
        let after = low + (1 << number_bits);
        List { end: list.first_from(start, |packed| packed < after), ..list }
    }

    /// Reads the lines of the directory of some elements, then about where they are in their
    /// buckets: each of both at the same time, and into the cache.
    pub(super) fn prefetch(&self, file: &[u8], elements: &[u64]) {
        let (directory, data) = self.parts(file);
        let mut places = [0; LOOKUP_BLOCK];
        for (&element, place) in elements.iter().zip(&mut places) {
            let bucket = self.bucket(directory, self.layout.bucket(element));
            *place = self.layout.about(&bucket, element);
        }
        let width = self.layout.width();
        let read = |all, &at: &u64| all ^ packed::get(data, width, at);
        std::hint::black_box(places.iter().take(elements.len()).fold(0, read));
    }

    /// Appends the entries of a range of buckets, as they are sorted, numbers above `bits` bits.
    pub(super) fn decode(&self, file: &[u8], buckets: Range<u64>, out: &mut Vec<u64>) {
        let (directory, data) = self.parts(file);
        let layout = self.layout;
        let (width, number_bits) = (layout.width(), layout.number_bits);
        for bucket in buckets {
            let above =
                if layout.bucket_bits == 0 { 0 } else { bucket << (64 - layout.bucket_bits) };
            for at in self.bucket(directory, bucket) {
                let packed = packed::get(data, width, at);
                let residue = packed >> number_bits << layout.other_bits();
                out.push(above | residue | packed & ((1 << number_bits) - 1));
            }
        }
    }

    /// What is wrong with the order of the entries, the directory or the numbers, if anything.
    /// Calls `each` with the entries of each bucket, as they are sorted: whole lists.
    pub(super) fn check(
        &self,
        file: &[u8],
        numbers: u32,
        mut each: impl FnMut(&[u64]),
    ) -> Option<String> {
        let (directory, data) = self.parts(file);
        if !packed::is_padded(data, self.layout.width(), self.entries()) {
            return Some("the postings have an entry more than said".into());
        }
        let buckets = 1u64 << self.layout.bucket_bits;
        let last = columns::u32_at(directory, buckets as u32);
        if u64::from(last) != self.layout.entries || columns::u32_at(directory, 0) != 0 {
            return Some("the directory does not cover the postings".into());
        }
        let (mut entries, mut before) = (Vec::new(), None);
        for bucket in 0..buckets {
            let at = |bucket: u64| columns::u32_at(directory, bucket as u32);
            if at(bucket) > at(bucket + 1) {
                return Some(format!("bucket {bucket} of the postings ends before it begins"));
            }
            entries.clear();
            self.decode(file, bucket..bucket + 1, &mut entries);
            for &entry in &entries {
                if before.is_some_and(|before| before > entry) {
                    return Some(format!("bucket {bucket} of the postings is out of order"));
                }
                if (entry & ((1 << NUMBER_BITS) - 1)) as u32 >= numbers {
                    return Some(format!(
                        "bucket {bucket} of the postings names what does not exist"
                    ));
                }
                before = Some(entry);
            }
            each(&entries);
        }
        None
    }
}

/// The entries of an element: numbers of units (or documents) in ascending order.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    data: &'a [u8],
    width: u32,
    number_bits: u32,
    start: u64,
    end: u64,
}

impl List<'_> {
    /// The first entry for which `before` does not hold; it holds for all entries before. Looks
    /// first at an entry, and then ever farther from it: O(log distance).
    #[inline]
    fn first_from(&self, near: u64, before: impl Fn(u64) -> bool) -> u64 {
        let before = |at: u64| before(packed::get(self.data, self.width, at));
        let (mut low, mut high, mut step) = (self.start, self.end, 1);
        if near >= high {
            return high;
        }
        if before(near) {
            low = near + 1;
            while low < high {
                let far = (low + step).min(high) - 1;
                if !before(far) {
                    high = far;
                    break;
                }
                low = far + 1;
                step *= 2;
            }
        } else {
            high = near;
            while low < high {
                let far = high.saturating_sub(step).max(low);
                if before(far) {
                    low = far + 1;
                    break;
                }
                high = far;
                step *= 2;
            }
        }
        bisect(low..high, before)
    }

    fn number(&self, at: u64) -> u32 {
        (packed::get(self.data, self.width, at) & ((1 << self.number_bits) - 1)) as u32
    }

    /// The first entry for which `before` does not hold.
    fn first(&self, before: impl Fn(u64) -> bool) -> u64 {
        bisect(self.start..self.end, before)
    }
}

impl PostingList for List<'_> {
    fn len(self) -> u32 {
        (self.end - self.start) as u32
    }

    fn within(self, ids: &Range<u32>) -> Self {
        let start = match ids.start {
            0 => self.start,
            first => self.first(|at| self.number(at) < first),
        };
        let end = match ids.end {
            u32::MAX => self.end,
            end => self.first(|at| self.number(at) < end),
        };
        Self { start, end: end.max(start), ..self }
    }

    fn contains(self, id: u32) -> bool {
        let at = self.first(|at| self.number(at) < id);
        at < self.end && self.number(at) == id
    }

    fn entries(self) -> impl Iterator<Item = u32> {
        (self.start..self.end).map(move |at| self.number(at))
    }
}
