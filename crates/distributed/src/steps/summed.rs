//! The number of rows of each table and the sum of their hashes, from which the digest of a run is made.

use super::rows::{RowKind, RowWriter};
use super::step::{RowStep, Step, of_rows};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_decide::{TableDigest, run_digest};
use lookalike_run::LookalikeError;

/// Added to a table: the number of its rows that a task made, and the sum of their hashes.
pub(super) const SUMS: i64 = 100;

/// A row of a table, or the sum of several.
#[derive(Clone, Copy)]
pub(super) struct Sum<'a> {
    /// The table; of a sum, [`SUMS`] more.
    pub(super) table: i64,
    /// The rule of the rows, if they are counted by it.
    pub(super) rule: Option<&'a str>,
    /// Number of rows, of a sum.
    pub(super) rows: i64,
    /// The hash of what the row says, or the sum of the hashes, modulo 2¹²⁸.
    pub(super) hash: u128,
}

/// A kind of rows, of which some are of tables.
pub(super) trait TableRow: RowKind {
    /// What a row adds to a sum, or the sum that it is; `None` if it is of no table.
    fn sum<'a>(row: &Self::Row<'a>) -> Option<Sum<'a>>;

    /// Adds the row of a sum.
    ///
    /// # Errors
    /// As of the writer.
    fn push(sum: Sum<'_>, out: &mut Self::Writer) -> Result<(), LookalikeError>;
}

/// The halves of a hash, as rows have them.
pub(super) fn halves(hash: u128) -> (i64, i64) {
    ((hash >> 64) as i64, hash as i64)
}

/// The hash with these halves.
pub(super) fn whole(high: i64, low: i64) -> u128 {
    u128::from(high as u64) << 64 | u128::from(low as u64)
}

/// A table, and the rule of its rows, if they are counted by it.
type TableRule = (i64, Option<String>);

/// A step, and the sums of the rows that it made.
struct Summed<Out> {
    step: Box<dyn Step>,
    /// The number of rows and the sum of their hashes by table and rule, ascending.
    sums: Vec<(TableRule, i64, u128)>,
    makes: std::marker::PhantomData<Out>,
}

/// A step that makes rows of tables, and at its end a row for the [`Sum`] of each table and rule.
pub(super) fn summed<In: RowKind + Send, Out: TableRow + Send>(
    step: impl RowStep<In, Out> + 'static,
) -> Box<dyn Step> {
    let makes = std::marker::PhantomData::<Out>;
    Box::new(Summed { step: of_rows(step), sums: Vec::new(), makes })
}

impl<Out: TableRow> Summed<Out> {
    fn add(&mut self, batches: &[RecordBatch]) -> Result<(), LookalikeError> {
        for batch in batches {
            Out::each(batch, |row| {
                let Some(Sum { table, rule, hash, .. }) = Out::sum(&row) else { return Ok(()) };
                let place = self
                    .sums
                    .binary_search_by(|((of, by), ..)| (*of, by.as_deref()).cmp(&(table, rule)));
                let place = place.unwrap_or_else(|place| {
                    self.sums.insert(place, ((table, rule.map(str::to_owned)), 0, 0));
                    place
                });
                let (_, rows, sum) = &mut self.sums[place];
                *rows += 1;
                *sum = sum.wrapping_add(hash);
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl<Out: TableRow + Send> Step for Summed<Out> {
    fn schema(&self) -> SchemaRef {
        self.step.schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        let made = self.step.push(batch)?;
        self.add(&made)?;
        Ok(made)
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        let mut made = self.step.finish()?;
        self.add(&made)?;
        let mut out = Out::Writer::default();
        for ((table, rule), rows, hash) in &self.sums {
            let (table, rule) = (table + SUMS, rule.as_deref());
            Out::push(Sum { table, rule, rows: *rows, hash: *hash }, &mut out)?;
        }
        made.extend(out.finish()?);
        Ok(made)
    }
}

/// The digest of a run with these tables, by their numbers and names, from the sums of their rows.
///
/// # Errors
/// Rows of other columns.
pub(super) fn digest_of<Row: TableRow>(
    sums: &[RecordBatch],
    tables: &[(i64, &'static str)],
) -> Result<String, LookalikeError> {
    let mut digests: Vec<TableDigest> =
        tables.iter().map(|&(_, name)| TableDigest::new(name)).collect();
    for batch in sums {
        Row::each(batch, |row| {
            if let Some(sum) = Row::sum(&row) {
                let of = tables.iter().position(|(table, _)| table + SUMS == sum.table);
                of.into_iter().for_each(|at| digests[at].add_sum(sum.rows as u64, sum.hash));
            }
            Ok(())
        })?;
    }
    Ok(run_digest(&digests.iter().collect::<Vec<_>>()))
}
