//! Min-hash sketches of sets that grow.

use crate::array::Array;
use arrow_array::UInt64Array;
use lookalike::methods::{Bands, MinHash, NotComparable, bands_for, least_for};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A sketch, and the set itself if it is kept. No Python code runs while the lock is held.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct Sketch(Mutex<State>);

#[derive(Clone)]
struct State {
    minima: MinHash,
    set: Option<HashSet<u64>>,
}

impl State {
    fn extend(&mut self, elements: &[u64]) {
        self.minima.extend(elements);
        if let Some(set) = &mut self.set {
            set.extend(elements);
        }
    }
}

impl Sketch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Both states, locked in the order of their addresses: two threads that compare the same two
    /// sketches do not wait for each other.
    fn with<T>(&self, other: &Self, work: impl FnOnce(&State, &State) -> T) -> T {
        let (this, that): (*const Self, *const Self) = (self, other);
        if this == that {
            let state = self.state();
            return work(&state, &state);
        }
        if this < that {
            let (a, b) = (self.state(), other.state());
            return work(&a, &b);
        }
        let b = other.state();
        work(&self.state(), &b)
    }
}

#[pymethods]
impl Sketch {
    #[new]
    fn new(num_perm: u32, seed: u64, keep_set: bool) -> Self {
        let set = keep_set.then(HashSet::new);
        Self(Mutex::new(State { minima: MinHash::new(num_perm, seed), set }))
    }

    /// A sketch of these parts.
    #[staticmethod]
    fn of_parts(
        num_perm: u32,
        seed: u64,
        minima: Vec<u64>,
        set: Option<HashSet<u64>>,
    ) -> PyResult<Self> {
        let count = minima.len();
        let minima = MinHash::of_minima(num_perm, seed, minima);
        let wrong = || PyValueError::new_err(format!("{count} minima, and not {num_perm}"));
        Ok(Self(Mutex::new(State { minima: minima.ok_or_else(wrong)?, set })))
    }

    /// Number of minima, seed, the minima, and the set if it is kept.
    fn parts(&self) -> (u32, u64, Vec<u64>, Option<HashSet<u64>>) {
        let State { minima, set } = self.state().clone();
        (minima.k(), minima.seed(), minima.minima().to_vec(), set)
    }

    fn copy(&self) -> Self {
        Self(Mutex::new(self.state().clone()))
    }

    /// Adds an element.
    fn update(&self, element: &Bound<'_, PyAny>) -> PyResult<()> {
        let element = fingerprint(element)?;
        self.state().extend(&[element]);
        Ok(())
    }

    /// Adds all elements of an iterable.
    fn update_batch(&self, elements: &Bound<'_, PyAny>) -> PyResult<()> {
        let elements = elements.try_iter()?.map(|element| fingerprint(&element?));
        let elements = elements.collect::<PyResult<Vec<u64>>>()?;
        self.state().extend(&elements);
        Ok(())
    }

    /// Adds elements, given by their fingerprints.
    fn update_features(&self, features: Vec<u64>) {
        self.state().extend(&features);
    }

    /// Adds the elements of another set. The union is kept if both sets are.
    fn merge(&self, other: &Self) -> PyResult<()> {
        // A copy, as it may be the same sketch.
        let other = other.state().clone();
        let mut state = self.state();
        state.minima.merge(&other.minima).map_err(differ)?;
        state.set = state.set.take().zip(other.set).map(|(mut set, other)| {
            set.extend(other);
            set
        });
        Ok(())
    }

    /// How many minima are equal.
    fn equal(&self, other: &Self) -> PyResult<u32> {
        self.with(other, |a, b| a.minima.equal(&b.minima)).map_err(differ)
    }

    /// Common elements, and the elements of each, if both sets are kept.
    fn overlap(&self, other: &Self) -> Option<(usize, usize, usize)> {
        self.with(other, |a, b| {
            let (a, b) = (a.set.as_ref()?, b.set.as_ref()?);
            let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
            let shared = small.iter().filter(|element| large.contains(element)).count();
            Some((shared, a.len(), b.len()))
        })
    }

    fn same(&self, other: &Self) -> bool {
        self.with(other, |a, b| a.minima == b.minima)
    }

    /// The minima; of an empty set, which has none, the largest number for each.
    fn digest(&self) -> Array {
        let minima = &self.state().minima;
        let digest = match minima.is_empty() {
            true => vec![u64::MAX; minima.k() as usize],
            false => minima.minima().to_vec(),
        };
        Array::new(Arc::new(UInt64Array::from(digest)))
    }

    /// A key for each band.
    fn keys(&self, bands: u32, rows: u32) -> Vec<u64> {
        let mut keys = Vec::with_capacity(bands as usize);
        self.state().minima.keys(Bands { bands, rows }, &mut keys);
        keys
    }

    /// An estimate of the number of elements.
    fn count(&self) -> f64 {
        self.state().minima.count()
    }

    fn is_empty(&self) -> bool {
        self.state().minima.is_empty()
    }

    fn keeps_set(&self) -> bool {
        self.state().set.is_some()
    }
}

fn differ(error: NotComparable) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The fingerprint of an element: of its bytes, or those of a text.
fn fingerprint(element: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(bytes) = element.cast::<PyBytes>() {
        return Ok(MinHash::element(bytes.as_bytes()));
    }
    if let Ok(text) = element.cast::<PyString>() {
        return Ok(MinHash::element(text.to_cow()?.as_bytes()));
    }
    if let Ok(bytes) = element.cast::<PyByteArray>() {
        return Ok(MinHash::element(&bytes.to_vec()));
    }
    let kind = element.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "an element is bytes or str, not {kind}; numbers of Signer.features go to update_features()"
    )))
}

/// Bands and rows for a threshold: by a recall at the threshold, or by weights of false candidates
/// and of missed pairs. None if there are none.
#[pyfunction]
#[pyo3(signature = (threshold, num_perm, recall, weights = None))]
pub(crate) fn lsh_bands(
    threshold: f64,
    num_perm: u32,
    recall: f64,
    weights: Option<(f64, f64)>,
) -> Option<(u32, u32)> {
    let bands = match weights {
        None => bands_for(threshold, recall, num_perm),
        Some((false_candidates, missed)) => {
            Some(Bands::balanced(threshold, false_candidates, missed, num_perm))
        }
    };
    bands.map(|Bands { bands, rows }| (bands, rows))
}

/// The number of minima that must be equal for a sketch to be taken for one at the threshold.
#[pyfunction]
pub(crate) fn least_equal(threshold: f64, num_perm: u32, recall: f64) -> u32 {
    least_for(threshold, recall, num_perm)
}

/// The probability that two sets of this resemblance have a common key.
#[pyfunction]
pub(crate) fn lsh_probability(bands: u32, rows: u32, resemblance: f64) -> f64 {
    Bands { bands, rows }.probability(resemblance)
}
