//! Collapsed results: a ranked list of documents, of which one is shown and its near-duplicates are
//! put behind it.

use lookalike_core::{Measure, Threshold};
use lookalike_engine::{Signer, SignerScratch};
use lookalike_index::{DocAt, RankedItem};
use lookalike_join::Criterion;
use lookalike_run::analysis::pool;
use lookalike_run::index::Index;
use lookalike_run::settings::thread_count;
use lookalike_run::{LookalikeError, Settings, Shingle};
use serde::{Deserialize, Serialize};

/// An item of a ranked list: a text, or the id of a document of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollapseItem {
    /// Its id.
    pub id: String,
    /// Its text; `None` for a document of the index.
    pub text: Option<String>,
}

/// How a list is grouped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CollapseOptions {
    /// What the measure has to reach; `None` for the threshold of the index, and 0.8 without one.
    pub threshold: Option<String>,
    /// The measure; `None` for that of the index, and resemblance without one.
    pub measure: Option<Measure>,
    /// Tokens in a shingle, without an index.
    pub shingle: Option<u32>,
    /// Threads to use; 0 for all cores.
    pub threads: usize,
}

/// A document that is shown, and those behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CollapsedGroup {
    /// Its place in the list, from 1.
    pub rank: usize,
    /// Its id.
    pub id: String,
    /// The documents behind it, in their order.
    pub behind: Vec<CollapsedItem>,
    /// Whether it is an id that the index does not have: it is shown, and compared with no other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

/// A document behind another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CollapsedItem {
    /// Its place in the list, from 1.
    pub rank: usize,
    /// Its id.
    pub id: String,
    /// Its resemblance to the document that is shown.
    pub resemblance: f64,
    /// How much of it is in that document: the value of the measure containment.
    pub containment: f64,
    /// Elements that both have.
    pub shared: u32,
}

impl CollapseItem {
    /// Reads a line of a list: a JSON object with `text` and perhaps `id`; with `ids`, also one
    /// with `id` alone, or a plain id.
    ///
    /// # Errors
    /// Neither a text nor an id.
    pub fn read(line: usize, written: &str, ids: bool) -> Result<Self, LookalikeError> {
        #[derive(Deserialize)]
        struct Read {
            id: Option<serde_json::Value>,
            text: Option<String>,
        }
        let wrong = |reason: &str| LookalikeError::Settings(format!("line {line}: {reason}"));
        if !written.trim_start().starts_with('{') {
            return match ids {
                true => Ok(Self { id: written.trim().to_owned(), text: None }),
                false => Err(wrong("it is no JSON object; with the setting index it may be an id")),
            };
        }
        let Read { id, text } =
            serde_json::from_str(written).map_err(|error| wrong(&error.to_string()))?;
        let id = id.map(|id| match id {
            serde_json::Value::String(id) => id,
            other => other.to_string(),
        });
        match (id, text, ids) {
            (id, Some(text), _) => {
                Ok(Self { id: id.unwrap_or_else(|| line.to_string()), text: Some(text) })
            }
            (Some(id), None, true) => Ok(Self { id, text: None }),
            _ => Err(wrong("it has no field `text`")),
        }
    }
}

/// Where the set of an item comes from.
enum Stored {
    At(DocAt),
    Made(Vec<u64>),
    Unknown,
}

/// Groups a ranked list: an item is put behind the first shown item that it matches, and is shown
/// if there is none. By containment, it matches one that contains it: the share of the later item
/// in the shown one counts.
///
/// Items without a text are documents of the index. They are first compared by their sizes and
/// bitmaps, and two that the index keeps are not compared if it was created with this threshold or a
/// lower one. Only the sets of the other pairs are made.
///
/// ```
/// use lookalike::index::{CollapseItem, CollapseOptions, collapse};
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let texts = ["a rose is a rose is a rose", "to be or not to be", "A rose is a rose is a rose!"];
/// let items: Vec<CollapseItem> = (1..)
///     .zip(texts)
///     .map(|(n, text)| CollapseItem { id: format!("{n}"), text: Some(text.into()) })
///     .collect();
/// let groups = collapse(&items, None, &CollapseOptions::default())?;
/// let shown: Vec<&str> = groups.iter().map(|group| group.id.as_str()).collect();
/// assert_eq!(shown, ["1", "2"]);
/// assert_eq!(groups[0].behind[0].id, "3");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// An id without an index; settings that make no sense.
pub fn collapse(
    items: &[CollapseItem],
    index: Option<&Index>,
    options: &CollapseOptions,
) -> Result<Vec<CollapsedGroup>, LookalikeError> {
    let CollapseOptions { threshold, measure, shingle, threads } = options;
    let threshold = threshold.as_deref();
    let pool = pool(thread_count(*threads))?;
    pool.install(|| match index {
        Some(index) => collapse_by_index(index, items, *measure, threshold),
        None => {
            let settings = Settings {
                shingle: shingle.map_or(Shingle::Usual, Shingle::Of),
                measure: measure.unwrap_or(Measure::Resemblance),
                ..Settings::default()
            };
            of_texts(items, &settings, *measure, threshold)
        }
    })
}

fn of_texts(
    items: &[CollapseItem],
    settings: &Settings,
    measure: Option<Measure>,
    threshold: Option<&str>,
) -> Result<Vec<CollapsedGroup>, LookalikeError> {
    let criterion = criterion(settings, measure, threshold)?;
    let signer = Signer::new(&settings.matching()?);
    let mut scratch = SignerScratch::default();
    let mut stored = Vec::with_capacity(items.len());
    for CollapseItem { id, text } in items {
        let Some(text) = text else {
            return Err(LookalikeError::Settings(format!(
                "`{id}` has no text, and there is no index that has it; give the setting index"
            )));
        };
        let mut set = Vec::new();
        signer.text_set(text, &mut scratch, &mut set);
        stored.push((RankedItem::of(&set), Stored::Made(set)));
    }
    group(items, &stored, criterion, |_| Ok(Vec::new()))
}

/// Groups a ranked list of documents of this index, or of texts, on the current rayon pool; see
/// [`collapse`]. An id that is not in the index is shown ([`CollapsedGroup::unknown`]).
///
/// # Errors
/// A threshold that makes no sense.
pub fn collapse_by_index(
    index: &Index,
    items: &[CollapseItem],
    measure: Option<Measure>,
    threshold: Option<&str>,
) -> Result<Vec<CollapsedGroup>, LookalikeError> {
    let settings = &index.settings().documents;
    index.analysis.refuse_across("collapsing a list")?;
    let criterion = criterion(settings, measure, threshold)?;
    let own: Threshold = settings.threshold.parse()?;
    // By containment, a kept document may be contained in one that follows it.
    let symmetric = matches!(criterion.measure, Measure::Resemblance | Measure::Cosine);
    let kept_differ =
        symmetric && criterion.measure == settings.measure && criterion.threshold.at_least(own);
    let snapshot = index.snapshot()?;
    let mut buffers = index.buffers();
    let mut stored = Vec::with_capacity(items.len());
    for CollapseItem { id, text } in items {
        if let Some(text) = text {
            let mut set = Vec::new();
            index.analysis.signer.text_set(text, &mut buffers.signer, &mut set);
            stored.push((RankedItem::of(&set), Stored::Made(set)));
            continue;
        }
        let Some(at) = snapshot.with_id(id).last().copied() else {
            stored.push((RankedItem::of(&[]), Stored::Unknown));
            continue;
        };
        let document = snapshot.document(at);
        // Documents with few features match others by their words only.
        let kept = kept_differ && snapshot.is_kept(at) && !document.few();
        stored.push((RankedItem { kept, ..document.ranked_item() }, Stored::At(at)));
    }
    index.give_back(buffers);
    group(items, &stored, criterion, |at| {
        let mut buffers = index.buffers();
        let set = snapshot.set(at, &mut buffers.scratch)?;
        index.give_back(buffers);
        Ok(set)
    })
}

fn criterion(
    settings: &Settings,
    measure: Option<Measure>,
    threshold: Option<&str>,
) -> Result<Criterion, LookalikeError> {
    let threshold: Threshold = threshold.unwrap_or(&settings.threshold).parse()?;
    Ok(Criterion { measure: measure.unwrap_or(settings.measure), threshold })
}

fn group(
    items: &[CollapseItem],
    stored: &[(RankedItem, Stored)],
    criterion: Criterion,
    load: impl Fn(DocAt) -> Result<Vec<u64>, LookalikeError> + Sync,
) -> Result<Vec<CollapsedGroup>, LookalikeError> {
    let ranked: Vec<RankedItem> = stored.iter().map(|(item, _)| *item).collect();
    let groups = lookalike_index::collapse(criterion, &ranked, |item| match &stored[item].1 {
        Stored::At(at) => load(*at),
        Stored::Made(set) => Ok(set.clone()),
        Stored::Unknown => Ok(Vec::new()),
    })?;
    Ok(groups
        .into_iter()
        .map(|group| CollapsedGroup {
            rank: group.shown + 1,
            id: items[group.shown].id.clone(),
            unknown: matches!(stored[group.shown].1, Stored::Unknown),
            behind: group
                .behind
                .into_iter()
                .map(|behind| CollapsedItem {
                    rank: behind.item + 1,
                    id: items[behind.item].id.clone(),
                    resemblance: behind.counts.resemblance(),
                    containment: behind.counts.containment_a_in_b(),
                    shared: behind.counts.shared,
                })
                .collect(),
        })
        .collect())
}
