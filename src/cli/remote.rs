//! `canopy remote`

use clap::{Args, Subcommand};

use super::options::PlaceArguments;
use super::terminal::print;
use crate::error::Result;
use canopy_translate::inference::DeviceChoice;
use canopy_translate::remote::{Client, RemoteHost, TrainingList};

#[derive(Debug, Subcommand)]
pub(super) enum RemoteCommand {
    /// List the trainings of a machine that runs `canopy serve --compute`, and their states
    List(HostArguments),
    /// Delete a training there that has ended, with its models
    Remove {
        #[command(flatten)]
        host: HostArguments,
        /// As `canopy remote list` shows it, and remote.json in the run folder
        #[arg(value_name = "TRAINING")]
        training: String,
    },
}

#[derive(Debug, Args)]
pub(super) struct HostArguments {
    /// The machine, such as workstation or 10.0.0.7:8600
    #[arg(value_name = "HOST", value_parser = clap::value_parser!(RemoteHost))]
    host: RemoteHost,
    /// Its key. Default: the variable CANOPY_REMOTE_KEY, or else the key entered in the window
    #[arg(long, value_name = "KEY")]
    remote_key: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(command: &RemoteCommand) -> Result<()> {
    match command {
        RemoteCommand::List(arguments) => list(arguments),
        RemoteCommand::Remove { host, training } => {
            let client = host.client()?;
            client.delete(&format!("/trainings/{training}"))?;
            let json = serde_json::json!({ "removed": training });
            host.print(&json, &format!("{training} is deleted\n"))
        }
    }
}

fn list(arguments: &HostArguments) -> Result<()> {
    let client = arguments.client()?;
    let list: TrainingList = client.get_json("/trainings")?;
    let mut lines = client.device().to_owned();
    for (id, state) in &list.trainings {
        lines += "\n";
        lines += id;
        lines += "  ";
        lines += state;
    }
    let json = serde_json::json!({ "device": client.device(), "trainings": list.trainings });
    arguments.print(&json, &format!("{lines}\n"))
}

impl HostArguments {
    fn client(&self) -> Result<std::sync::Arc<Client>> {
        let place = PlaceArguments {
            device: DeviceChoice::Remote(self.host),
            remote_key: self.remote_key.clone(),
        };
        place.choice();
        Ok(Client::connect(self.host)?)
    }

    fn print(&self, json: &serde_json::Value, text: &str) -> Result<()> {
        if self.json {
            return print(&format!("{json:#}\n"));
        }
        print(text)
    }
}
