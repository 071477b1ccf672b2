//! `canopy run`

use std::path::PathBuf;

use clap::Subcommand;

use crate::error::Result;
use crate::training::{Order, give_order};

#[derive(Debug, Subcommand)]
pub(super) enum RunCommand {
    /// Save a checkpoint and wait
    Pause {
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// Go on after a pause
    Resume {
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// Save a checkpoint and end
    Stop {
        #[arg(value_name = "RUN")]
        run: PathBuf,
        /// End at once: what came after the last checkpoint is lost
        #[arg(long)]
        now: bool,
    },
}

pub(super) fn run(command: &RunCommand) -> Result<()> {
    match command {
        RunCommand::Pause { run } => give_order(run, Order::Pause),
        RunCommand::Resume { run } => give_order(run, Order::Resume),
        RunCommand::Stop { run, now: false } => give_order(run, Order::Stop),
        RunCommand::Stop { run, now: true } => give_order(run, Order::Abandon),
    }
}
