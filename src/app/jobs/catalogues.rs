//! The threads of catalogues: one reads lists, one downloads a model. No host is contacted before a request comes.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use super::{Event, JobControl, JobId, RequestThread};
use crate::error::{BaseError, Error, Result};
use canopy_base::error::caught;
use canopy_translate::catalogue::{
    Catalogue, CatalogueModel, Download, download, downloaded_bytes, look,
};

/// Work for the threads.
#[derive(Debug)]
pub enum CatalogueRequest {
    /// Reads these lists.
    Look {
        job: JobId,
        catalogues: Vec<Catalogue>,
    },
    /// Downloads a model and installs it; a break in `control` ends that, and what has come is kept.
    Get {
        job: JobId,
        model: Box<CatalogueModel>,
        /// Whether it takes the place of an installed one of its name.
        replaces: bool,
        control: JobControl,
    },
}

/// The window's end of the threads.
#[derive(Debug)]
pub struct CatalogueThreads {
    lists: RequestThread<CatalogueRequest>,
    downloads: RequestThread<CatalogueRequest>,
}

impl CatalogueThreads {
    /// Starts the threads; models are installed in `library`. `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        library: Option<PathBuf>,
        events: Sender<Event>,
        wake: impl Fn() + Clone + Send + 'static,
    ) -> Result<Self> {
        let start = |name: &str| {
            let library = library.clone();
            let answer = move |inbox: &Receiver<CatalogueRequest>, emit: &dyn Fn(Event)| {
                while let Ok(request) = inbox.recv() {
                    emit(answer(request, library.as_ref(), emit));
                }
            };
            RequestThread::start(name, events.clone(), wake.clone(), answer)
        };
        Ok(Self {
            lists: start("canopy-catalogues")?,
            downloads: start("canopy-download")?,
        })
    }

    pub fn send(&self, request: CatalogueRequest) {
        match request {
            CatalogueRequest::Look { .. } => self.lists.send(request),
            CatalogueRequest::Get { .. } => self.downloads.send(request),
        }
    }
}

fn answer(request: CatalogueRequest, library: Option<&PathBuf>, emit: &dyn Fn(Event)) -> Event {
    match request {
        CatalogueRequest::Look { job, catalogues } => {
            let read = caught(|| Ok(look(&catalogues)));
            let arrived = |model: &CatalogueModel| {
                let bytes = library.map_or(0, |library| downloaded_bytes(library, model));
                (bytes > 0).then(|| ((model.catalogue.clone(), model.name.clone()), bytes))
            };
            match read {
                Ok(look) => Event::CataloguesRead {
                    job,
                    arrived: look.models.iter().filter_map(arrived).collect(),
                    look: Box::new(look),
                },
                Err(error) => Event::Failed { job, error },
            }
        }
        CatalogueRequest::Get {
            job,
            model,
            replaces,
            control,
        } => {
            let got = caught(|| get(job, &model, replaces, (library, &control), emit));
            got.unwrap_or_else(|error| Event::Failed { job, error })
        }
    }
}

fn get(
    job: JobId,
    model: &CatalogueModel,
    replaces: bool,
    (library, control): (Option<&PathBuf>, &JobControl),
    emit: &dyn Fn(Event),
) -> Result<Event> {
    let library = library.ok_or_else(|| {
        Error::Base(BaseError::Config {
            field: "HOME",
            found: "not set".to_owned(),
            allowed: "the folder of a user, below which models are kept".to_owned(),
        })
    })?;
    let order = Download {
        model,
        library,
        replaces,
    };
    let mut reported = None;
    let got = download(order, &mut |progress| {
        if control.is_cancelled() {
            return ControlFlow::Break(());
        }
        // Blocks come by the thousand; a bar moves some times a second.
        let now = std::time::Instant::now();
        let is_due = reported.is_none_or(|at| now.duration_since(at).as_millis() > 80);
        if is_due || progress.is_checking {
            reported = Some(now);
            emit(Event::ModelDownloading { job, progress });
        }
        ControlFlow::Continue(())
    })?;
    Ok(match got {
        Some(model) => Event::ModelDownloaded {
            job,
            model: Box::new(model),
        },
        None => Event::DownloadCancelled {
            job,
            arrived: downloaded_bytes(library, model),
        },
    })
}
