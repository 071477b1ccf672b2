//! Looking through catalogues, and choosing among what they list.

use std::path::Path;

use super::lists::{self, List};
use super::model::CatalogueModel;
use super::place::{Catalogue, HUGGING_FACE, Origin};
use super::web;
use crate::error::{BaseError, Error, Result};
use canopy_base::error::{caught, panic_message};

/// The answer of several catalogues.
#[derive(Debug, Default)]
pub struct Look {
    /// In the order of the catalogues.
    pub models: Vec<CatalogueModel>,
    /// Catalogues that gave no list, with the reasons.
    pub failed: Vec<(String, Error)>,
    /// Sentences on entries that could not be read.
    pub notes: Vec<String>,
}

/// The entries that a name or a pair stands for.
#[derive(Debug)]
pub enum Found {
    /// One entry.
    One(Box<CatalogueModel>),
    /// Several catalogues list a model of this name.
    Several(Vec<CatalogueModel>),
    /// No catalogue lists it.
    None,
}

/// Reads the lists of these catalogues, several at a time.
pub fn look(catalogues: &[Catalogue]) -> Look {
    let lists: Vec<Result<List>> = std::thread::scope(|scope| {
        let threads: Vec<_> = catalogues
            .iter()
            .map(|catalogue| scope.spawn(|| caught(|| list(catalogue))))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<List>>| {
            thread.join().unwrap_or_else(|panic| {
                Err(Error::Base(BaseError::panicked(panic_message(
                    panic.as_ref(),
                ))))
            })
        };
        threads.into_iter().map(join).collect()
    });
    let mut look = Look::default();
    for (catalogue, list) in catalogues.iter().zip(lists) {
        look.add(catalogue, list);
    }
    look
}

impl Look {
    fn add(&mut self, catalogue: &Catalogue, list: Result<List>) {
        match list {
            Ok(list) => {
                if list.num_unread > 0 {
                    let entries = if list.num_unread == 1 {
                        "entry"
                    } else {
                        "entries"
                    };
                    self.notes.push(format!(
                        "{} {entries} of {} name no languages that can be read, and are left out",
                        list.num_unread, catalogue.name
                    ));
                }
                self.models.extend(list.models);
            }
            Err(error) => self.failed.push((catalogue.name.clone(), error)),
        }
    }

    /// Models between these languages, as far as they are named, those that can be downloaded first.
    pub fn between(&self, from: Option<&str>, to: Option<&str>) -> Vec<&CatalogueModel> {
        let mut found: Vec<&CatalogueModel> = self
            .models
            .iter()
            .filter(|model| model.translates(from, to))
            .collect();
        found.sort_by_key(|model| model.problem.is_some());
        found
    }

    /// The requested model: by its name, or by a pair such as `en-fr`, of which the first one is taken.
    pub fn find(&self, name: &str) -> Found {
        let named: Vec<&CatalogueModel> = self
            .models
            .iter()
            .filter(|model| model.is_called(name))
            .collect();
        match named.as_slice() {
            [] => {}
            [one] => return Found::One(Box::new((*one).clone())),
            several => return Found::Several(several.iter().map(|it| (*it).clone()).collect()),
        }
        let Some((from, to)) = pair_of(name) else {
            return Found::None;
        };
        let first = self.between(Some(from), Some(to)).into_iter().next();
        first.map_or(Found::None, |model| Found::One(Box::new(model.clone())))
    }
}

/// The languages of a pair, written `en-fr`, `en:fr` or `en>fr`.
pub fn pair_of(pair: &str) -> Option<(&str, &str)> {
    let (from, to) = pair.split_once([':', '-', '>'])?;
    let is_code = super::languages::is_code;
    (is_code(from) && is_code(to)).then_some((from, to))
}

/// Whether a name is that of a repository, OWNER/NAME.
pub fn is_repository(name: &str) -> bool {
    let is_part = super::model::is_plain_name;
    name.split_once('/')
        .is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

fn list(catalogue: &Catalogue) -> Result<List> {
    match &catalogue.origin {
        Origin::Path(path) if path.is_dir() => lists::read_folder(path, catalogue),
        Origin::Path(path) => lists::read_file(path, catalogue),
        Origin::Web(address) => {
            let read = web::read(address, lists::MOST_BYTES);
            let bytes = read.map_err(|fault| catalogue.refused(fault.reason()))?;
            lists::read_list(&bytes, catalogue, &catalogue.origin)
        }
    }
}

/// A repository of Hugging Face, or of a host with the same interface.
///
/// # Errors
/// If there is none of this name, or what answers is something else.
pub fn repository(name: &str, host: Option<&Catalogue>) -> Result<CatalogueModel> {
    let own = std::env::var("HF_ENDPOINT")
        .ok()
        .filter(|it| !it.is_empty());
    let base = match host.map(|host| &host.origin) {
        Some(Origin::Path(path)) => return local_repository(name, path),
        Some(Origin::Web(address)) => address.clone(),
        None => own.unwrap_or_else(|| HUGGING_FACE.to_owned()),
    };
    let base = base.trim_end_matches('/');
    let address = format!("{base}/api/models/{name}");
    let catalogue = Catalogue {
        name: "Hugging Face".to_owned(),
        origin: Origin::Web(address.clone()),
        licence: String::new(),
    };
    // With sizes and hashes, where the host reports them.
    let read = web::read(&format!("{address}?blobs=true"), lists::MOST_BYTES)
        .or_else(|_fault| web::read(&address, lists::MOST_BYTES));
    let bytes = read.map_err(|fault| catalogue.refused(fault.reason()))?;
    let files = Origin::Web(format!("{base}/{name}/resolve/main"));
    only(lists::read_repository(&bytes, name, &catalogue, &files)?)
}

/// A repository whose description was kept as a file, its files next to it.
fn local_repository(name: &str, path: &Path) -> Result<CatalogueModel> {
    let catalogue = Catalogue {
        name: "Hugging Face".to_owned(),
        origin: Origin::Path(path.to_owned()),
        licence: String::new(),
    };
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    only(lists::read_repository(
        &bytes,
        name,
        &catalogue,
        &catalogue.origin,
    )?)
}

fn only(list: List) -> Result<CatalogueModel> {
    list.models
        .into_iter()
        .next()
        .ok_or_else(|| Error::NotListed {
            requested: "this repository".to_owned(),
            advice: "see that its name is right".to_owned(),
        })
}
