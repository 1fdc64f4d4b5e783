//! Arguments of `serve` and `front`.

use super::LogArgs;
use super::values::threads;
use clap::Args;
use std::path::PathBuf;

/// Where a service listens, and for whom.
#[derive(Debug, Args)]
pub(crate) struct DoorArgs {
    /// Address and port to listen on; port 0 for a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7070")]
    pub(crate) listen: String,
    /// File of tokens that may ask and change: lines `SHA-256 SCOPES NAME`, scopes read, write and
    /// report separated by commas. Needed to listen on an address that other machines reach. A changed file is used from then on
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// Speak TLS with this certificate (PEM, with its chain) and its private key. Files that are
    /// replaced are used from then on
    #[arg(long, num_args = 2, value_names = ["CERT", "KEY"])]
    pub(crate) tls: Vec<PathBuf>,
    /// Open connections; the next is refused (503)
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) max_connections: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Directory of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) door: DoorArgs,
    /// File of the labels that people give to pairs of documents on the page, `same` or `different`;
    /// `evaluate --labels` reads it
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Change nothing, so that another process may write the index
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Questions answered at the same time [default: one on each core]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<usize>,
    /// Questions that may wait for a thread; the next is refused (429)
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) max_waiting: usize,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Print nothing but errors, and with --log json no requests
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FrontArgs {
    /// Services with the documents, in the order of their numbers: http://HOST:PORT
    #[arg(value_name = "URL", required = true)]
    pub(crate) shards: Vec<String>,
    #[command(flatten)]
    pub(crate) door: DoorArgs,
    /// File with the token for the services, which allows what clients of the front may do
    #[arg(long, value_name = "FILE")]
    pub(crate) shard_token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Print nothing but errors, and with --log json no requests
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}
