//! The documents of a state of the store.

use super::{LiveSegment, Result, Snapshot};
use crate::description::Rules;
use crate::disk::Disk;
use crate::segment::{KEPT, Segment, SegmentSettings};
use crate::store::State;
use crate::{DocNumber, IndexError, layout};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

impl Snapshot {
    /// Maps the segments of a state. Segments of an earlier snapshot stay mapped.
    pub(crate) fn load(
        disk: &dyn Disk,
        dir: &Path,
        state: &State,
        settings: &SegmentSettings,
        rules: &Arc<Rules>,
        earlier: Option<&Self>,
    ) -> Result<Self> {
        let known: HashMap<u64, &Arc<LiveSegment>> = earlier
            .into_iter()
            .flat_map(|earlier| earlier.segments.iter().map(|live| (live.id, live)))
            .collect();
        let mut segments = Vec::with_capacity(state.segments.len());
        for entry in &state.segments {
            let segment = match known.get(&entry.id) {
                Some(live) => Arc::clone(&live.segment),
                None => {
                    let path = layout::segment(dir, entry.id);
                    let data = disk.map(&path).map_err(IndexError::io(&path))?;
                    let segment = Segment::open(data, &path, settings)?;
                    let found = (segment.documents(), segment.units(), segment.bytes());
                    if found != (entry.documents, entry.units, entry.bytes) {
                        return Err(IndexError::Damaged {
                            path,
                            what: "it is not the segment that was committed".into(),
                        });
                    }
                    Arc::new(segment)
                }
            };
            let dead = state.dead.get(&entry.id).map(|dead| (**dead).clone()).unwrap_or_default();
            segments.push(LiveSegment::new(entry.id, segment, dead));
        }
        for (number, relies_on) in state.changed.iter() {
            let place = segments.iter_mut().find_map(|live| {
                let local = live.segment.find_number(DocNumber(number))?;
                live.is_live(local).then_some((live, local))
            });
            if let Some((live, local)) = place {
                match relies_on {
                    KEPT => live.kept.insert(local),
                    _ => live.kept.remove(local),
                };
            }
        }
        Ok(Self {
            commit: state.commit,
            segments: segments.into_iter().map(Arc::new).collect(),
            changed: state.changed.clone(),
            rules: Arc::clone(rules),
        })
    }
}
