//! The clusters of a run as data for the script of the page: an index with a row for each cluster,
//! and blocks of clusters with their documents.
//!
//! Both are JSON, compressed, in base64. The page decompresses the index when it is opened, and a
//! block when one of its clusters is shown or searched, so the time to first use depends on the
//! index only. The primary type is [`ClusterData`].

mod block;
mod row;

use crate::ClusterExhibit;
use crate::clean;
use block::Packer;
use rayon::prelude::*;
use row::{ClusterRow, Index};

/// Bytes of JSON in a block before compression; the last cluster of a block may exceed them.
const BLOCK: usize = 256 << 10;
/// Bytes of a name in the index; blocks have whole names, up to [`row::NAME`].
const SHORT: usize = 160;
/// Files of a cluster in the index.
const FILES: usize = 64;

/// Blocks that are compressed side by side (the docs of [`ClusterData`] state the number).
const SIDE_BY_SIDE: usize = 32;

/// Collects clusters, in the order of display. Memory: the compressed blocks, up to 32 that
/// are not, and some 100 bytes for each cluster.
#[derive(Debug, Default)]
pub struct ClusterData {
    index: Index,
    blocks: Vec<String>,
    /// Blocks that are to be compressed: as many as `waiting`, and buffers for more.
    full: Vec<Vec<u8>>,
    waiting: usize,
    open: Vec<u8>,
}

impl ClusterData {
    /// Without clusters yet. `sources` are the names of all input files, `excerpt` is the maximum
    /// length in bytes of the texts.
    #[must_use]
    pub fn new(sources: Vec<String>, excerpt: usize) -> Self {
        Self { index: Index { sources, excerpt, ..Index::default() }, ..Self::default() }
    }

    /// Adds a cluster. The texts of its members are compared with the leader's by the page.
    ///
    /// # Errors
    /// None in practice: the cluster cannot be written as JSON.
    pub fn push(&mut self, cluster: &ClusterExhibit) -> Result<(), serde_json::Error> {
        let index = &mut self.index;
        if self.open.is_empty() {
            index.blocks.push(index.number.len());
        }
        index.number.push(cluster.number);
        index.size.push(cluster.size);
        index.least.push(rounded(cluster.least));
        index.mean.push(rounded(cluster.mean));
        index.rules.push(cluster.rules);
        index.files.push(cluster.files.iter().take(FILES).copied().collect());
        index.id.push(clean::cut(&cluster.leader.id, SHORT).to_owned());
        index.title.push(clean::cut(cluster.leader.caption(), SHORT).to_owned());
        self.open.push(if self.open.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.open, &ClusterRow::of(cluster))?;
        if self.open.len() >= BLOCK {
            self.close();
        }
        Ok(())
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.open.push(b']');
            if self.waiting == self.full.len() {
                self.full.push(Vec::with_capacity(BLOCK + BLOCK / 4));
            }
            std::mem::swap(&mut self.open, &mut self.full[self.waiting]);
            self.open.clear();
            self.waiting += 1;
        }
        if self.waiting == SIDE_BY_SIDE {
            self.compress();
        }
    }

    fn compress(&mut self) {
        let full = self.full[..self.waiting].par_iter();
        self.blocks.par_extend(full.map_init(Packer::default, |packer, block| packer.pack(block)));
        self.waiting = 0;
    }

    /// Number of clusters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.number.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Maximum length of the texts in bytes.
    pub(crate) fn excerpt(&self) -> usize {
        self.index.excerpt
    }

    /// The index and the blocks, in base64. `facts` are what the script must know of the run.
    pub(crate) fn packed(&mut self, facts: serde_json::Value) -> (String, Vec<String>) {
        self.close();
        self.compress();
        self.index.facts = facts;
        let json = serde_json::to_vec(&self.index).unwrap_or_default();
        (Packer::default().pack(&json), std::mem::take(&mut self.blocks))
    }
}

/// Six decimals: more than are shown.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocExhibit, MemberExhibit};
    use base64::Engine;
    use serde_json::Value;
    use std::io::Read;

    fn unpacked(text: &str) -> Value {
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
        let mut json = Vec::new();
        flate2::read::ZlibDecoder::new(&bytes[..]).read_to_end(&mut json).unwrap();
        serde_json::from_slice(&json).unwrap()
    }

    fn cluster(number: u64, text: usize) -> ClusterExhibit {
        let text = |end: &str| "word ".repeat(text) + end;
        ClusterExhibit {
            number,
            size: 3,
            least: 2.0 / 3.0,
            mean: 0.75,
            leader: DocExhibit {
                id: format!("l{number}\u{202e}</script>"),
                text: text("a"),
                ..DocExhibit::default()
            },
            members: vec![MemberExhibit {
                id: format!("m{number}"),
                similarity: Some(2.0 / 3.0),
                rule: "near".into(),
                text: text("b"),
                ..MemberExhibit::default()
            }],
            files: (0..100).collect(),
            ..ClusterExhibit::default()
        }
    }

    #[test]
    fn every_cluster_is_in_the_block_that_the_index_says() {
        let mut data = ClusterData::new(vec!["f".into()], 1000);
        (0..1000).for_each(|number| data.push(&cluster(number, 100)).unwrap());
        assert_eq!(data.len(), 1000);
        let (index, blocks) = data.packed(Value::Null);
        let index = unpacked(&index);
        let starts: Vec<usize> = index["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap() as usize)
            .collect();
        assert_eq!(starts.len(), blocks.len());
        assert!(blocks.len() > 2, "{} blocks", blocks.len());
        assert_eq!(index["files"][0].as_array().unwrap().len(), FILES);
        for (at, block) in blocks.iter().enumerate() {
            let rows = unpacked(block);
            let rows = rows.as_array().unwrap();
            let end = starts.get(at + 1).copied().unwrap_or(1000);
            assert_eq!(rows.len(), end - starts[at]);
            for (row, number) in rows.iter().zip(starts[at]..) {
                assert_eq!(row["d"][0][0], format!("l{number}\u{202e}</script>"));
                assert_eq!(row["d"][1][0], format!("m{number}"));
                assert_eq!(row["d"][1][6], 2.0 / 3.0);
                assert_eq!(row["h"], 1, "a member that is not listed is counted");
            }
        }
    }

    #[test]
    fn no_cluster_has_no_block() {
        let mut data = ClusterData::new(Vec::new(), 10);
        assert!(data.is_empty());
        assert!(data.packed(Value::Null).1.is_empty());
    }
}
