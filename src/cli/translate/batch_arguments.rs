//! Options of folders and lists.

use std::path::PathBuf;

use clap::Args;

use crate::options::positive;
use canopy_project::batch::Shard;

#[derive(Debug, Args)]
#[command(next_help_heading = "Folders and lists")]
pub(crate) struct BatchArguments {
    /// Also translate the documents that this file names, one per line; - is standard input.
    ///
    /// Where IN is a folder, or with a list, --output is a folder that keeps the paths of the sources. Run again, the command
    /// translates what is new, has changed or has failed. Several processes may share the folder, on several machines too: each
    /// document is translated by one. For each, a line of JSON on standard output says what became of it
    #[arg(long, value_name = "FILE")]
    pub(super) list: Option<PathBuf>,
    /// Translate only every Nth document, beginning with the Kth: for the tasks of a Slurm array or GNU parallel
    #[arg(long, value_name = "K/N", value_parser = Shard::parse)]
    pub(super) shard: Option<Shard>,
    /// Seconds without a sign of life after which a process loses its document to another
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = positive())]
    pub(super) lease_secs: usize,
    /// Do not wait for documents that other processes are translating
    #[arg(long)]
    pub(super) no_wait: bool,
}
