//! `canopy model`

use std::path::PathBuf;

use burn::tensor::Device;
use clap::{Subcommand, ValueEnum};

use super::describe::DescribeArguments;
use crate::error::{Error, Result};
use crate::weights::{Precision, averaged_model};

#[derive(Debug, Subcommand)]
pub(super) enum ModelCommand {
    /// Tell what a system is made of, what each part reads, where it is published and what a document costs
    Describe(DescribeArguments),
    /// Average checkpoints of one run into a model folder; a single one is only converted
    Average {
        /// Model folders or checkpoints, of the same configuration
        #[arg(required = true, value_name = "FOLDER")]
        folders: Vec<PathBuf>,
        /// Model folder to make
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
        /// Numbers of 16 bits, for shipping, or of 32
        #[arg(long, value_enum, default_value = "half")]
        precision: PrecisionName,
        /// What the model is called in menus
        #[arg(long)]
        name: Option<String>,
        /// Replace a model folder that is there
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum PrecisionName {
    Half,
    Full,
}

pub(super) fn run(command: ModelCommand) -> Result<()> {
    match command {
        ModelCommand::Describe(arguments) => super::describe::run(&arguments),
        ModelCommand::Average {
            folders,
            output,
            precision,
            name,
            force,
        } => average(&folders, output, precision, name, force),
    }
}

fn average(
    folders: &[PathBuf],
    output: PathBuf,
    precision: PrecisionName,
    name: Option<String>,
    force: bool,
) -> Result<()> {
    if output.exists() && !force {
        return Err(Error::Exists { path: output });
    }
    let (mut description, model, vocabulary) = averaged_model(folders, &Device::flex())?;
    if let Some(name) = name {
        description.name = name;
    }
    let precision = match precision {
        PrecisionName::Half => Precision::Half,
        PrecisionName::Full => Precision::Full,
    };
    description.save(&output, &model, &vocabulary, precision)
}
