//! Counts by rule in, the river from all documents to the kept ones out.

use crate::human::{count, share};
use crate::{Action, Summary};

const WIDTH: f64 = 1040.0;
/// Top of the river and its width where all documents are in it.
const TOP: f64 = 44.0;
const FULL: f64 = 130.0;
/// Where the branches end.
const FLOOR: f64 = 246.0;
/// Where the first branch goes down, and how far one is from the next.
const FIRST: f64 = 200.0;
const APART: f64 = 152.0;
/// Radius of a bend on its inner side.
const BEND: f64 = 20.0;

/// The river, ready to be drawn.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Outline of what flows through to the end.
    pub(super) river: String,
    pub(super) branches: Vec<Branch>,
    pub(super) documents: String,
    pub(super) kept: String,
    pub(super) kept_share: String,
    /// How what stays is called.
    pub(super) kept_name: &'static str,
    /// Percent of all documents.
    pub(super) kept_percent: String,
}

/// Documents that leave the river by one rule.
#[derive(Debug)]
pub(super) struct Branch {
    /// The rule's place among all, for its colour.
    pub(super) rule: usize,
    pub(super) name: &'static str,
    pub(super) count: String,
    pub(super) share: String,
    pub(super) path: String,
    /// Middle of its end.
    pub(super) x: String,
    /// Percent of all documents, for a plain bar.
    pub(super) percent: String,
}

/// The river of a run; `None` where no document was read.
pub(super) fn flow(summary: &Summary) -> Option<Flow> {
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
    let mut branches = Vec::new();
    for (rule, (name, number)) in summary.removed.by_rule().into_iter().enumerate() {
        if number == 0 {
            continue;
        }
        let thick = width(number);
        let left = FIRST + APART * branches.len() as f64 + gone;
        let right = left + thick;
        let from = left - BEND - 30.0;
        let (outer, turn) = (BEND + thick, left - BEND);
        let path = format!(
            "M{from:.1},{bottom:.1} H{turn:.1} a{BEND},{BEND} 0 0 1 {BEND},{BEND} V{FLOOR} H{right:.1} \
             V{down:.1} a{outer:.1},{outer:.1} 0 0 0 -{outer:.1},-{outer:.1} H{from:.1} Z",
            down = bottom + BEND,
        );
        bottom -= thick;
        gone += thick;
        branches.push(Branch {
            rule,
            name,
            count: count(number),
            share: share(number, all),
            path,
            x: format!("{:.1}", (left + right) / 2.0),
            percent: percent(number),
        });
    }
    // From the start along the top to the end, and back along the bottom, narrower at each branch.
    let least = if summary.kept > 0 { 1.5 } else { 0.0 };
    let river = river(&branches, &summary.removed.by_rule().map(|(_, n)| width(n)), least);
    Some(Flow {
        width: WIDTH,
        height: FLOOR + 54.0,
        river,
        branches,
        documents: count(all),
        kept: count(summary.kept),
        kept_share: share(summary.kept, all),
        kept_name: if summary.action == Action::Remove { "kept" } else { "stand for themselves" },
        kept_percent: percent(summary.kept),
    })
}

fn river(branches: &[Branch], widths: &[f64; 5], least: f64) -> String {
    let mut bottom = TOP + FULL;
    let mut gone = 0.0;
    let mut path = format!("M0,{TOP} V{bottom:.1}");
    for (index, branch) in branches.iter().enumerate() {
        let thick = widths[branch.rule];
        let from = FIRST + APART * index as f64 + gone - BEND - 30.0;
        path.push_str(&format!(" H{from:.1}"));
        bottom = (bottom - thick).max(TOP + least);
        gone += thick;
        path.push_str(&format!(" V{bottom:.1}"));
    }
    path.push_str(&format!(" H{WIDTH} V{TOP} Z"));
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Removed;

    #[test]
    fn only_rules_that_took_something_branch_off() {
        let removed = Removed { identical: 50, near: 25, ..Removed::default() };
        let summary = Summary { documents: 100, kept: 25, removed, ..Summary::default() };
        let flow = flow(&summary).expect("there are documents");
        let names: Vec<&str> = flow.branches.iter().map(|branch| branch.name).collect();
        assert_eq!(names, ["identical", "near-duplicate"]);
        assert_eq!(flow.branches[0].percent, "50.00");
        // 130 wide, 65 leave, then 32.5: 32.5 arrive.
        assert_eq!(flow.river, "M0,44 V174.0 H150.0 V109.0 H367.0 V76.5 H1040 V44 Z");
    }

    #[test]
    fn one_of_a_million_is_still_a_line() {
        let removed = Removed { identical: 999_999, ..Removed::default() };
        let summary = Summary { documents: 1_000_000, kept: 1, removed, ..Summary::default() };
        let flow = flow(&summary).expect("there are documents");
        assert!(flow.river.contains("V45.5 H1040"), "{}", flow.river);
        assert!(super::flow(&Summary::default()).is_none());
    }
}
