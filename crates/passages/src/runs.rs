//! Runs: the longest passages whose first places are consecutive.

use crate::classes::Piece;
use crate::{Place, Scope};
use rayon::prelude::*;

/// Consecutive windows of a document that are repeated, and whose first places are consecutive in one
/// document: as many as there are. A run of n windows is a passage of n + L − 1 units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first window.
    pub at: Place,
    /// Number of windows.
    pub windows: u32,
    /// The first place of the first window. It may be that window itself.
    pub first: Place,
    /// The fewest and the most copies that a window of the run has, itself included.
    pub copies: [u32; 2],
}

impl Run {
    /// Whether it stands at an earlier place as well: the first one, if that counts.
    #[must_use]
    pub fn is_later(&self, scope: Scope) -> bool {
        self.first < self.at && scope.joins(self.first.document, self.at.document)
    }
}

/// The runs of pieces, in the order of their places.
#[must_use]
pub fn runs(mut pieces: Vec<Piece>) -> Vec<Run> {
    pieces.par_sort_unstable_by_key(|piece| piece.at);
    let mut runs: Vec<Run> = Vec::new();
    for piece in pieces {
        let [least, most] = [piece.copies; 2];
        match runs.last_mut() {
            Some(run)
                if run.at.plus(run.windows) == piece.at
                    && run.first.plus(run.windows) == piece.first =>
            {
                run.windows += piece.windows;
                run.copies = [run.copies[0].min(least), run.copies[1].max(most)];
            }
            _ => runs.push(Run {
                at: piece.at,
                windows: piece.windows,
                first: piece.first,
                copies: [least, most],
            }),
        }
    }
    runs
}
