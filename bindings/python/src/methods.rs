//! The methods of the papers.

use crate::errors;
use lookalike::methods::{MethodKnobs, NeedsStatistics};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

/// All methods as JSON.
#[pyfunction]
pub(crate) fn methods() -> PyResult<String> {
    let all = lookalike::methods::methods().map(|about| {
        let parameters = about.parameters.iter();
        let parameters = parameters
            .map(|p| json!({"name": p.name, "default": p.default, "help": p.help}))
            .collect::<Vec<_>>();
        json!({
            "name": about.name,
            "summary": about.summary,
            "paper": about.paper,
            "parameters": parameters,
            "needs_lexicon": about.needs_statistics != NeedsStatistics::Never,
        })
    });
    let json = serde_json::to_string(&all.collect::<Vec<_>>());
    json.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Description of the keys of a method and the points of its S-curve, if it has one.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn s_curve(py: Python<'_>, spec: &str) -> PyResult<Option<(String, Vec<(f64, f64)>)>> {
    let curve =
        lookalike::evaluation::s_curve(spec).map_err(|error| errors::exception(py, error))?;
    Ok(curve.map(|curve| (curve.keys, curve.points)))
}

/// Parameters of methods under familiar names: `num_perm`, `bands`, `rows`, `seed`.
pub(crate) type Knobs = (Option<u32>, Option<u32>, Option<u32>, Option<u64>);

/// Such parameters, as the library takes them.
pub(crate) fn knobs((num_perm, bands, rows, seed): Knobs) -> MethodKnobs {
    MethodKnobs { num_perm, bands, rows, seed }
}

/// A method with parameters under familiar names.
#[pyfunction]
pub(crate) fn method_with(py: Python<'_>, spec: &str, given: Knobs) -> PyResult<String> {
    knobs(given).apply(spec).map_err(|error| errors::exception(py, error))
}
