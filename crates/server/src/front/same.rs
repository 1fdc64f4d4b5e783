//! The settings of the shards, which are the same.

use super::shards::{Call, Shards};
use crate::serve_error::ServeError;
use lookalike::index::IndexSettings;
use serde::Deserialize;
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long a shard may take to show its settings.
const DEADLINE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
struct Stats {
    settings: Value,
    /// The texts whose shingles are removed.
    #[serde(default)]
    ignored_texts: Value,
}

/// The settings of all shards.
///
/// # Errors
/// A shard that does not answer; settings that differ, or that a front cannot answer for.
pub(super) async fn settings(shards: &Shards) -> Result<IndexSettings, ServeError> {
    let mut first: Option<Value> = None;
    for shard in 0..shards.count() {
        let failed =
            |reason: String| ServeError::Shard { url: shards.url(shard).to_owned(), reason };
        let call = Call::get("/v1/stats", Instant::now() + DEADLINE);
        let stats = shards.ask(shard, call).await.map_err(|problem| failed(problem.detail))?;
        let Stats { mut settings, ignored_texts } = stats;
        settings["ignored_texts"] = ignored_texts;
        let first = first.get_or_insert_with(|| settings.clone());
        if let Some((name, here, there)) = difference("", first, &settings) {
            let other = shards.url(0);
            return Err(failed(format!(
                "it has the setting {name}={there}, and {other} has {here}; all shards are indexes \
                 of the same settings"
            )));
        }
    }
    let mut settings = first.unwrap_or_default();
    settings.as_object_mut().map(|settings| settings.remove("ignored_texts"));
    let failed = |reason: String| ServeError::Shard { url: shards.url(0).to_owned(), reason };
    let settings: IndexSettings = serde_json::from_value(settings)
        .map_err(|error| failed(format!("settings of another version: {error}")))?;
    let documents = &settings.documents;
    for (name, is_set) in
        [("across", documents.across.is_some()), ("distinct_by", !documents.distinct_by.is_empty())]
    {
        if is_set {
            let reason = "compares values beside the texts, which a front does not have";
            return Err(failed(format!("the setting {name} {reason}; serve one index")));
        }
    }
    Ok(settings)
}

/// The first setting that differs, with both values.
fn difference(name: &str, a: &Value, b: &Value) -> Option<(String, Value, Value)> {
    match (a, b) {
        (Value::Object(here), Value::Object(there)) => {
            let names = here.keys().chain(there.keys().filter(|name| !here.contains_key(*name)));
            names.into_iter().find_map(|key| {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                difference(&name, &a[key], &b[key])
            })
        }
        _ => (a != b).then(|| (name.to_owned(), a.clone(), b.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_setting_that_differs_is_named() {
        let a = json!({"texts": true, "documents": {"threshold": "0.8", "measure": "resemblance"}});
        assert_eq!(difference("", &a, &a), None);
        let mut b = a.clone();
        b["documents"]["threshold"] = json!("0.7");
        let told = ("documents.threshold".to_owned(), json!("0.8"), json!("0.7"));
        assert_eq!(difference("", &a, &b), Some(told));
        let mut b = a.clone();
        b["passages"] = json!(8);
        assert_eq!(difference("", &a, &b), Some(("passages".to_owned(), Value::Null, json!(8))));
    }
}
