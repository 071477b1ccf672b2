//! `canopy project check`

use std::path::PathBuf;

use clap::Args;

use crate::check::{self, CheckArguments};
use crate::error::Result;
use canopy_qa::checks::CheckKind;

#[derive(Debug, Args)]
#[command(
    after_help = "The checks and the termbase are those of the project; `canopy check DIR` does the same.\n\n\
    Exit codes: 0 nothing found, 3 warnings, 4 errors; 1 and 2 as for all commands."
)]
pub(crate) struct ProjectCheckArguments {
    /// Folder of the project
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Checks to make in addition to those of the project
    #[arg(long, value_name = "CHECK,…", value_delimiter = ',')]
    with: Vec<CheckKind>,
    /// Checks to leave out
    #[arg(long, value_name = "CHECK,…", value_delimiter = ',')]
    without: Vec<CheckKind>,
    /// Print findings as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ProjectCheckArguments) -> Result<()> {
    check::run(&CheckArguments::for_project(
        arguments.folder.clone(),
        arguments.with.clone(),
        arguments.without.clone(),
        arguments.json,
    ))
}
