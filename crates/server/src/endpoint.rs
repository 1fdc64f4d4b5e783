//! An endpoint: what the router, the check of tokens and the description are made of.

use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use schemars::{Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An endpoint.
pub(crate) struct Endpoint {
    /// `GET`, `POST`, …
    pub(crate) method: &'static str,
    /// As in a router, with parameters in braces.
    pub(crate) path: &'static str,
    /// What a token has to allow; `None` for all, without one.
    pub(crate) scope: Option<Scope>,
    pub(crate) summary: &'static str,
    pub(crate) about: &'static str,
    /// Of the path, the query and the head.
    pub(crate) parameters: &'static [Parameter],
    /// The media types of a body, and what it holds.
    pub(crate) body: &'static [Content],
    /// What is answered.
    pub(crate) answer: Content,
    /// Statuses of refusals besides those that all endpoints have.
    pub(crate) refusals: &'static [u16],
    pub(crate) handler: fn() -> MethodRouter<Arc<Service>>,
}

/// A parameter of a request.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
    pub(crate) about: &'static str,
    pub(crate) schema: SchemaOf,
    pub(crate) required: bool,
}

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
}

impl Place {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

/// Makes a schema.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A body: its media type and its schema.
pub(crate) struct Content {
    pub(crate) media: &'static str,
    pub(crate) schema: SchemaOf,
}

/// JSON of a type.
pub(crate) const fn json_of(schema: SchemaOf) -> Content {
    Content { media: "application/json", schema }
}

/// The id of a document in a path.
pub(crate) const ID: Parameter = Parameter {
    name: "id",
    place: Place::Path,
    about: "The id of a document, percent-encoded.",
    schema: |schemas| schemas.subschema_for::<String>(),
    required: true,
};

/// The date of a sweep.
pub(crate) const DATE: Parameter = Parameter {
    name: "date",
    place: Place::Query,
    about: "The date of the sweep: a date and perhaps a time, as RFC 3339 writes it.",
    schema: |schemas| schemas.subschema_for::<String>(),
    required: false,
};

/// The media type of lines of JSON.
pub(crate) const NDJSON: &str = "application/x-ndjson";

/// How long the answer may take.
pub(crate) const DEADLINE: Parameter = Parameter {
    name: crate::questions::DEADLINE,
    place: Place::Header,
    about: "Milliseconds that the answer may take, from 1 to 600000; usually 1000. A question that \
            reaches its deadline is refused (503), and never answered in part.",
    schema: |_| schemars::json_schema!({"type": "integer", "minimum": 1, "maximum": 600_000}),
    required: false,
};

/// The id of a path, as it is extracted.
pub(crate) type GivenId = Result<Path<String>, PathRejection>;

/// What a path names: an id, or more than one name.
///
/// # Errors
/// One that is no UTF-8.
pub(crate) fn in_path<T>(path: Result<Path<T>, PathRejection>) -> Result<T, Problem> {
    let wrong = |rejection: PathRejection| Problem::bad_request(rejection.body_text());
    path.map(|Path(id)| id).map_err(wrong)
}

/// The parameters of a query.
///
/// # Errors
/// A parameter that is missing, unknown or of another type.
pub(crate) fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    let wrong = |rejection: QueryRejection| Problem::bad_request(rejection.body_text());
    Query::try_from_uri(uri).map(|Query(read)| read).map_err(wrong)
}

/// A text that forms send empty where nothing was given.
pub(crate) fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.filter(|given| !given.trim().is_empty()))
}

/// An answer of JSON.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<Response, Problem> {
    json_with(StatusCode::OK, value)
}

/// An answer of JSON with a status.
pub(crate) fn json_with<T: Serialize>(status: StatusCode, value: &T) -> Result<Response, Problem> {
    let body = serde_json::to_vec(value).map_err(|error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "internal", error.to_string())
    })?;
    let media = [(header::CONTENT_TYPE, "application/json")];
    Ok((status, media, body).into_response())
}
