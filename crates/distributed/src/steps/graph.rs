//! Matches to components, and to the sets that are kept.

use super::damaged;
use super::step::{Step, StepContext};
use super::tables::{Edge, EdgeReader, EdgeWriter, edge};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_core::{Measure, Overlap};
use lookalike_join::shuffle::{Connected, Links};
use lookalike_join::{Decision, LeaderPass, MatchEdge, WitnessRule, WitnessSearch};
use lookalike_run::LookalikeError;

/// A link of a component.
fn link(later: u64, earlier: u64, changed: bool) -> Edge<'static> {
    let (later, earlier, shared) = (later as i64, earlier as i64, i64::from(changed));
    Edge { later, kind: edge::LINK, earlier, shared, ..Edge::default() }
}

/// Nodes after which a forest is sent on.
const FOREST: usize = 1 << 21;

/// Reduces matches or links to a forest, as far as a task sees them.
#[derive(Default)]
pub(super) struct Forest {
    /// Whether all is sent on together, so that the links are the components.
    whole: bool,
    links: Links,
    out: EdgeWriter,
}

impl Forest {
    pub(super) fn new(whole: bool) -> Self {
        Self { whole, ..Self::default() }
    }

    fn drain(&mut self) -> Result<(), LookalikeError> {
        let mut result = Ok(());
        let out = &mut self.out;
        self.links.drain(|node, least| {
            if result.is_ok() {
                result = out.push(link(node, least, false));
            }
        });
        result
    }
}

impl Step for Forest {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            self.links.connect(row.later as u64, row.earlier as u64);
        }
        if !self.whole && self.links.len() > FOREST {
            self.drain()?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.drain()?;
        self.out.finish()
    }
}

/// Links in both directions.
#[derive(Default)]
pub(super) struct BothWays(EdgeWriter);

impl Step for BothWays {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            self.0.push(row)?;
            self.0.push(Edge { later: row.earlier, earlier: row.later, ..row })?;
        }
        Ok(self.0.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.0.finish()
    }
}

/// Links sorted by (later, earlier): one operation on stars. In `shared` whether a link changed.
pub(super) struct Star {
    star: Connected,
    before: Option<(i64, i64)>,
    out: EdgeWriter,
}

impl Star {
    pub(super) fn new(large: bool) -> Self {
        let star = if large { Connected::large_star() } else { Connected::small_star() };
        Self { star, before: None, out: EdgeWriter::default() }
    }
}

impl Step for Star {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            if self.before.replace((row.later, row.earlier)) == Some((row.later, row.earlier)) {
                continue;
            }
            let (changed, mut made) = (self.star.changed, None);
            self.star.push(row.later as u64, row.earlier as u64, |a, b| made = Some((a, b)));
            if let Some((a, b)) = made {
                self.out.push(link(a, b, self.star.changed > changed))?;
            }
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// Links and matches sorted by (later, kind): gives each match its component.
#[derive(Default)]
pub(super) struct Label {
    link: Option<(i64, i64)>,
    out: EdgeWriter,
}

impl Step for Label {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            if row.kind == edge::LINK {
                self.link = Some((row.later, row.earlier));
                continue;
            }
            let (_, component) =
                self.link.filter(|(later, _)| *later == row.later).ok_or_else(|| {
                    LookalikeError::Settings(
                        "a match has no component: the engine lost rows".into(),
                    )
                })?;
            self.out.push(Edge { component, ..row })?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// Matches sorted by (component, later, earlier), each component in one task: which sets are
/// removed, and their witnesses.
pub(super) struct Leaders {
    pass: Option<LeaderPass<i64>>,
    out: EdgeWriter,
}

impl Leaders {
    pub(super) fn new(context: &StepContext) -> Self {
        let pass = LeaderPass::new(context.settings.witness, context.criterion.measure);
        Self { pass: Some(pass), out: EdgeWriter::default() }
    }
}

/// The counts of a row.
fn overlap_of(row: &Edge<'_>) -> Overlap {
    Overlap { shared: row.shared as u32, a: row.size_later as u32, b: row.size_earlier as u32 }
}

/// The row of a removed set with its witness.
fn removed(component: i64, later: i64, earlier: i64, counts: Overlap) -> Edge<'static> {
    Edge {
        component,
        later,
        kind: edge::DECISION,
        earlier,
        shared: counts.shared.into(),
        size_later: counts.a.into(),
        size_earlier: counts.b.into(),
        ..Edge::default()
    }
}

/// A decision, if a set is removed.
fn decision(decision: Decision<i64>) -> Option<Edge<'static>> {
    match decision {
        Decision::Removed(MatchEdge { component, later, earlier, overlap }) => {
            Some(removed(component, later, earlier, overlap))
        }
        Decision::Kept(_) => None,
    }
}

impl Step for Leaders {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        let (out, mut result) = (&mut self.out, Ok(()));
        for row in EdgeReader::new(batch)?.iter() {
            let Edge { component, later, earlier, .. } = row;
            let Some(pass) = &mut self.pass else { continue };
            let edge = MatchEdge { component, later, earlier, overlap: overlap_of(&row) };
            let emit = |made| {
                if let (Some(row), true) = (decision(made), result.is_ok()) {
                    result = out.push(row);
                }
            };
            pass.push(edge, emit).map_err(damaged)?;
        }
        result.map(|()| self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        let (out, mut result) = (&mut self.out, Ok(()));
        if let Some(pass) = self.pass.take() {
            pass.finish(|made| {
                if let (Some(row), true) = (decision(made), result.is_ok()) {
                    result = out.push(row);
                }
            });
        }
        result?;
        self.out.finish()
    }
}

/// Matches with kept sets, sorted by (later, earlier): the best witness of each set.
pub(super) struct BestWitness {
    measure: Measure,
    search: Option<(i64, WitnessSearch<Best>)>,
    out: EdgeWriter,
}

/// A kept match.
type Best = (i64, Overlap);

impl BestWitness {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { measure: context.criterion.measure, search: None, out: EdgeWriter::default() }
    }

    fn end(&mut self) -> Result<(), LookalikeError> {
        let Some((later, search)) = self.search.take() else { return Ok(()) };
        let Some((earlier, counts)) = search.witness() else { return Ok(()) };
        self.out.push(removed(0, later, earlier, counts))
    }
}

impl Step for BestWitness {
    fn schema(&self) -> SchemaRef {
        EdgeWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            if self.search.as_ref().is_none_or(|(later, _)| *later != row.later) {
                self.end()?;
                self.search = Some((row.later, WitnessSearch::new(WitnessRule::Best)));
            }
            let Some((_, search)) = &mut self.search else { continue };
            let counts = overlap_of(&row);
            let better = |best: Best| self.measure.compare(counts, best.1).is_gt();
            let _ = search.offer(|best| best.is_none_or(better).then_some((row.earlier, counts)));
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.end()?;
        self.out.finish()
    }
}
