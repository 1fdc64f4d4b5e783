//! The report: the clusters by name only, because the texts are not read.

use super::answer::Answer;
use super::standing::Removal;
use crate::LookalikeError;
use crate::exhibits::{CLUSTERS, LISTED, MEMBERS, cluster_numbers};
use crate::source_losses::source_losses;
use lookalike_report::{
    ClusterData, ClusterExhibit, DocPlace, MemberExhibit, Page, Report, Summary,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Draws the report.
pub(super) fn page(answer: &Answer<'_>, summary: &Summary) -> Result<Page, LookalikeError> {
    let Answer { documents, standing, earlier, job, .. } = answer;
    let mut clusters: BTreeMap<u32, Vec<(u32, Removal)>> = BTreeMap::new();
    for (document, removal) in standing.removals() {
        clusters.entry(removal.kept).or_default().push((document, removal));
    }
    let mut order: Vec<_> = clusters.into_iter().collect();
    order.sort_by_key(|(leader, members)| (Reverse(members.len()), *leader));
    order.truncate(LISTED);
    let listed = |most: usize| -> usize {
        order.iter().map(|(_, members)| 1 + members.len().min(most)).sum()
    };
    let most = MEMBERS.into_iter().find(|&most| listed(most) <= 2 * LISTED).unwrap_or(1);

    let mut data = ClusterData::new(documents.files().to_vec(), 0);
    let ids_repeat = earlier.summary.duplicate_ids > 0;
    let shown = |document| documents.name(document).shown(ids_repeat).to_string();
    let mut largest = Vec::new();
    for (leader, members) in &order {
        let mut exhibit = exhibit(answer, *leader, members, most);
        data.push(&exhibit)?;
        if largest.len() < CLUSTERS {
            exhibit.leader.id = shown(*leader);
            for (member, (document, _)) in exhibit.members.iter_mut().zip(members) {
                member.id = shown(*document);
            }
            largest.push(exhibit);
        }
    }
    let file = |document: u32| documents.place(document).0;
    let files = standing.removals().map(|(document, removal)| (file(document), file(removal.kept)));
    let losses = source_losses(files, |file| documents.files()[file as usize].as_str());
    let report = Report { summary, clusters: &largest, samples: &[], losses: &losses };
    Ok(report.page(data, job.report_size)?)
}

fn exhibit(
    answer: &Answer<'_>,
    leader: u32,
    members: &[(u32, Removal)],
    most: usize,
) -> ClusterExhibit {
    let Answer { documents, standing, .. } = answer;
    let id = |document| documents.name(document).id.into_owned();
    let place = |document| {
        let (file, record) = documents.place(document);
        DocPlace { file, record }
    };
    let numbers = members
        .iter()
        .map(|&(document, removal)| (documents.place(document).0, removal.rule, removal.value));
    let mut exhibit = cluster_numbers(standing.number(leader), place(leader), numbers);
    exhibit.leader.id = id(leader);
    let listed = members.iter().take(most).map(|(document, removal)| MemberExhibit {
        id: id(*document),
        place: place(*document),
        similarity: removal.value,
        rule: removal.rule.name().into(),
        ..MemberExhibit::default()
    });
    exhibit.members = listed.collect();
    exhibit
}
