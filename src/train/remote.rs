//! A run on another machine: it trains there, and its events and models come here. A connection that breaks does not end it.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::config::TrainingConfig;
use super::control::{Control, Order, Orders};
use super::event::{EndReason, TrainingEvent};
use super::run_folder::RunFolder;
use super::sources::Sources;
use crate::error::{BaseError, Error, Result};
use canopy_base::digest::{hash_file, hexadecimal};
use canopy_base::file::{persist, write_atomically};
use canopy_corpus::Corpus;
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::DeviceChoice;
use canopy_translate::remote::{Client, Files, RootedFiles, RunFile, TRAINING_ENDED};

/// In the run folder: where it trains.
const PLACE: &str = "remote.json";

/// A training for another machine: its settings without paths, and what they stand for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemoteTraining {
    config: TrainingConfig,
    inputs: BTreeMap<String, RootedFiles>,
    /// Resume from the last checkpoint if the run has ended.
    pub resume: bool,
}

/// The outcome of a training.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TrainingState {
    /// For others before it.
    Waiting,
    /// It trains.
    Running,
    /// It has ended without an error.
    Ended,
    /// An error ended it.
    Failed {
        /// The error's message.
        message: String,
    },
}

impl fmt::Display for TrainingState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting => f.write_str("waiting"),
            Self::Running => f.write_str("running"),
            Self::Ended => f.write_str("ended"),
            Self::Failed { message } => write!(f, "failed: {message}"),
        }
    }
}

/// The settings that are paths.
fn paths(config: &mut TrainingConfig) -> [(&'static str, &mut PathBuf); 8] {
    [
        ("corpus", &mut config.corpus),
        ("from", &mut config.from),
        ("bert", &mut config.bert),
        ("contexts", &mut config.contexts),
        ("context_encoder", &mut config.context_encoder),
        ("memory", &mut config.memory),
        ("general", &mut config.general),
        ("contrastive_set", &mut config.contrastive_set),
    ]
}

impl RemoteTraining {
    /// Sends what the settings name.
    fn sent(client: &Client, config: &TrainingConfig, resume: bool) -> Result<Self> {
        let (mut config, mut inputs) = (config.clone(), BTreeMap::new());
        for (name, path) in paths(&mut config) {
            if !path.as_os_str().is_empty() {
                let named = std::mem::take(path);
                inputs.insert(name.to_owned(), client.upload(&Files::at(&named)?, &named)?);
            }
        }
        Ok(Self {
            config,
            inputs,
            resume,
        })
    }

    /// The settings with paths of the machine that trains.
    ///
    /// # Errors
    /// The errors of `place`.
    pub fn config_with<E>(
        self,
        place: impl Fn(&RootedFiles) -> std::result::Result<PathBuf, E>,
    ) -> std::result::Result<TrainingConfig, E> {
        let mut config = self.config;
        for (name, path) in paths(&mut config) {
            *path = match self.inputs.get(name) {
                Some(files) => place(files)?,
                None => PathBuf::new(),
            };
        }
        Ok(config)
    }
}

/// The contents of `remote.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    host: String,
    training: String,
}

impl Place {
    fn read(run: &Path) -> Option<Self> {
        let bytes = std::fs::read(run.join(PLACE)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }
}

/// Where a run computes: a resumed run continues where it was, unless another device is requested. One that continues here is
/// none of the other machine's any more.
///
/// # Errors
/// If it cannot continue here, since its models are on the other machine still.
pub fn device_of_run(run: &Path, resume: bool, requested: DeviceChoice) -> Result<DeviceChoice> {
    let Some(place) = Place::read(run).filter(|_| resume) else {
        return Ok(requested);
    };
    match requested {
        DeviceChoice::Auto => Ok(DeviceChoice::Remote(place.host.parse()?)),
        DeviceChoice::Remote(_) => Ok(requested),
        DeviceChoice::Cpu | DeviceChoice::Gpu => {
            if !run.join("checkpoints/last/model.toml").exists() {
                return Err(Error::RemoteRun {
                    host: place.host,
                    path: run.to_owned(),
                });
            }
            let path = run.join(PLACE);
            std::fs::remove_file(&path).map_err(Error::write(&path))?;
            Ok(requested)
        }
    }
}

/// As [`train`](super::train), on another machine, whose events are those of the folder here, byte for byte. A run that
/// continues there is found again with `resume`; its models come when it has ended.
///
/// # Errors
/// The errors of a local training, and a connection that stays broken: the run continues nevertheless.
pub fn train_remote(
    client: &Client,
    config: &TrainingConfig,
    run: &Path,
    resume: bool,
    control: &Control,
    observe: &mut dyn FnMut(&TrainingEvent),
) -> Result<EndReason> {
    config.validate()?;
    let preset = config.system()?;
    // First, so that a mistyped corpus does not use up the run folder.
    let sources = Sources::from_config(config, &preset, &Corpus::open(&config.corpus)?)?;
    let known = Place::read(run).filter(|_| resume);
    let place = match known {
        Some(place) => place,
        None if resume => {
            return Err(Error::Base(BaseError::OnlyHere {
                what: "resuming a run that began here",
                host: client.host().to_string(),
            }));
        }
        None => Place {
            host: client.host().to_string(),
            training: new_id()?,
        },
    };
    let mut folder = RunFolder::open(run, resume)?;
    let path = run.join(PLACE);
    let bytes = serde_json::to_vec_pretty(&place).unwrap_or_default();
    write_atomically(&path, &bytes, true)?;
    folder.keep(config, sources)?;
    let mut follower = Follower {
        client,
        place: format!("/trainings/{}", place.training),
        orders: Orders::new(control.clone(), run),
        given: Order::Resume,
        reason: None,
        observe,
    };
    follower.trained(config, &mut folder)
}

/// A run on another machine, as it is followed.
struct Follower<'a> {
    client: &'a Client,
    /// Its address.
    place: String,
    orders: Orders,
    /// The last order that has gone over.
    given: Order,
    reason: Option<EndReason>,
    observe: &'a mut dyn FnMut(&TrainingEvent),
}

impl Follower<'_> {
    fn trained(&mut self, config: &TrainingConfig, folder: &mut RunFolder) -> Result<EndReason> {
        let known: canopy_translate::remote::TrainingList = self.client.get_json("/trainings")?;
        let id = self.place.rsplit('/').next().unwrap_or_default();
        let is_known = known.trainings.contains_key(id);
        // Events that came while it was not followed come first; if it has ended and all is here, it continues.
        if !is_known || (self.read(folder)? && self.reason.is_none()) {
            let training = RemoteTraining::sent(self.client, config, is_known)?;
            let _state: TrainingState = self.client.put_json(&self.place, &training)?;
        }
        while !self.read(folder)? {
            self.give_order()?;
        }
        let state: TrainingState = self.client.get_json(&self.place)?;
        self.fetch(folder.path())?;
        match state {
            TrainingState::Failed { message } => Err(Error::from(TranslateError::RemoteRefused {
                message,
                host: self.client.host().to_string(),
            })),
            _ => Ok(self.reason.unwrap_or(EndReason::Abandoned)),
        }
    }

    /// Reads events that are new; whether there will be no more.
    fn read(&mut self, folder: &mut RunFolder) -> Result<bool> {
        let place = format!("{}/events?from={}", self.place, folder.events_length()?);
        let orders = &mut self.orders;
        let mut idle = || {
            if orders.current() >= Order::Stop {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let Some((headers, lines)) = self.client.bytes_at(&place, &mut idle)? else {
            return Err(Error::from(TranslateError::RemoteLost {
                reason: "the run could not be ended".to_owned(),
                host: self.client.host().to_string(),
            }));
        };
        folder.append(&lines)?;
        for line in lines.split(|&byte| byte == b'\n') {
            let Ok(event) = serde_json::from_slice::<TrainingEvent>(line) else {
                continue;
            };
            match &event {
                TrainingEvent::Finished { reason, .. } => self.reason = Some(*reason),
                TrainingEvent::Started { .. } => self.reason = None,
                _ => {}
            }
            (self.observe)(&event);
        }
        let ended = headers.get(TRAINING_ENDED);
        Ok(ended.is_some_and(|ended| ended.as_bytes() == b"yes"))
    }

    /// Passes on what a person has ordered.
    fn give_order(&mut self) -> Result<()> {
        let order = self.orders.current();
        if order != self.given {
            let place = format!("{}/order", self.place);
            let _state: TrainingState = self.client.post_json(&place, &order.to_string())?;
            self.given = order;
        }
        Ok(())
    }

    /// Brings the models of the run here.
    fn fetch(&self, run: &Path) -> Result<()> {
        let files: Vec<RunFile> = self.client.get_json(&format!("{}/files", self.place))?;
        for file in files {
            let to = run.join(&file.path);
            let is_plain = |part| matches!(part, std::path::Component::Normal(_));
            let is_below = Path::new(&file.path).components().all(is_plain);
            if !is_below || digest(&to).is_some_and(|digest| digest == file.sha256) {
                continue;
            }
            let folder = to.parent().unwrap_or(run);
            std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
            let new = tempfile::NamedTempFile::with_prefix_in(".canopy-", folder);
            let new = new.map_err(Error::write(&to))?;
            let from = format!("{}/files/{}", self.place, escaped(&file.path));
            self.client.download(&from, new.path())?;
            if digest(new.path()).as_ref() != Some(&file.sha256) {
                return Err(Error::from(TranslateError::RemoteLost {
                    reason: format!("{} did not come whole", file.path),
                    host: self.client.host().to_string(),
                }));
            }
            persist(new, &to).map_err(Error::write(&to))?;
        }
        Ok(())
    }
}

fn digest(path: &Path) -> Option<String> {
    let mut hasher = Sha256::new();
    hash_file(&mut hasher, path).ok()?;
    Some(hexadecimal(hasher))
}

/// A path as an address has it.
fn escaped(path: &str) -> String {
    let parts = path.split('/').map(|part| {
        let escaped: String = form_urlencoded::byte_serialize(part.as_bytes()).collect();
        escaped.replace('+', "%20")
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A name that cannot be guessed.
fn new_id() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|cause| {
        Error::Base(BaseError::NoRandomNumbers {
            reason: cause.to_string(),
        })
    })?;
    Ok(bytes.iter().fold(String::new(), |mut id, byte| {
        // Writing to a string does not fail.
        let _ = write!(id, "{byte:02x}");
        id
    }))
}
