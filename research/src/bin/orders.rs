//! Candidates of the exact join by element order: distinct pairs that the length and positional
//! filters leave.
//!
//! Compares the order that a run uses with the true order of document frequencies, which needs a
//! table of all elements, and with the order by counters that saturate at 255, for small and large
//! vocabularies. The answer of the join is the same for each. One table row for each kind of
//! features, as JSON lines.

use anyhow::{Result, ensure};
use clap::Parser;
use lookalike_core::{FeatureKind, Measure, ShortDocuments};
use lookalike_engine::signer::plain_text;
use lookalike_engine::{MatchSettings, Signer};
use lookalike_io::source::VisitScratch;
use lookalike_io::{DiscoverOptions, Inputs, Item};
use lookalike_join::{Criterion, DfSketch, prefix};
use lookalike_text::{Terms, Unit};
use std::collections::{BTreeSet, HashMap};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Counts the candidates of a collection under several element orders.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Files and directories, as `lookalike` reads them.
    #[arg(required = true)]
    inputs: Vec<String>,
    /// The threshold.
    #[arg(long, default_value = "0.8")]
    threshold: String,
    /// `resemblance` or `cosine`.
    #[arg(long, default_value = "resemblance")]
    measure: String,
    /// Reads no more documents than this.
    #[arg(long, default_value_t = usize::MAX)]
    documents: usize,
    /// The kinds of features, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "words-5,words-1,chars-5,chars-3,terms")]
    features: Vec<String>,
    /// Writes the sets of each kind of features to FOLDER/FEATURES.txt for other set-similarity
    /// joins: a set a line, the smallest first, as numbers of which lower ones are in fewer sets,
    /// in ascending order.
    #[arg(long, value_name = "FOLDER")]
    write_sets: Option<PathBuf>,
}

/// Settings for a kind of features: `words-N`, `chars-N` or `terms`.
fn settings(features: &str, criterion: Criterion) -> Result<MatchSettings> {
    let mut settings = MatchSettings {
        measure: criterion.measure,
        ..MatchSettings::resemblance(criterion.threshold)
    };
    if features == "terms" {
        settings.features = FeatureKind::Terms;
        settings.terms = Terms::All;
        return Ok(settings);
    }
    let (unit, size) = features.split_once('-').unwrap_or((features, "1"));
    ensure!(["words", "chars"].contains(&unit), "features are words-N, chars-N or terms");
    settings.analysis.unit = if unit == "chars" { Unit::Char } else { Unit::Word };
    settings.features = FeatureKind::Shingles { size: size.parse()?, short: ShortDocuments::Whole };
    Ok(settings)
}

/// Distinct sets of elements numbered from 0, the elements and how many sets each is in.
struct Sets {
    sets: Vec<Vec<u32>>,
    elements: Vec<u64>,
    df: Vec<u32>,
}

impl Sets {
    fn of(texts: &[String], settings: &MatchSettings) -> Self {
        let signer = Signer::new(settings);
        let distinct: BTreeSet<Vec<u64>> =
            texts.iter().map(|text| signer.sorted_set(text)).collect();
        let (mut numbers, mut elements, mut df) = (HashMap::new(), Vec::new(), Vec::new());
        let mut number = |element: u64| {
            let number = *numbers.entry(element).or_insert(elements.len() as u32);
            if number as usize == elements.len() {
                elements.push(element);
                df.push(0);
            }
            df[number as usize] += 1;
            number
        };
        let sets = distinct.into_iter().map(|set| set.into_iter().map(&mut number).collect());
        Self { sets: sets.collect(), elements, df }
    }

    /// The rank of each element if they are ordered by `key`, and by value where it is equal.
    fn ranks<K: Ord>(&self, key: impl Fn(usize) -> K) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.elements.len() as u32).collect();
        order.sort_by_cached_key(|&at| (key(at as usize), self.elements[at as usize]));
        let mut rank = vec![0u32; order.len()];
        (0..).zip(&order).for_each(|(at, &element)| rank[element as usize] = at);
        rank
    }

    /// Writes the sets as ranks by document frequency.
    fn write(&self, path: &Path) -> Result<()> {
        let rank = self.ranks(|at| self.df[at]);
        let mut by_size: Vec<&Vec<u32>> = self.sets.iter().filter(|set| !set.is_empty()).collect();
        by_size.sort_by_key(|set| set.len());
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        for set in by_size {
            let mut own: Vec<u32> = set.iter().map(|&element| rank[element as usize]).collect();
            own.sort_unstable();
            for (at, rank) in own.iter().enumerate() {
                write!(out, "{}{rank}", if at > 0 { " " } else { "" })?;
            }
            writeln!(out)?;
        }
        Ok(out.flush()?)
    }

    /// Distinct candidate pairs if elements are ordered by `key`, and by value where it is equal:
    /// what PPJoin (Xiao et al. 2008) verifies.
    fn candidates<K: Ord>(&self, criterion: Criterion, key: impl Fn(usize) -> K) -> u64 {
        let rank = self.ranks(key);
        let mut lists: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); rank.len()];
        let (mut seen, mut own, mut candidates) = (vec![u32::MAX; self.sets.len()], Vec::new(), 0);
        for (number, set) in (0u32..).zip(&self.sets) {
            let size = set.len() as u32;
            own.clear();
            own.extend(set.iter().map(|&element| rank[element as usize]));
            own.sort_unstable();
            for (position, &key) in (0..criterion.prefix_length(size)).zip(&own) {
                // The first key that two sets share bounds them best.
                for &(other, other_size, other_position) in &lists[key as usize] {
                    let first = seen[other as usize] != number;
                    seen[other as usize] = number;
                    let passes =
                        criterion.could_match((size, position), (other_size, other_position));
                    candidates += u64::from(first && passes);
                }
                lists[key as usize].push((number, size, position));
            }
        }
        candidates
    }

    fn report(&self, features: &str, criterion: Criterion) -> serde_json::Value {
        let all: u64 = self.sets.iter().map(|set| set.len() as u64).sum();
        let mut sketch = DfSketch::for_elements(all, 0);
        let mut values = Vec::new();
        let sampled = (0u64..).zip(&self.sets).filter(|&(number, _)| sketch.takes(number)).count();
        for (number, set) in (0u64..).zip(&self.sets) {
            if sketch.takes(number) {
                values.clear();
                values.extend(set.iter().map(|&element| self.elements[element as usize]));
                sketch.add(&values);
            }
        }
        let bound = prefix::bound(criterion);
        let place = |at: usize| {
            let low = self.elements[at] <= bound;
            (!(low && self.df[at] == 1), !low)
        };
        // Counters of a byte, of which those below 4 said nothing.
        let count = |element| Some(sketch.count(element)).filter(|&count| count >= 4);
        let saturated: Vec<u64> =
            self.elements.iter().map(|&e| count(e).map_or(0, |count| count.min(255))).collect();
        let bytes = DfSketch::bytes_for(all);
        let order = sketch.freeze();
        let run = |at: usize, level: u64| {
            let (shared, high) = place(at);
            let common = order.is_common(self.elements[at]);
            (shared, common, if common { level } else { 0 }, high)
        };
        serde_json::json!({
            "features": features,
            "sets": self.sets.len(),
            "elements": all,
            "vocabulary": self.elements.len(),
            "sampled_sets": sampled,
            "sketch_bytes": bytes,
            "order_bytes_encoded": order.to_bytes().len(),
            "candidates_true_df": self.candidates(criterion, |at| self.df[at]),
            "candidates_run": self.candidates(criterion, |at| run(at, order.level(self.elements[at]).into())),
            "candidates_pure_steps": self.candidates(criterion, |at| order.level(self.elements[at])),
            "candidates_saturated": self.candidates(criterion, |at| run(at, saturated[at])),
        })
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let measure = match arguments.measure.as_str() {
        "resemblance" => Measure::Resemblance,
        "cosine" => Measure::Cosine,
        other => anyhow::bail!("--measure {other}: `resemblance` or `cosine`"),
    };
    let criterion = Criterion { measure, threshold: arguments.threshold.parse()? };
    let inputs = Inputs::discover(&arguments.inputs, DiscoverOptions::default())?;
    let (mut texts, mut scratch) = (Vec::new(), VisitScratch::default());
    for chunk in inputs.chunks() {
        chunk.whole()?.visit(&inputs, &mut scratch, &mut |item| {
            if let Item::Record(record) = item
                && texts.len() < arguments.documents
            {
                texts.push(plain_text(&record.content).into_owned());
            }
        });
    }
    for features in &arguments.features {
        let sets = Sets::of(&texts, &settings(features, criterion)?);
        if let Some(folder) = &arguments.write_sets {
            std::fs::create_dir_all(folder)?;
            sets.write(&folder.join(format!("{features}.txt")))?;
        }
        println!("{}", sets.report(features, criterion));
    }
    Ok(())
}
