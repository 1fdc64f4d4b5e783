//! Requests to stores.

mod connect;
mod credentials;
mod explain;
mod find;
mod publish;
mod reader;
mod request;
mod runtime;
mod transport;

pub use find::{download, find, heads, list, look_again, read};
pub use publish::{contents, publish};
pub use reader::ObjectReader;
