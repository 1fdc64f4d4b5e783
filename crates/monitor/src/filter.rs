//! A stream filter: messages are compared with prototypes, which people reported as spam or ham.
//!
//! Kołcz, Chowdhury and Alspector 2004: near-duplicate detection as a filter of a mail stream. The
//! prototypes are the documents of an index; what was reported about them is in its records. A
//! message is compared with prototypes only, never with a message that matched before, so that
//! what a prototype stands for cannot drift from message to message. The steps:
//!
//! 1. `matching`: the prototypes that a message matches, the best first.
//! 2. `reports`: what was reported about them.
//! 3. `decide`: the verdict, by a rule on the numbers of reports.
//! 4. `reasons`: the terms or passages that message and prototype share.

mod decide;
mod folders;
mod list;
mod mail_field;
mod matching;
mod message_filter;
mod one_mail;
mod options;
mod reasons;
mod report;
mod report_group;
mod rule;
mod run;
mod score;
mod verdict;

pub use folders::{FoldersDone, MailFolders, report_folders};
pub use list::{Prototype, prototypes};
pub use mail_field::{MAIL_FIELD, NotJudged, can_be_mail_field, is_mail_field};
pub use message_filter::MessageFilter;
pub use one_mail::mail_record;
pub use options::{FilterOptions, MatchRule, Report, ReportOptions};
pub use report::{Reported, ReportsDone, report, report_all};
pub use rule::set_filter_rule;
pub use run::Filtered;
pub use verdict::{MatchedPrototype, ReportCounts, SharedText, Verdict, VerdictKind};
