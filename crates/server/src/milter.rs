//! A milter: a mail server (Postfix, Sendmail) asks for the verdict on each message before it accepts
//! it.
//!
//! The protocol is that of Sendmail's libmilter, version 6 and older. All steps are taken and
//! answered at once; the only question is the last one, at the end of a message. Whatever goes wrong
//! here, the answer is to accept the message: [`NotJudged`](lookalike::filter::NotJudged) names the
//! reason in the header field.
//!
//! * `socket`, `listener`: where it listens.
//! * `packet`: packets of the protocol, of bounded size and in bounded time.
//! * `message`: the message that is being received, of bounded size.
//! * `session`: a connection: which answer each packet has.
//! * `judge`: the verdict on a message, in bounded time.
//! * `serve`: starting, connections and stopping.

mod error;
mod judge;
mod listener;
mod message;
mod options;
mod packet;
mod serve;
mod session;
mod socket;

pub use error::MilterError;
pub use judge::MilterLog;
pub use options::{MilterLimits, MilterOptions, SpamAction};
pub use serve::serve_milter;
pub use socket::{MilterSocket, SocketSyntaxError};
