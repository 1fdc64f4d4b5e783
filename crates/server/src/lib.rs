//! The HTTP service of lookalike: an index of documents in a request path.
//!
//! [`serve`] answers questions about the documents of an index, adds and deletes documents, and
//! gives verdicts on messages; [`description`] is its description (OpenAPI 3.1). All answers are
//! those of the library: the service decides nothing but who may ask, how much and how long.
//! [`serve_milter`] gives the same verdicts to a mail server, over the milter protocol.
//!
//! [`front()`] answers for several services, each with a part of the documents, as for one.
//!
//! Questions run on a bounded number of threads, each on the last commit. One thread writes: the
//! changes that wait for it become one durable commit, and are answered after it.

mod body;
mod endpoint;
mod event;
mod front;
mod gate;
mod labels;
mod lines;
mod mail;
mod metrics;
mod milter;
mod openapi;
mod options;
mod own_machine;
mod page;
mod problem;
mod questions;
mod router;
mod routes;
mod serve;
mod serve_error;
mod service;
mod tls;
mod tokens;
mod unread;
mod view;
mod watched;
mod writing;

pub use event::{RequestLog, ServeEvent};
pub use front::front;
pub use labels::LabelsError;
pub use milter::{
    MilterError, MilterLimits, MilterLog, MilterOptions, MilterSocket, SocketSyntaxError,
    SpamAction, serve_milter,
};
pub use openapi::description;
pub use options::{FrontOptions, Limits, ServeOptions};
pub use serve::serve;
pub use serve_error::ServeError;
pub use tls::{TlsError, TlsFiles};
pub use tokens::{Scope, Tokens, TokensError};
pub use view::view;
pub use watched::UnreadableFile;
