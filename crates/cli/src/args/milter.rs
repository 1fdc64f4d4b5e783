//! Arguments of `milter`.

use super::LogArgs;
use super::filter::header_name;
use super::values::{size, threads};
use clap::Args;
use lookalike_server::MilterSocket;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MilterArgs {
    /// Directory of the prototypes, which another process may write
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Where to listen, as Postfix writes it: inet:HOST:PORT (port 0 for a free one) or unix:PATH
    #[arg(long, value_name = "SOCKET", default_value = "inet:127.0.0.1:7072")]
    pub(crate) listen: MilterSocket,
    /// Listen on an address that other machines reach. The protocol has neither passwords nor
    /// encryption: a firewall has to let the mail server through, and no other machine
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// Name of the header field for the verdict; fields of this name that a message had are removed
    #[arg(
        long,
        value_name = "NAME",
        default_value = lookalike::filter::MAIL_FIELD,
        value_parser = header_name
    )]
    pub(crate) header: String,
    /// Put spam on hold in the queue of the mail server (default: only mark it)
    #[arg(long, conflicts_with = "reject")]
    pub(crate) quarantine: bool,
    /// Refuse spam: the sender is told (default: only mark it)
    #[arg(long)]
    pub(crate) reject: bool,
    /// Milliseconds for a verdict, after which the message is accepted without one
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub(crate) deadline: u64,
    /// Longest message; a longer one is accepted without a verdict
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = size)]
    pub(crate) max_message: usize,
    /// Open connections; the next is closed, and the mail server does what it does without a milter
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) max_connections: u32,
    /// Verdicts made at the same time [default: one on each core]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<usize>,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Print nothing but errors, and with --log json no messages
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}
