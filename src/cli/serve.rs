//! `canopy serve`

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use async_signal::Signals;
use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::interrupt::orders_to_end;
use super::library;
use super::options::{Device, Quantize, beam_sizes, models};
use super::terminal::{print, warn, write_stderr};
use crate::error::{Error, Result};
use canopy_project::Folders;
use canopy_server::{ComputeOptions, Computing, Library, Running, ServerOptions, new_key};
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::{ComputeDevice, DefaultModels, InstalledModel, described_model};

/// The environment variable for a key that is not to be seen in a list of processes.
const KEY_VARIABLE: &str = "CANOPY_KEY";

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy serve\n  canopy serve --port 5000 --model MODEL\n  CANOPY_KEY=… canopy serve --host \
    0.0.0.0\n  canopy serve --compute\n\nThe address is printed on standard output. Ctrl+C finishes the requests in \
    progress and ends the server."
)]
pub(super) struct ServeArguments {
    /// Address to listen at. 127.0.0.1 can be reached only by programs on this machine; any other needs a key
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port to listen at, 0 for a free one; without it 8500, where plug-ins of OPUS-CAT look, or 8600 with --compute
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Compute for other machines instead: their Canopy translates, traces and trains here with --device remote:HOST. Their
    /// models and corpora are kept in --store, their texts are not
    #[arg(long, conflicts_with_all = ["model", "beam", "quantize", "timeout"])]
    compute: bool,
    /// Folder in which --compute keeps models, corpora and trainings; without it one in the user's data folder
    #[arg(long, value_name = "DIR", requires = "compute")]
    store: Option<PathBuf>,
    /// Maximum gigabytes of models and corpora kept there
    #[arg(long, value_name = "GB", default_value_t = 100, value_parser = counts(1_000_000), requires = "compute")]
    store_size: usize,
    /// Key that every request needs. Without it the variable CANOPY_KEY; without that, none at 127.0.0.1, and at any other
    /// address a generated one that is shown at the start
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Model folders, folders or zip files of other programs', language models (.gguf, or folders of Hugging Face), or
    /// names of installed models; without any, all installed ones and those that came with the program. A language model
    /// translates between the languages that no other model does
    #[arg(long, value_name = "DIR|NAME", value_parser = models())]
    model: Vec<PathBuf>,
    /// Device: auto uses a hardware GPU if there is one, otherwise the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
    /// Hypotheses kept for each sentence; 1 is greedy search [default: 4, or fewer where the model's files say so]
    #[arg(long, value_name = "N", value_parser = beam_sizes())]
    beam: Option<usize>,
    /// Precision of weights in a search
    #[arg(long, value_enum, default_value = "auto")]
    quantize: Quantize,
    /// Maximum megabytes of a request; a larger one gets 413
    #[arg(long, value_name = "MB", default_value_t = 10, value_parser = counts(1_000))]
    max_size: usize,
    /// Maximum number of waiting requests; one more gets 429
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = counts(100_000))]
    queue: usize,
    /// Maximum seconds of a request; a slower one gets 504
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = counts(86_400))]
    timeout: usize,
    /// Maximum number of models kept in memory
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = counts(100))]
    models: usize,
}

fn counts(most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=most)
}

pub(super) fn run(arguments: &ServeArguments) -> Result<()> {
    if arguments.compute {
        return compute(arguments);
    }
    canopy_kernels::purge_memory_promptly();
    let library = arguments.library()?;
    if library.models.is_empty() {
        return Err(Error::from(TranslateError::NoStarterModel));
    }
    if arguments.quantize == Quantize::Float16 {
        let device = ComputeDevice::open(arguments.device.into());
        let on_cpu = device.is_ok_and(|device| device.is_cpu());
        arguments.quantize.check(on_cpu);
    }
    let options = ServerOptions {
        key: arguments.shown_key()?,
        ..arguments.options()
    };
    let count = library.models.len();
    // Before there are other threads, so that all of them leave the signals to it.
    let signals = orders_to_end();
    let running = Running::start(&options, library)?;
    print(&format!("http://{}\n", running.address()))?;
    write_stderr(&format!(
        "canopy: serving {count} {}; press Ctrl+C to stop\n",
        if count == 1 { "model" } else { "models" }
    ));
    wait_for_signal(signals);
    running.stop();
    Ok(())
}

/// Computes for other machines.
fn compute(arguments: &ServeArguments) -> Result<()> {
    let store = match &arguments.store {
        Some(store) => store.clone(),
        None => Folders::for_user()
            .data
            .ok_or(Error::NoStore)?
            .join("compute"),
    };
    let options = ComputeOptions {
        address: arguments.address(),
        key: arguments.shown_key()?,
        max_body_bytes: arguments.max_size * 1_000_000,
        max_waiting: arguments.queue,
        max_models: arguments.models,
        device: arguments.device.into(),
        store,
        most_stored_bytes: arguments.store_size as u64 * 1_000_000_000,
    };
    let signals = orders_to_end();
    let running = Computing::start(&options)?;
    print(&format!("http://{}\n", running.address()))?;
    write_stderr(
        "canopy: computing for other machines; press Ctrl+C to stop; trainings resume when it is started again\n",
    );
    wait_for_signal(signals);
    running.stop();
    Ok(())
}

/// Waits for a signal to end; a second one ends the program at once.
fn wait_for_signal(signals: std::io::Result<Signals>) {
    match signals {
        Ok(signals) => {
            let mut signals = futures_lite::stream::block_on(signals);
            signals.next();
            write_stderr("\ncanopy: stopping; press Ctrl+C again to quit immediately\n");
            std::thread::spawn(move || {
                if signals.next().is_some() {
                    std::process::exit(130);
                }
            });
        }
        Err(error) => {
            warn(&format!(
                "Ctrl+C will end this without answering what is under way: {error}"
            ));
            loop {
                std::thread::park();
            }
        }
    }
}

impl ServeArguments {
    fn address(&self) -> SocketAddr {
        let usual = if self.compute { 8600 } else { 8500 };
        SocketAddr::new(self.host, self.port.unwrap_or(usual))
    }

    /// The key that every request has to bring; one that is made up is shown.
    fn shown_key(&self) -> Result<Option<String>> {
        let variable = || std::env::var(KEY_VARIABLE).ok();
        let key = self.key.clone().or_else(variable);
        let mut key = key.filter(|key| !key.is_empty());
        if self.host.is_loopback() {
            return Ok(key);
        }
        if key.is_none() {
            let new = new_key()?;
            write_stderr(&format!(
                "canopy: the key of this server, which is not shown again: {new}\n"
            ));
            key = Some(new);
        }
        warn(
            "others can reach this server, and the connection is not encrypted; use it only in a trusted network",
        );
        Ok(key)
    }

    fn options(&self) -> ServerOptions {
        ServerOptions {
            address: self.address(),
            key: None,
            max_body_bytes: self.max_size * 1_000_000,
            max_waiting: self.queue,
            request_secs: self.timeout as u64,
            max_models: self.models,
            beam_size: self.beam.unwrap_or_default(),
            device: self.device.into(),
            quantization: self.quantize.chosen(),
        }
    }

    fn library(&self) -> Result<Library> {
        if self.model.is_empty() {
            return Ok(Library {
                models: library::models(),
                defaults: library::defaults(),
                any_to_any: None,
            });
        }
        let named = self.model.iter().map(|path| described_model(path));
        let models = named.collect::<Result<Vec<InstalledModel>, _>>()?;
        let any_to_any = models.iter().find(|model| model.is_any_to_any());
        Ok(Library {
            any_to_any: any_to_any.map(|model| model.folder.clone()),
            models,
            defaults: DefaultModels::new(),
        })
    }
}
