//! What people do with an index over time: sweeps of a crawl, a filter of messages, and lists
//! without near-duplicates.

mod collapse;
mod filter;
mod sweeps;

pub use collapse::{
    CollapseItem, CollapseOptions, CollapsedGroup, CollapsedItem, collapse, collapse_by_index,
};
pub use filter::{
    FilterOptions, Filtered, FoldersDone, MAIL_FIELD, MailFolders, MatchRule, MatchedPrototype,
    MessageFilter, NotJudged, Prototype, Report, ReportCounts, ReportOptions, Reported,
    ReportsDone, SharedText, Verdict, VerdictKind, can_be_mail_field, is_mail_field, mail_record,
    prototypes, report, report_all, report_folders, set_filter_rule,
};
pub use sweeps::{
    Change, DiffOptions, Holder, PageChange, PageVersion, Revisit, SiteVersion, SweepDiff, diff,
    history, holders, revisit, site_history,
};
