//! Units in; the keys that each looks under and is found under, by value, out.

use crate::buckets::{AllKeys, Buckets, Room, emit, units_per_task};
use crate::census::Census;
use crate::postings::{ANYWHERE, Posting};
use crate::{Collection, EngineError, MatchSettings, Units};
use lookalike_core::RarityTable;
use lookalike_core::prefix::{PrefixOrder, PrefixScratch};
use rayon::prelude::*;

/// Bytes in which elements are counted at least: with less of them the sets would be passed over too often.
const LEAST_COUNTED: u64 = 16 << 20;

/// The keys that units look under and, where those are others, the keys that they are found under. Nearly
/// all that only one unit has are left out.
///
/// Passes over the sets twice, three times for containment, and over a sixteenth of large collections once
/// more. `memory` bounds what is written down to count, in bytes: with less of it, sets are passed
/// over more often.
pub(crate) fn prefix_keys(
    collection: &Collection,
    units: &Units,
    settings: &MatchSettings,
    threads: usize,
    memory: u64,
) -> Result<(AllKeys, Option<AllKeys>), EngineError> {
    let elements = (0..units.len()).map(|unit| u64::from(units.size(unit))).sum();
    let mut rarity = RarityTable::for_elements(elements);
    let whole = |unit, buffer: &mut Vec<u64>, give: &mut dyn FnMut(&[u64])| {
        give(units.set(collection, unit, buffer));
    };
    rarity.count(units.len(), whole, threads);
    let order = PrefixOrder::new(settings.measure, settings.threshold, &rarity);

    let low = ((u128::from(elements) * u128::from(order.bound)) >> 64) as u64;
    let part = |unit, (low, buffer): &mut (Vec<u64>, Vec<u64>), give: &mut dyn FnMut(&[u64])| {
        give(order.low(units.set(collection, unit, buffer), low));
    };
    let per_task = units_per_task(units.len());
    let counting = memory.max(LEAST_COUNTED);
    let census = Census::new(units.len(), per_task, order.bound, low, counting, part);
    let probe = |(scratch, buffer): &mut (PrefixScratch, Vec<u64>), task| {
        let (mut out, mut reader) = (Buckets::default(), census.reader(task));
        for unit in census.units(task) {
            let set = units.set(collection, unit, buffer);
            let once = |value| reader.once(value);
            order.prefix(set, scratch, once, |position, value| {
                out.push(value, Posting { unit, position });
            });
        }
        out
    };
    let room = Room { bytes: memory, folder: collection.scratch_folder() };
    let tasks = (0..census.tasks()).into_par_iter().map_init(Default::default, probe);
    let probes = AllKeys::collect(tasks, &room)?;
    if settings.measure.is_symmetric() {
        return Ok((probes, None));
    }
    let probed = Probed::new(&probes)?;
    let posts = emit(units.len(), &room, |unit, out: &mut Buckets, buffer: &mut Vec<u64>| {
        let set = units.set(collection, unit, buffer);
        for &value in set.iter().filter(|&&value| probed.may_hold(value)) {
            out.push(value, Posting { unit, position: ANYWHERE });
        }
    })?;
    Ok((probes, Some(posts)))
}

/// Bits for each probed key.
const FILTER_BITS: usize = 16;

/// Says of almost every value that nobody probes that nobody does.
struct Probed {
    bits: Vec<u64>,
    mask: u64,
}

impl Probed {
    fn new(probes: &AllKeys) -> Result<Self, EngineError> {
        let bits = (probes.len() as usize * FILTER_BITS).next_power_of_two().max(64);
        let mut filter = Self { bits: vec![0; bits / 64], mask: bits as u64 - 1 };
        probes.for_each_value(|value| {
            let bit = value & filter.mask;
            filter.bits[(bit / 64) as usize] |= 1 << (bit % 64);
        })?;
        Ok(filter)
    }

    fn may_hold(&self, value: u64) -> bool {
        let bit = value & self.mask;
        self.bits[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }
}
