//! Catalogues of models: lists are read, models downloaded. No host is contacted before a request comes.

use std::ops::ControlFlow;
use std::path::PathBuf;

use super::pool::{Answerer, EventSender, Lane, Pool};
use super::{Event, JobControl, JobId};
use crate::ModelsEvent;
use crate::error::{BaseError, Error, Result};
use canopy_base::error::caught;
use canopy_translate::catalogue::{
    Catalogue, CatalogueModel, Download, download, downloaded_bytes, look,
};

/// Work on catalogues.
#[derive(Debug)]
pub enum CatalogueRequest {
    /// Reads these lists.
    Look {
        /// Number of the job.
        job: JobId,
        /// The catalogues whose lists are read.
        catalogues: Vec<Catalogue>,
    },
    /// Downloads a model and installs it; a break in `control` ends that, and what has come is kept.
    Get {
        /// Number of the job.
        job: JobId,
        /// The model.
        model: Box<CatalogueModel>,
        /// Whether it takes the place of an installed one of its name.
        replaces: bool,
        /// The handle that cancels the job.
        control: JobControl,
    },
}

/// Two lanes of [`CatalogueRequest`]s: lists are read while a model is downloaded.
#[derive(Debug)]
pub struct CatalogueLanes {
    lists: Lane<CatalogueRequest>,
    downloads: Lane<CatalogueRequest>,
}

impl CatalogueLanes {
    /// Models are installed in `library`.
    pub fn new(pool: &Pool, library: Option<&PathBuf>) -> Self {
        let lane = || {
            pool.lane(Catalogues {
                events: pool.events().clone(),
                library: library.cloned(),
            })
        };
        Self {
            lists: lane(),
            downloads: lane(),
        }
    }

    /// Sends a request to its lane: lists and downloads have one each.
    pub fn send(&self, request: CatalogueRequest) {
        match request {
            CatalogueRequest::Look { .. } => self.lists.send(request),
            CatalogueRequest::Get { .. } => self.downloads.send(request),
        }
    }
}

struct Catalogues {
    events: EventSender,
    library: Option<PathBuf>,
}

impl Answerer for Catalogues {
    type Request = CatalogueRequest;

    fn answer(&mut self, request: CatalogueRequest) {
        let emit = |event: Event| self.events.send(event);
        emit(answer(request, self.library.as_ref(), &emit));
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
                Ok(look) => Event::Models(ModelsEvent::CataloguesRead {
                    job,
                    arrived: look.models.iter().filter_map(arrived).collect(),
                    look: Box::new(look),
                }),
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
            emit(Event::Models(ModelsEvent::Downloading { job, progress }));
        }
        ControlFlow::Continue(())
    })?;
    Ok(match got {
        Some(model) => Event::Models(ModelsEvent::Downloaded {
            job,
            model: Box::new(model),
        }),
        None => Event::Models(ModelsEvent::DownloadCancelled {
            job,
            arrived: downloaded_bytes(library, model),
        }),
    })
}
