//! The JSON of the index and of a cluster, in the short form that the script reads.

use crate::clean::{cut, may_be_link};
use crate::{ClusterExhibit, DocPlace, MemberExhibit};
use serde::{Serialize, Serializer};

/// Bytes of a name. A longer one is cut, and its pairs cannot be labelled by name alone.
pub(super) const NAME: usize = 1000;
/// Bytes of a title.
const TITLE: usize = 240;

/// A row for each cluster, column by column.
#[derive(Debug, Default, Serialize)]
pub(super) struct Index {
    pub(super) facts: serde_json::Value,
    pub(super) sources: Vec<String>,
    pub(super) excerpt: usize,
    pub(super) number: Vec<u64>,
    pub(super) size: Vec<u64>,
    pub(super) least: Vec<f64>,
    pub(super) mean: Vec<f64>,
    pub(super) rules: Vec<u16>,
    pub(super) files: Vec<Vec<u32>>,
    pub(super) id: Vec<String>,
    pub(super) title: Vec<String>,
    /// The first cluster of each block.
    pub(super) blocks: Vec<usize>,
}

/// A cluster with its documents, the leader first.
#[derive(Debug, Serialize)]
pub(super) struct ClusterRow<'a> {
    /// The leader's address, if it may be a link.
    #[serde(rename = "u", skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    /// Members that are not listed.
    #[serde(rename = "h")]
    hidden: u64,
    #[serde(rename = "d", serialize_with = "documents")]
    cluster: &'a ClusterExhibit,
}

impl<'a> ClusterRow<'a> {
    pub(super) fn of(cluster: &'a ClusterExhibit) -> Self {
        Self {
            url: cluster.leader.url.as_deref().filter(|url| may_be_link(url)),
            hidden: cluster.size.saturating_sub(1 + cluster.members.len() as u64),
            cluster,
        }
    }
}

/// Id, file, record, title, text, length of the whole text or 0, similarity, rule.
type DocumentRow<'a> = (&'a str, u32, u32, &'a str, &'a str, u64, Option<f64>, &'a str);

fn documents<S: Serializer>(cluster: &&ClusterExhibit, to: S) -> Result<S::Ok, S::Error> {
    let ClusterExhibit { leader, place, members, .. } = cluster;
    let whole = leader.cut_from.unwrap_or(0);
    let leader: DocumentRow<'_> = (
        cut(&leader.id, NAME),
        place.file,
        place.record,
        title(&leader.title),
        &leader.text,
        whole,
        None,
        "",
    );
    to.collect_seq(std::iter::once(leader).chain(members.iter().map(member)))
}

fn member(member: &MemberExhibit) -> DocumentRow<'_> {
    let DocPlace { file, record } = member.place;
    let MemberExhibit { id, text, similarity, rule, .. } = member;
    let whole = member.cut_from.unwrap_or(0);
    (cut(id, NAME), file, record, title(&member.title), text, whole, *similarity, rule)
}

fn title(title: &Option<String>) -> &str {
    cut(title.as_deref().unwrap_or_default(), TITLE)
}
