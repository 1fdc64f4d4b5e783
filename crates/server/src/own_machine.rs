//! Requests of this machine, for a service without tokens.

use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode, header};

/// Without tokens, refuses requests that a page of another site made a browser send: those for
/// another host (its name may lead here) or of another origin.
pub(crate) fn own_machine(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let is_own = |host: &str| {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        name == "localhost"
            || name
                .trim_matches(['[', ']'])
                .parse()
                .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    };
    let host = text(header::HOST).is_none_or(is_own);
    let origin = text(header::ORIGIN)
        .is_none_or(|origin| origin.split_once("://").is_some_and(|(_, host)| is_own(host)));
    match host && origin {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "host",
            "without tokens this service answers for localhost and its own pages only",
        )),
    }
}
