//! The table `problems`: records and files that could not be used, and why.

use crate::LookalikeError;
use crate::table_store::TableStore;
use lookalike_io::Problem;
use lookalike_io::table::{Cell, Column, ColumnKind};

/// Columns of `problems`.
pub(crate) const PROBLEMS: [Column; 5] = [
    Column { name: "file", kind: ColumnKind::Text },
    Column { name: "record", kind: ColumnKind::Count },
    Column { name: "line", kind: ColumnKind::Count },
    Column { name: "offset", kind: ColumnKind::Count },
    Column { name: "message", kind: ColumnKind::Text },
];

/// Writes the listed problems (of very many, only the first are listed).
pub(crate) fn write_problems<'p, S: TableStore>(
    problems: impl IntoIterator<Item = &'p Problem>,
    store: &S,
) -> Result<S::Done, LookalikeError> {
    let mut table = store.begin("problems", &PROBLEMS)?;
    let known = |place: u64| if place == 0 { Cell::Null } else { Cell::Count(place) };
    for problem in problems {
        table.row(&[
            Cell::Text(&problem.path),
            known(problem.record.into()),
            known(problem.line),
            problem.offset.map_or(Cell::Null, Cell::Count),
            Cell::Text(&problem.message),
        ])?;
    }
    store.finish(&PROBLEMS, table)
}
