//! A model of a catalogue: downloaded, checked, installed.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use super::fetch::{Ended, Transfer, check_space};
use super::model::{CatalogueFile, CatalogueModel, Source};
use super::staging::{self, Staging};
use super::web::Fault;
use crate::error::{BaseError, Error, Result};
use crate::inference::{DownloadedFrom, InstalledModel, KnownOfModel, install_known_model};
use canopy_base::error::find;
use canopy_models::error::Error as ModelsError;

/// The time over which speed is measured.
const WINDOW: Duration = Duration::from_secs(4);

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Bytes that have arrived, also in an earlier session.
    pub done: u64,
    /// None where it is unknown; an estimate while some files are not under way.
    pub total: Option<u64>,
    /// Bytes a second.
    pub speed: f64,
    /// Whether everything is downloaded and is checked.
    pub is_checking: bool,
}

impl Progress {
    /// Seconds that are left at this speed.
    pub fn seconds_left(&self) -> Option<f64> {
        let left = self.total?.checked_sub(self.done)?;
        (self.speed > 1.0).then(|| left as f64 / self.speed)
    }

    /// The part that has arrived, from 0 to 1.
    #[expect(clippy::cast_possible_truncation, reason = "a share of a bar")]
    pub fn share(&self) -> Option<f32> {
        let total = self.total?;
        Some((self.done as f64 / total.max(1) as f64).min(1.0) as f32)
    }
}

/// A requested download.
#[derive(Debug, Clone, Copy)]
pub struct Download<'a> {
    /// The entry of a list.
    pub model: &'a CatalogueModel,
    /// The folder of installed models.
    pub library: &'a Path,
    /// Whether it takes the place of one of its name.
    pub replaces: bool,
}

/// Bytes of a model that an earlier download has brought.
pub fn downloaded_bytes(library: &Path, model: &CatalogueModel) -> u64 {
    staging::arrived(library, model)
}

/// Downloads a model, compares its files with what the list says, and installs it. None if `progress` broke it off; then, and
/// when the connection breaks for good, what has come is kept for the next attempt. Of a model that is refused nothing stays.
///
/// # Errors
/// [`Error::Download`] with the reason, [`BaseError::Exists`] if a model of its name is installed.
pub fn download(
    download: Download<'_>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<InstalledModel>> {
    let Download {
        model,
        library,
        replaces,
    } = download;
    if let Some(problem) = &model.problem {
        return Err(failed(model, problem));
    }
    let folder = library.join(model.folder_name());
    if folder.exists() && !replaces {
        return Err(Error::Base(BaseError::Exists { path: folder }));
    }
    if let [
        CatalogueFile {
            source: Source::Local(path),
            ..
        },
    ] = model.files.as_slice()
        && path.is_dir()
    {
        return install(download, path, false, progress);
    }
    fs::create_dir_all(library).map_err(Error::write(library))?;
    staging::discard_old(library);
    let staging = Staging::open(library, model)?;
    let collected = collect(model, &staging, progress);
    let installed = match collected {
        Ok(ControlFlow::Continue(())) => {
            let files = staging.files();
            let path = match model.files.as_slice() {
                [only] if model.is_archive => files.join(&only.name),
                _ => files,
            };
            install(download, &path, true, progress)
        }
        Ok(ControlFlow::Break(())) => return Ok(None),
        Err(Fault::Lost(reason)) => {
            let kept = "; the downloaded part is kept, and the next attempt continues from there";
            let kept = if staging::arrived(library, model) > 0 {
                kept
            } else {
                ""
            };
            if kept.is_empty() {
                staging.discard();
            }
            return Err(failed(model, &format!("{reason}{kept}")));
        }
        Err(Fault::Final(reason)) => Err(failed(model, &reason)),
    };
    staging.discard();
    installed
}

fn failed(model: &CatalogueModel, reason: &str) -> Error {
    Error::Download {
        reason: reason.to_owned(),
        name: model.name.clone(),
    }
}

fn install(
    download: Download<'_>,
    path: &Path,
    is_downloaded: bool,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<InstalledModel>> {
    let model = download.model;
    let languages = |codes: &[String]| {
        if model.is_guessed {
            Vec::new()
        } else {
            codes.to_vec()
        }
    };
    let known = KnownOfModel {
        name: model.folder_name().to_owned(),
        sources: languages(&model.sources),
        targets: languages(&model.targets),
        licence: model.licence.clone(),
        origin: model.catalogue.clone(),
        download: Some(DownloadedFrom {
            catalogue: model.catalogue.clone(),
            name: model.name.clone(),
            release: model.release.clone(),
        }),
        replaces: download.replaces,
        ..KnownOfModel::default()
    };
    let installed = install_known_model(path, download.library, &known, &mut |done, total| {
        progress(Progress {
            done,
            total: Some(total),
            speed: 0.0,
            is_checking: is_downloaded,
        })
    });
    installed.map_err(|error| refusal(model, path, error))
}

/// The refusal of files that have come: their folder is gone when the message is read.
fn refusal(model: &CatalogueModel, path: &Path, error: Error) -> Error {
    let reason = match error {
        Error::Base(
            BaseError::Exists { .. } | BaseError::Write { .. } | BaseError::Panicked { .. },
        ) => return error,
        Error::Base(BaseError::Model { reason, .. }) => reason,
        other => match find(&other) {
            Some(ModelsError::Foreign { reason, .. }) => reason.clone(),
            _ => other
                .to_string()
                .replace(&format!(": \"{}\"", path.display()), ""),
        },
    };
    failed(
        model,
        &format!("the download is not a readable model: {reason}"),
    )
}

/// Brings all files of a model to the disk, unpacked and checked.
fn collect(
    model: &CatalogueModel,
    staging: &Staging,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Fault> {
    let files = staging.files();
    let here = |file: &CatalogueFile| files.join(&file.name);
    let missing = model.files.iter().filter(|file| !here(file).exists());
    let needed = missing.clone().filter_map(|file| file.num_bytes);
    // They are copied once more when they are installed.
    let needed = needed.fold(0, u64::saturating_add).saturating_mul(2);
    check_space(&files, needed)?;
    let mut pace = Pace::new(model);
    for (at, file) in model.files.iter().enumerate() {
        let to = here(file);
        if let Ok(about) = fs::metadata(&to) {
            pace.arrived(at, about.len(), Some(about.len()));
            continue;
        }
        let transfer = Transfer {
            file,
            part: staging.part(&file.name),
        };
        let ended = bring(&transfer, &to, &mut |done, total| {
            pace.arrived(at, done, total);
            progress(pace.progress())
        });
        match ended.map_err(|fault| with_file_name(fault, model, file))? {
            ControlFlow::Continue(()) => {}
            broken @ ControlFlow::Break(()) => return Ok(broken),
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Names the file in a reason, where there are several.
fn with_file_name(fault: Fault, model: &CatalogueModel, file: &CatalogueFile) -> Fault {
    let name = |reason: String| match model.files.len() {
        1 => format!("{reason} ({})", file.source),
        _ => format!("{}: {reason} ({})", file.name, file.source),
    };
    match fault {
        Fault::Lost(reason) => Fault::Lost(name(reason)),
        Fault::Final(reason) => Fault::Final(name(reason)),
    }
}

/// Brings one file; one that went on from an earlier part and is not that of the list comes once more from its beginning.
fn bring(
    transfer: &Transfer<'_>,
    to: &Path,
    progress: &mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Fault> {
    loop {
        let Ended::Whole { resumed } = transfer.run(progress)? else {
            return Ok(ControlFlow::Break(()));
        };
        match transfer.finish(to) {
            Err(_) if resumed => transfer.forget(),
            done => return done.map(|()| ControlFlow::Continue(())),
        }
    }
}

/// How much has come, and how fast.
struct Pace {
    /// Bytes received and in all, of each file.
    files: Vec<(u64, u64)>,
    is_known: bool,
    mark: (Instant, u64),
    speed: f64,
}

impl Pace {
    /// Before anything has come, sizes are guessed where the list has none.
    fn new(model: &CatalogueModel) -> Self {
        let largest = model.files.iter().filter_map(|file| file.num_bytes).max();
        let guess = |file: &CatalogueFile| match (file.num_bytes, largest) {
            // What is packed is somewhat smaller.
            (Some(size), _) if file.is_gzip => size / 5 * 4,
            (Some(size), _) => size,
            (None, Some(largest)) => largest / 8,
            (None, None) => 0,
        };
        Self {
            files: model.files.iter().map(|file| (0, guess(file))).collect(),
            is_known: largest.is_some(),
            mark: (Instant::now(), u64::MAX),
            speed: 0.0,
        }
    }

    fn arrived(&mut self, at: usize, done: u64, total: Option<u64>) {
        let file = &mut self.files[at];
        file.0 = done;
        file.1 = total.unwrap_or(file.1).max(done);
        self.is_known |= total.is_some();
        let all = self.done();
        let (since, before) = self.mark;
        let elapsed = since.elapsed();
        if before == u64::MAX {
            // What had come earlier is no speed.
            self.mark = (Instant::now(), all);
        } else if elapsed > Duration::from_millis(400) {
            let now = all.saturating_sub(before) as f64 / elapsed.as_secs_f64();
            let weight = (elapsed.as_secs_f64() / WINDOW.as_secs_f64()).min(1.0);
            self.speed = if self.speed == 0.0 {
                now
            } else {
                self.speed + (now - self.speed) * weight
            };
            self.mark = (Instant::now(), all);
        }
    }

    fn done(&self) -> u64 {
        self.files.iter().map(|file| file.0).sum()
    }

    fn progress(&self) -> Progress {
        let total = self.files.iter().map(|file| file.1).sum();
        Progress {
            done: self.done(),
            total: self.is_known.then_some(total),
            speed: self.speed,
            is_checking: false,
        }
    }
}
