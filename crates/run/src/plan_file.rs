//! The file of a plan, which a run is compared with.

use crate::approach::name_of;
use crate::{LookalikeError, Settings};
use lookalike_report::Plan;
use std::path::Path;

/// Reads a plan from its JSON.
///
/// # Errors
/// A file that cannot be read or is not a plan.
pub(crate) fn read_plan(path: &Path) -> Result<Plan, LookalikeError> {
    let wrong = |reason: String| LookalikeError::Plan { path: path.display().to_string(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(format!("not a plan: {error}")))
}

/// The name in a plan of the method with these settings.
pub(crate) fn method_name(settings: &Settings) -> Result<String, LookalikeError> {
    match &settings.method {
        None => Ok("exact".into()),
        Some(method) => Ok(name_of(&method.spec.parse()?, method.verify)),
    }
}
