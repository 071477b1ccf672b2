//! Trainings of clients. Each has a folder, from which the next server continues with those that have not ended.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path as FilePath, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep};

use super::jobs::POLL_TIME;
use super::routes::{Answered, Shared, SharedState, from, json, read, sent, unknown};
use super::store::Store;
use crate::error::{BaseError, Error, Result};
use crate::refusal::Refusal;
use canopy_base::JobId;
use canopy_base::digest::{hash_file, hexadecimal};
use canopy_base::file::write_atomically;
use canopy_base::folder::files_below;
use canopy_train::{
    DeviceLock, Order, RemoteTraining, TrainingConfig, TrainingJob, TrainingReport,
    TrainingRequest, TrainingState, Trainings, is_run,
};
use canopy_translate::inference::DeviceChoice;
use canopy_translate::remote::{RunFile, TRAINING_ENDED, TRAINING_LENGTH, TrainingList};

/// The inputs of a training.
const CONFIG: &str = "job.json";

/// There once it has ended: why it failed, or nothing.
const ENDED: &str = "ended";

/// Events that are sent at once, at most.
const MOST_EVENTS: usize = 1 << 20;

/// Between two looks at the events of a training.
const LOOK: Duration = Duration::from_millis(50);

/// The trainings of a server.
#[derive(Debug)]
pub(super) struct ComputeTrainings {
    folder: PathBuf,
    device: DeviceChoice,
    jobs: Arc<Mutex<HashMap<JobId, String>>>,
    trainings: Mutex<Trainings<TrainingReport>>,
}

impl ComputeTrainings {
    /// Goes on with those that have not ended.
    ///
    /// # Errors
    /// If the system gives no thread, or the folder cannot be made.
    pub(super) fn open(
        folder: PathBuf,
        device: DeviceChoice,
        device_lock: &DeviceLock,
    ) -> Result<Self> {
        std::fs::create_dir_all(&folder).map_err(Error::write(&folder))?;
        let (events, inbox) = channel();
        let trainings = Trainings::spawn(device_lock.clone(), events, || {})?;
        let jobs: Arc<Mutex<HashMap<JobId, String>>> = Arc::default();
        let opened = Self {
            folder,
            device,
            jobs,
            trainings: Mutex::new(trainings),
        };
        let (folder, jobs) = (opened.folder.clone(), Arc::clone(&opened.jobs));
        std::thread::Builder::new()
            .name("training-ends".to_owned())
            .spawn(move || note_ends(&folder, &jobs, &inbox))
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        for id in opened.ids() {
            let path = opened.folder.join(&id);
            let config = std::fs::read(path.join(CONFIG)).ok();
            let config = config.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            if let Some(config) = config.filter(|_| !path.join(ENDED).exists()) {
                opened.start(&id, config);
            }
        }
        Ok(opened)
    }

    fn ids(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut ids: Vec<String> = names
            .filter_map(|name| name.into_string().ok())
            .filter(|name| is_id(name))
            .collect();
        ids.sort_unstable();
        ids
    }

    fn path(&self, id: &str) -> Result<PathBuf, Refusal> {
        let path = self.folder.join(id);
        if is_id(id) && path.join(CONFIG).exists() {
            Ok(path)
        } else {
            Err(unknown())
        }
    }

    /// Puts a training into the queue, unless it is queued.
    fn start(&self, id: &str, config: TrainingConfig) {
        let mut jobs = locked(&self.jobs);
        if jobs.values().any(|known| known == id) {
            return;
        }
        let last = jobs.keys().map(|job| job.0).max().unwrap_or(0);
        let (job, run) = (JobId(last + 1), self.folder.join(id).join("run"));
        jobs.insert(job, id.to_owned());
        let request = TrainingRequest::Start(Box::new(TrainingJob {
            job,
            config,
            resume: is_run(&run),
            run,
            device: self.device,
        }));
        locked(&self.trainings).send(request);
    }

    fn job(&self, id: &str) -> Option<JobId> {
        let jobs = locked(&self.jobs);
        jobs.iter()
            .find(|(_, known)| *known == id)
            .map(|(&job, _)| job)
    }

    fn state(&self, id: &str) -> Result<TrainingState, Refusal> {
        let path = self.path(id)?;
        let ended = std::fs::read_to_string(path.join(ENDED)).ok();
        Ok(match ended {
            Some(reason) if reason.is_empty() => TrainingState::Ended,
            Some(message) => TrainingState::Failed { message },
            None if is_run(&path.join("run")) => TrainingState::Running,
            None => TrainingState::Waiting,
        })
    }

    fn begin(&self, store: &Store, id: &str, training: RemoteTraining) -> Result<(), Refusal> {
        if !is_id(id) {
            return Err(unknown());
        }
        let path = self.folder.join(id);
        let is_known = path.join(CONFIG).exists();
        let has_ended = path.join(ENDED).exists();
        // A repeated request since the answer was lost, or while it is under way.
        if is_known && !(has_ended && training.resume) {
            return Ok(());
        }
        let place = |files: &_| store.place(files);
        let config = training.config_with(place)?;
        std::fs::create_dir_all(&path).map_err(Error::write(&path))?;
        let bytes = serde_json::to_vec_pretty(&config).unwrap_or_default();
        write_atomically(path.join(CONFIG), &bytes, true)?;
        if has_ended {
            std::fs::remove_file(path.join(ENDED)).map_err(Error::write(&path))?;
        }
        self.start(id, config);
        Ok(())
    }

    fn order(&self, id: &str, order: Order) -> Result<(), Refusal> {
        self.path(id)?;
        if let Some(job) = self.job(id) {
            locked(&self.trainings).send(TrainingRequest::Order { job, order });
        }
        Ok(())
    }

    /// Stops the training under way after a checkpoint, and does not note that as its end: the next server continues.
    pub(super) fn leave(&self) {
        let ids: Vec<JobId> = locked(&self.jobs).drain().map(|(job, _)| job).collect();
        let trainings = locked(&self.trainings);
        // Those that wait first, so that none of them begins.
        for &job in trainings
            .jobs()
            .iter()
            .rev()
            .filter(|job| ids.contains(job))
        {
            let order = Order::Stop;
            trainings.send(TrainingRequest::Order { job, order });
        }
        while !trainings.jobs().is_empty() {
            std::thread::sleep(LOOK);
        }
    }
}

/// Notes in the folder of each training that it has ended, and why.
fn note_ends(
    folder: &FilePath,
    jobs: &Mutex<HashMap<JobId, String>>,
    inbox: &Receiver<TrainingReport>,
) {
    while let Ok(event) = inbox.recv() {
        let (job, reason) = match event {
            TrainingReport::Finished { job } | TrainingReport::Cancelled { job } => {
                (job, String::new())
            }
            TrainingReport::Failed { job, error } => (job, error.to_string()),
            TrainingReport::Event { .. } => continue,
        };
        if let Some(id) = locked(jobs).remove(&job) {
            let path = folder.join(id).join(ENDED);
            // Without it the training is begun again, and ends at once.
            let _ = write_atomically(path, reason.as_bytes(), true);
        }
    }
}

pub(super) async fn list(State(shared): SharedState) -> Response {
    let trainings = &shared.trainings;
    let states = trainings.ids().into_iter().filter_map(|id| {
        let state = trainings.state(&id).ok()?;
        Some((id, state.to_string()))
    });
    let trainings: BTreeMap<String, String> = states.collect();
    json(&TrainingList { trainings })
}

pub(super) async fn begin(
    State(shared): SharedState,
    Path(id): Path<String>,
    request: Request,
) -> Answered {
    let training: RemoteTraining = read(&shared, request).await?;
    shared.trainings.begin(&shared.store, &id, training)?;
    state_of(&shared, &id)
}

pub(super) async fn state(State(shared): SharedState, Path(id): Path<String>) -> Answered {
    state_of(&shared, &id)
}

fn state_of(shared: &Shared, id: &str) -> Answered {
    shared.trainings.state(id).map(|state| json(&state))
}

pub(super) async fn remove(State(shared): SharedState, Path(id): Path<String>) -> Answered {
    let path = shared.trainings.path(&id)?;
    if shared.trainings.job(&id).is_some() {
        return Err(Refusal::new(
            StatusCode::CONFLICT,
            "this training is running; stop it first",
        ));
    }
    std::fs::remove_dir_all(&path).map_err(Error::write(&path))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn order(
    State(shared): SharedState,
    Path(id): Path<String>,
    request: Request,
) -> Answered {
    let word: String = read(&shared, request).await?;
    let order = word.parse();
    let order = order.map_err(|()| Refusal::wrong("an order is resume, pause, stop or abandon"))?;
    shared.trainings.order(&id, order)?;
    state_of(&shared, &id)
}

/// Whole lines of the events from a byte on; waits a while for the first of them.
pub(super) async fn events(
    State(shared): SharedState,
    Path(id): Path<String>,
    uri: Uri,
) -> Answered {
    let path = shared.trainings.path(&id)?;
    let (events, from) = (path.join("run/events.jsonl"), from(&uri));
    let until = Instant::now() + POLL_TIME;
    loop {
        // Before its events are read, so that the last ones are among them.
        let has_ended = path.join(ENDED).exists();
        let (length, lines) = lines(&events, from);
        if !lines.is_empty() || has_ended || Instant::now() >= until {
            let is_last = has_ended && from + lines.len() as u64 >= length;
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(TRAINING_LENGTH), length.into());
            let ended = if is_last { "yes" } else { "no" };
            headers.insert(
                HeaderName::from_static(TRAINING_ENDED),
                HeaderValue::from_static(ended),
            );
            return Ok((headers, Bytes::from(lines)).into_response());
        }
        sleep(LOOK).await;
    }
}

/// Bytes of all whole lines, and those from a byte on.
fn lines(path: &FilePath, from: u64) -> (u64, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap_or_default();
    let end = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    let from = usize::try_from(from).unwrap_or(usize::MAX).min(end);
    let mut lines = &bytes[from..end];
    if lines.len() > MOST_EVENTS {
        let cut = lines[..MOST_EVENTS].iter().rposition(|&byte| byte == b'\n');
        lines = &lines[..cut.map_or(lines.len(), |cut| cut + 1)];
    }
    (end as u64, lines.to_vec())
}

/// The files that a run has written, but its events.
pub(super) async fn files(State(shared): SharedState, Path(id): Path<String>) -> Answered {
    let run = shared.trainings.path(&id)?.join("run");
    if !run.exists() {
        return Ok(json(&Vec::<RunFile>::new()));
    }
    let listed = tokio::task::spawn_blocking(move || run_files(&run)).await;
    let files = listed.map_err(|_panicked| Refusal::closing())??;
    Ok(json(&files))
}

fn run_files(run: &FilePath) -> Result<Vec<RunFile>> {
    let skips = |name: &str| {
        let is_new = [".new", ".old"].iter().any(|end| name.ends_with(end));
        name.starts_with('.')
            || is_new
            || ["lock", "control", "events.jsonl", "config.toml"].contains(&name)
    };
    let names = files_below(run, skips, FilePath::is_file)?;
    let file = |path: String| {
        let place = run.join(&path);
        let mut hasher = Sha256::new();
        hash_file(&mut hasher, &place)?;
        let bytes = place.metadata().map_err(Error::read(&place))?.len();
        Ok(RunFile {
            path,
            bytes,
            sha256: hexadecimal(hasher),
        })
    };
    names.into_iter().map(file).collect()
}

pub(super) async fn file(
    State(shared): SharedState,
    Path((id, path)): Path<(String, String)>,
) -> Answered {
    let run = shared.trainings.path(&id)?.join("run");
    let is_plain = |part: std::path::Component| matches!(part, std::path::Component::Normal(_));
    if path.contains(['\\', '\0']) || !FilePath::new(&path).components().all(is_plain) {
        return Err(unknown());
    }
    let place = run.join(path);
    if !place.is_file() {
        return Err(unknown());
    }
    sent(place, ())
}

/// Whether it is a name that a client makes up.
fn is_id(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
