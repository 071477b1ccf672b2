//! `canopy project`

mod history;

use std::path::PathBuf;

use clap::Subcommand;

use crate::app::Folders;
use crate::error::{Error, Result};

#[derive(Debug, Subcommand)]
pub(super) enum ProjectCommand {
    /// Tell every text that the sentences of a document have had: from which model, memory or person, and when
    History(history::HistoryArguments),
}

pub(super) fn run(command: &ProjectCommand) -> Result<()> {
    match command {
        ProjectCommand::History(arguments) => history::run(arguments),
    }
}

/// Where the window keeps the work on documents that belong to no project folder.
fn data_folder() -> Result<PathBuf> {
    Folders::of_user().data.ok_or_else(|| Error::Config {
        field: "the home folder",
        found: "unknown".to_owned(),
        allowed: "what HOME names".to_owned(),
    })
}
