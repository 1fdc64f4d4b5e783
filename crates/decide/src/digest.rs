//! Digests of result tables.
//!
//! The digest of a table is a function of its rows as a multiset: the sum of their hashes, modulo
//! 2¹²⁸. So it can be computed in parts, on several machines too, and in any order; the order of
//! the rows of a table follows from what they say.

use lookalike_io::table::Cell;
use xxhash_rust::xxh3::xxh3_128;

/// Digest of a table, row by row.
#[derive(Debug, Clone)]
pub struct TableDigest {
    name: &'static str,
    rows: u64,
    sum: u128,
    bytes: Vec<u8>,
}

impl TableDigest {
    /// Of a table without rows.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self { name, rows: 0, sum: 0, bytes: Vec::new() }
    }

    /// A buffer for [`row_hash`].
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Adds a row.
    pub fn add<'c>(&mut self, cells: impl Iterator<Item = Cell<'c>>) {
        let hash = row_hash(cells, &mut self.bytes);
        self.add_sum(1, hash);
    }

    /// Adds rows by the sum of their hashes.
    pub fn add_sum(&mut self, rows: u64, sum: u128) {
        self.rows += rows;
        self.sum = self.sum.wrapping_add(sum);
    }

    fn value(&self) -> u128 {
        let Self { name, rows, sum, .. } = self;
        xxh3_128(&[name.as_bytes(), &rows.to_le_bytes(), &sum.to_le_bytes()].concat())
    }
}

/// The hash of a row. Ratios are functions of the counts: no floating-point number has a part in
/// it.
pub fn row_hash<'c>(cells: impl Iterator<Item = Cell<'c>>, bytes: &mut Vec<u8>) -> u128 {
    bytes.clear();
    for cell in cells {
        match cell {
            Cell::Text(text) => {
                bytes.extend((text.len() as u64).to_le_bytes());
                bytes.extend(text.as_bytes());
            }
            Cell::Count(count) => bytes.extend(count.to_le_bytes()),
            Cell::Ratio(_) | Cell::Null => {}
        }
    }
    xxh3_128(bytes)
}

/// The digest of some tables, in 32 hexadecimal digits.
#[must_use]
pub fn run_digest(tables: &[&TableDigest]) -> String {
    let values = tables.iter().flat_map(|table| table.value().to_le_bytes()).collect::<Vec<u8>>();
    format!("{:032x}", xxh3_128(&values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn digest(rows: &[(String, u64)]) -> TableDigest {
        let mut digest = TableDigest::new("t");
        for (text, count) in rows {
            digest.add([Cell::Text(text), Cell::Count(*count), Cell::Ratio(0.5)].into_iter());
        }
        digest
    }

    proptest! {
        #[test]
        fn is_of_the_rows_in_any_order_and_of_every_row(
            rows in prop::collection::vec(("[ab]{0,3}", 0u64..4), 1..20), turn in 0usize..20, part in 0usize..20,
        ) {
            let whole = run_digest(&[&digest(&rows)]);
            let mut turned = rows.clone();
            turned.rotate_left(turn % rows.len());
            prop_assert_eq!(&whole, &run_digest(&[&digest(&turned)]));
            let (left, right) = rows.split_at(part % rows.len());
            let (mut sum, right) = (digest(left), digest(right));
            sum.add_sum(right.rows, right.sum);
            prop_assert_eq!(&whole, &run_digest(&[&sum]));
            let mut changed = rows.clone();
            changed[part % rows.len()].1 += 1;
            prop_assert_ne!(&whole, &run_digest(&[&digest(&changed)]));
            changed.remove(part % rows.len());
            prop_assert_ne!(&whole, &run_digest(&[&digest(&changed)]));
            let repeated = [&rows[..], &rows[..1]].concat();
            prop_assert_ne!(&whole, &run_digest(&[&digest(&repeated)]));
        }
    }
}
