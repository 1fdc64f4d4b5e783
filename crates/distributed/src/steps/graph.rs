//! Matches to components, and to the sets that are kept.

use super::damaged;
use super::step::{RowStep, StepContext};
use super::tables::{Edge, EdgeWriter, edge};
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
}

impl Forest {
    pub(super) fn new(whole: bool) -> Self {
        Self { whole, ..Self::default() }
    }

    fn drain(&mut self, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let mut result = Ok(());
        self.links.drain(|node, least| {
            if result.is_ok() {
                result = out.push(link(node, least, false));
            }
        });
        result
    }
}

impl RowStep<Edge<'static>, Edge<'static>> for Forest {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        self.links.connect(row.later as u64, row.earlier as u64);
        if !self.whole && self.links.len() > FOREST {
            self.drain(out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        self.drain(out)
    }
}

/// Links in both directions.
pub(super) struct BothWays;

impl RowStep<Edge<'static>, Edge<'static>> for BothWays {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        out.push(row)?;
        out.push(Edge { later: row.earlier, earlier: row.later, ..row })
    }
}

/// Links sorted by (later, earlier): one operation on stars. In `shared` whether a link changed.
pub(super) struct Star {
    star: Connected,
    before: Option<(i64, i64)>,
}

impl Star {
    pub(super) fn new(large: bool) -> Self {
        let star = if large { Connected::large_star() } else { Connected::small_star() };
        Self { star, before: None }
    }
}

impl RowStep<Edge<'static>, Edge<'static>> for Star {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        if self.before.replace((row.later, row.earlier)) == Some((row.later, row.earlier)) {
            return Ok(());
        }
        let (changed, mut made) = (self.star.changed, None);
        self.star.push(row.later as u64, row.earlier as u64, |a, b| made = Some((a, b)));
        if let Some((a, b)) = made {
            out.push(link(a, b, self.star.changed > changed))?;
        }
        Ok(())
    }
}

/// Links and matches sorted by (later, kind): gives each match its component.
#[derive(Default)]
pub(super) struct Label {
    link: Option<(i64, i64)>,
}

impl RowStep<Edge<'static>, Edge<'static>> for Label {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        if row.kind == edge::LINK {
            self.link = Some((row.later, row.earlier));
            return Ok(());
        }
        let (_, component) = self
            .link
            .filter(|(later, _)| *later == row.later)
            .ok_or_else(|| damaged("a match has no component: the engine lost rows"))?;
        out.push(Edge { component, ..row })
    }
}

/// Matches sorted by (component, later, earlier), each component in one task: which sets are
/// removed, and their witnesses.
pub(super) struct Leaders {
    pass: Option<LeaderPass<i64>>,
    /// The matches of the later set whose rows are read: the pass takes their sets and counts.
    matches: Vec<Edge<'static>>,
}

impl Leaders {
    pub(super) fn new(context: &StepContext) -> Self {
        let pass = LeaderPass::new(context.settings.witness, context.criterion.measure);
        Self { pass: Some(pass), matches: Vec::new() }
    }
}

/// The counts of a row.
fn overlap_of(row: &Edge<'_>) -> Overlap {
    Overlap { shared: row.shared as u32, a: row.size_later as u32, b: row.size_earlier as u32 }
}

/// The match that decides, if a set is removed, among those of the set.
fn decision(decision: Decision<i64>, matches: &[Edge<'static>]) -> Option<Edge<'static>> {
    match decision {
        Decision::Removed(MatchEdge { later, earlier, .. }) => {
            let deciding = |row: &&Edge<'_>| (row.later, row.earlier) == (later, earlier);
            let row = matches.iter().find(deciding)?;
            Some(Edge { kind: edge::DECISION, ..*row })
        }
        Decision::Kept(_) => None,
    }
}

impl RowStep<Edge<'static>, Edge<'static>> for Leaders {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let mut result = Ok(());
        let Edge { component, later, earlier, .. } = row;
        let Self { pass: Some(pass), matches } = self else { return Ok(()) };
        let edge = MatchEdge { component, later, earlier, overlap: overlap_of(&row) };
        // What a row decides is about the set before.
        let emit = |made| {
            if let (Some(row), true) = (decision(made, matches), result.is_ok()) {
                result = out.push(row);
            }
        };
        pass.push(edge, emit).map_err(damaged)?;
        if matches.last().is_some_and(|last| last.later != later) {
            matches.clear();
        }
        matches.push(row.owned());
        result
    }

    fn end(&mut self, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let mut result = Ok(());
        if let Some(pass) = self.pass.take() {
            pass.finish(|made| {
                if let (Some(row), true) = (decision(made, &self.matches), result.is_ok()) {
                    result = out.push(row);
                }
            });
        }
        result
    }
}

/// Matches with kept sets, sorted by (later, earlier): the best witness of each set.
pub(super) struct BestWitness {
    measure: Measure,
    search: Option<(i64, WitnessSearch<Edge<'static>>)>,
}

impl BestWitness {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { measure: context.criterion.measure, search: None }
    }
}

impl RowStep<Edge<'static>, Edge<'static>> for BestWitness {
    fn row(&mut self, row: Edge<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        if self.search.as_ref().is_none_or(|(later, _)| *later != row.later) {
            self.end(out)?;
            self.search = Some((row.later, WitnessSearch::new(WitnessRule::Best)));
        }
        let Some((_, search)) = &mut self.search else { return Ok(()) };
        let counts = overlap_of(&row);
        let better = |best| self.measure.compare(counts, overlap_of(&best)).is_gt();
        let _ = search.offer(|best| best.is_none_or(better).then_some(row.owned()));
        Ok(())
    }

    fn end(&mut self, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let Some((_, search)) = self.search.take() else { return Ok(()) };
        let Some(best) = search.witness() else { return Ok(()) };
        out.push(Edge { component: 0, kind: edge::DECISION, ..best })
    }
}
