//! Arguments of `serve`.

use super::LogArgs;
use super::values::threads;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Directory of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
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
    /// Open connections; the next is refused (503)
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) max_connections: usize,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Print nothing but errors, and with --log json no requests
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}
