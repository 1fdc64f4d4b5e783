//! The protocol of rspamd: what is built for rspamd (rspamc, its proxy, mail servers) asks here as it
//! would ask rspamd. No answer refuses a message: the strongest action adds a header field.

use crate::body;
use crate::endpoint::{Content, DEADLINE, Endpoint, json, json_of};
use crate::mail::{MAIL_DEADLINE, judge};
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use lookalike::filter::{MAIL_FIELD, NotJudged, Verdict, VerdictKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

const MESSAGE: Content =
    Content { media: "message/rfc822", schema: |_| schemars::json_schema!({}) };

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "POST",
        path: "/checkv2",
        scope: Some(Scope::Read),
        summary: "The verdict on a mail message, in rspamd's protocol",
        about: "The body is the message (RFC 5322), of any media type, not compressed. Spam has the \
                action `add header`, and any other message `no action`, also one on which there is no \
                verdict within 100 ms, or what `deadline-ms` says.",
        parameters: &[DEADLINE],
        body: &[MESSAGE],
        answer: json_of(|schemas| schemas.subschema_for::<Checked>()),
        refusals: &[],
        // The proxy of rspamd sends GET, with a body.
        handler: || post(check).get(check),
    },
    Endpoint {
        method: "GET",
        path: "/ping",
        scope: None,
        summary: "Whether the process answers, in rspamd's protocol",
        about: "",
        parameters: &[],
        body: &[],
        answer: Content {
            media: "text/plain",
            schema: |schemas| schemas.subschema_for::<String>(),
        },
        refusals: &[],
        handler: || get(async || "pong\r\n"),
    },
];

/// The score at which rspamd adds a header field by default, and that of spam here.
const ADD_HEADER: f64 = 6.0;

/// What rspamd would answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Checked {
    /// Never.
    is_skipped: bool,
    /// 6 for spam, else 0.
    score: f64,
    /// 6.
    required_score: f64,
    /// `add header` or `no action`.
    action: &'static str,
    /// One symbol, by its name.
    symbols: BTreeMap<&'static str, Symbol>,
    /// The Message-ID.
    #[serde(rename = "message-id", skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    /// What a mail server behind rspamd's proxy does.
    milter: MilterChanges,
}

/// A reason.
#[derive(Debug, Serialize, JsonSchema)]
struct Symbol {
    name: &'static str,
    score: f64,
    metric_score: f64,
    description: &'static str,
    /// What explains it, for example `match=spam-17`.
    options: Vec<String>,
}

/// Changes of header fields.
#[derive(Debug, Serialize, JsonSchema)]
struct MilterChanges {
    /// By their names.
    add_headers: BTreeMap<&'static str, AddedField>,
    /// Names of fields; 0 for all of them.
    remove_headers: BTreeMap<&'static str, i32>,
}

/// A header field that is added.
#[derive(Debug, Serialize, JsonSchema)]
struct AddedField {
    value: String,
    /// Before which of the others.
    order: u32,
}

/// The symbol of a verdict: its name and what it means.
fn symbol(verdict: VerdictKind) -> Option<(&'static str, &'static str)> {
    match verdict {
        VerdictKind::None => None,
        VerdictKind::Ham => Some(("LOOKALIKE_HAM", "Matches mail reported as legitimate")),
        VerdictKind::Unsure => Some(("LOOKALIKE_UNSURE", "Matches mail with few reports as spam")),
        VerdictKind::Spam => Some(("LOOKALIKE_SPAM", "Matches mail reported as spam")),
        VerdictKind::Error => Some(("LOOKALIKE_ERROR", "No verdict")),
    }
}

impl Checked {
    fn of(verdict: Result<Verdict, NotJudged>) -> Self {
        let kind = verdict.as_ref().map_or(VerdictKind::Error, |known| known.verdict);
        let field = match &verdict {
            Ok(known) => known.field_value(),
            Err(reason) => reason.field_value(),
        };
        let (score, action) = match kind {
            VerdictKind::Spam => (ADD_HEADER, "add header"),
            _ => (0.0, "no action"),
        };
        let (message_id, problem) =
            verdict.map_or((None, None), |known| (Some(known.id), known.problem));
        // The parts of the field behind the verdict, or why the message cannot be read.
        let parts = field.split("; ").skip(1).map(str::to_owned);
        let options = parts.chain(problem).collect();
        let symbols = symbol(kind).map(|(name, description)| {
            (name, Symbol { name, score, metric_score: score, description, options })
        });
        Self {
            is_skipped: false,
            score,
            required_score: ADD_HEADER,
            action,
            symbols: symbols.into_iter().collect(),
            message_id,
            milter: MilterChanges {
                add_headers: [(MAIL_FIELD, AddedField { value: field, order: 0 })].into(),
                remove_headers: [(MAIL_FIELD, 0)].into(),
            },
        }
    }
}

async fn check(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Problem> {
    let filter = service.filter.clone()?;
    not_compressed(request.headers())?;
    let deadline = match request.headers().contains_key(crate::questions::DEADLINE) {
        true => Some(service.questions.deadline(request.headers())?),
        false => None,
    };
    let verdict = match body::read_or_skip(request.into_body(), &service.limits).await? {
        Some(raw) => {
            let deadline = deadline.unwrap_or_else(|| Instant::now() + MAIL_DEADLINE);
            judge(&service.questions, filter, deadline, raw, ()).await
        }
        None => Err(NotJudged::TooLong),
    };
    let kind = verdict.as_ref().map_or(VerdictKind::Error, |known| known.verdict);
    service.metrics.judged(kind.name());
    json(&Checked::of(verdict))
}

/// Refuses a body that a client of rspamd compressed.
fn not_compressed(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.contains_key("compression") || headers.contains_key("content-encoding") {
        false => Ok(()),
        true => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "compressed",
            "the body is compressed; send the message as it is (rspamc without -z, in rspamd's proxy \
             compression = no)",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::filter::MessageFilter;

    #[test]
    fn without_a_verdict_nothing_happens_to_a_message() {
        let unreadable = MessageFilter::unreadable("m1", "no header".to_owned());
        for (verdict, options) in [
            (Err(NotJudged::Deadline), &["reason=deadline"][..]),
            (Ok(unreadable), &["reason=unreadable", "no header"]),
        ] {
            let checked = Checked::of(verdict);
            assert_eq!((checked.action, checked.score), ("no action", 0.0));
            assert_eq!(checked.symbols["LOOKALIKE_ERROR"].options, options);
            assert!(checked.milter.add_headers[MAIL_FIELD].value.starts_with("error"));
        }
    }
}
