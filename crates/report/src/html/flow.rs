//! Flow diagram from all documents to the kept ones, with a branch for each rule.

use crate::human::{count, share};
use crate::{Action, Summary};

const WIDTH: f64 = 1040.0;
/// Top of the flow, and its width at the start, with all documents.
const TOP: f64 = 44.0;
const FULL: f64 = 110.0;
/// Lower end of the branches.
const FLOOR: f64 = 240.0;
/// Position of the first branch, and maximum distance from it to the last.
const FIRST: f64 = 220.0;
const SPAN: f64 = WIDTH - FIRST - FULL - 110.0;
/// Maximum distance between two branches.
const APART: f64 = 210.0;
/// Inner radius of a bend, and the distance before it at which a branch separates.
const BEND: f64 = 26.0;
const PART: f64 = 70.0;

/// The flow diagram, ready to be drawn.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Outline of the kept documents.
    pub(super) river: String,
    pub(super) branches: Vec<Branch>,
    pub(super) documents: String,
    pub(super) kept: String,
    pub(super) kept_share: String,
    /// Whether branches are links.
    pub(super) linked: bool,
    /// Name of the kept documents.
    pub(super) kept_name: &'static str,
    /// Percent of all documents.
    pub(super) kept_percent: String,
}

/// Documents removed by one rule.
#[derive(Debug)]
pub(super) struct Branch {
    /// Index of the rule, for its colour.
    pub(super) rule: usize,
    pub(super) name: &'static str,
    pub(super) count: String,
    pub(super) share: String,
    pub(super) path: String,
    /// Where its gradient begins, and where it ends.
    pub(super) from: String,
    pub(super) until: String,
    /// Middle of its end.
    pub(super) x: String,
    /// Percent of all documents, for a plain bar.
    pub(super) percent: String,
    /// Where its documents are listed; may be empty.
    pub(super) link: String,
}

/// The diagram of a run; `None` if no document was read.
pub(super) fn flow(summary: &Summary, linked: bool) -> Option<Flow> {
    let all = summary.documents;
    if all == 0 {
        return None;
    }
    let width = |number: u64| match number {
        0 => 0.0,
        number => (FULL * number as f64 / all as f64).clamp(1.5, FULL),
    };
    let percent = |number: u64| format!("{:.2}", 100.0 * number as f64 / all as f64);
    let mut bottom = TOP + FULL;
    let mut gone = 0.0;
    let rules = summary.removed.by_rule();
    let number = rules.iter().filter(|rule| rule.1 > 0).count();
    let apart = (SPAN / number.saturating_sub(1).max(1) as f64).min(APART);
    let mut river = format!("M0,{TOP} V{bottom:.1}");
    let mut branches = Vec::new();
    for (rule, (name, number)) in rules.into_iter().enumerate() {
        if number == 0 {
            continue;
        }
        let thick = width(number);
        let left = FIRST + apart * branches.len() as f64 + gone;
        let right = left + thick;
        let from = left - BEND - PART;
        let (outer, turn) = (BEND + thick, left - BEND);
        let path = format!(
            "M{from:.1},{bottom:.1} H{turn:.1} a{BEND},{BEND} 0 0 1 {BEND},{BEND} V{FLOOR} H{right:.1} \
             V{down:.1} a{outer:.1},{outer:.1} 0 0 0 -{outer:.1},-{outer:.1} H{from:.1} Z",
            down = bottom + BEND,
        );
        let least = if summary.kept > 0 { 1.5 } else { 0.0 };
        bottom = (bottom - thick).max(TOP + least);
        gone += thick;
        river.push_str(&format!(" H{from:.1} V{bottom:.1}"));
        branches.push(Branch {
            rule,
            name,
            count: count(number),
            share: share(number, all),
            path,
            from: format!("{from:.1}"),
            until: format!("{right:.1}"),
            x: format!("{:.1}", (left + right) / 2.0),
            percent: percent(number),
            link: if linked { format!("#clusters:rule={rule}") } else { String::new() },
        });
    }
    river.push_str(&format!(" H{WIDTH} V{TOP} Z"));
    Some(Flow {
        width: WIDTH,
        height: FLOOR + 54.0,
        river,
        branches,
        documents: count(all),
        kept: count(summary.kept),
        kept_share: share(summary.kept, all),
        linked,
        kept_name: if summary.action == Action::Remove { "kept" } else { "not duplicates" },
        kept_percent: percent(summary.kept),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Removed;

    #[test]
    fn only_rules_with_removals_have_a_branch() {
        let removed = Removed { identical: 50, near: 25, ..Removed::default() };
        let summary = Summary { documents: 100, kept: 25, removed, ..Summary::default() };
        let flow = flow(&summary, false).expect("there are documents");
        let names: Vec<&str> = flow.branches.iter().map(|branch| branch.name).collect();
        assert_eq!(names, ["identical", "near-duplicate"]);
        assert_eq!(flow.branches[0].percent, "50.00");
        // 110 wide, 55 leave, then 27.5: 27.5 arrive.
        assert_eq!(flow.river, "M0,44 V154.0 H124.0 V99.0 H389.0 V71.5 H1040 V44 Z");
    }

    #[test]
    fn one_of_a_million_is_still_a_line() {
        let removed = Removed { identical: 999_999, ..Removed::default() };
        let summary = Summary { documents: 1_000_000, kept: 1, removed, ..Summary::default() };
        let flow = flow(&summary, false).expect("there are documents");
        assert!(flow.river.contains("V45.5 H1040"), "{}", flow.river);
        assert!(super::flow(&Summary::default(), false).is_none());
    }
}
