//! Where catalogues are: the known ones by name, others by an address, a file or a folder.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A catalogue that is known from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownCatalogue {
    /// The name that `--catalogue` takes.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Where its list is.
    pub address: &'static str,
    /// Licence of its models, where its list has none.
    pub licence: &'static str,
}

/// The catalogues that are looked through where none is named, the one whose models are preferred first.
pub const DEFAULT_CATALOGUES: &[KnownCatalogue] = &[
    KnownCatalogue {
        name: "mozilla",
        title: "Mozilla (Firefox)",
        address: "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json",
        licence: "MPL-2.0",
    },
    KnownCatalogue {
        name: "translatelocally",
        title: "translateLocally",
        address: "https://translatelocally.com/models.json",
        licence: "",
    },
    KnownCatalogue {
        name: "opus-mt",
        title: "OPUS-MT",
        address: "https://object.pouta.csc.fi/OPUS-MT-models/app/models.json",
        licence: "CC-BY-4.0",
    },
    KnownCatalogue {
        name: "hplt",
        title: "HPLT",
        address: "https://raw.githubusercontent.com/hplt-project/bitextor-mt-models/refs/heads/main/models.json",
        licence: "",
    },
    KnownCatalogue {
        name: "argos",
        title: "Argos Translate",
        address: "https://raw.githubusercontent.com/argosopentech/argospm-index/main/index.json",
        licence: "",
    },
];

/// Where single repositories are.
pub(super) const HUGGING_FACE: &str = "https://huggingface.co";

/// A catalogue: its name, and where its list is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// For people, and in what is kept of a model that was downloaded.
    pub name: String,
    /// Where its list is.
    pub origin: Origin,
    /// Licence of its models, where its list has none.
    pub licence: String,
}

/// Where a list is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// An address of HTTPS, or of HTTP where a person has named it.
    Web(String),
    /// A file with a list, or a folder with lists or models.
    Path(PathBuf),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Web(address) => f.write_str(address),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

impl From<&KnownCatalogue> for Catalogue {
    fn from(known: &KnownCatalogue) -> Self {
        Self {
            name: known.title.to_owned(),
            origin: Origin::Web(known.address.to_owned()),
            licence: known.licence.to_owned(),
        }
    }
}

impl Catalogue {
    /// A catalogue by the name of a known one, an address, a file or a folder.
    ///
    /// # Errors
    /// [`Error::CatalogueAddress`] if it is not one of these.
    pub fn named(text: &str) -> Result<Self> {
        let text = text.trim();
        let known = DEFAULT_CATALOGUES.iter().find(|known| {
            [known.name, known.title, known.address]
                .iter()
                .any(|it| it.eq_ignore_ascii_case(text))
        });
        if let Some(known) = known {
            return Ok(known.into());
        }
        let origin = origin(text)?;
        Ok(Self {
            name: text.to_owned(),
            origin,
            licence: String::new(),
        })
    }

    /// The known catalogues without those that are switched off, after those of a person.
    ///
    /// # Errors
    /// [`Error::CatalogueAddress`] if one of a person is no catalogue.
    pub fn chosen(own: &[String], off: &[String]) -> Result<Vec<Self>> {
        let mut all = own
            .iter()
            .map(|text| Self::named(text))
            .collect::<Result<Vec<_>>>()?;
        let is_on = |name: &str| !off.iter().any(|it| it.eq_ignore_ascii_case(name));
        let known = DEFAULT_CATALOGUES.iter().filter(|known| is_on(known.name));
        all.extend(known.map(Self::from));
        Ok(all)
    }

    /// Whether it is on this machine, so that no host is contacted for its list.
    pub fn is_local(&self) -> bool {
        matches!(self.origin, Origin::Path(_))
    }

    pub(super) fn refused(&self, reason: impl Into<String>) -> Error {
        Error::Catalogue {
            reason: reason.into(),
            place: self.origin.to_string(),
        }
    }
}

fn origin(text: &str) -> Result<Origin> {
    let refused = || Error::CatalogueAddress {
        address: text.to_owned(),
    };
    let lower = text.to_lowercase();
    if lower.starts_with("https://") || lower.starts_with("http://") {
        let host = &text[text.find("://").map_or(0, |at| at + 3)..];
        let is_address = !host.is_empty()
            && !host.starts_with('/')
            && !text.contains(|c: char| c.is_whitespace() || c.is_control());
        return if is_address {
            Ok(Origin::Web(text.to_owned()))
        } else {
            Err(refused())
        };
    }
    let path = if lower.starts_with("file://") {
        PathBuf::from(unescaped(&text["file://".len()..]).ok_or_else(refused)?)
    } else {
        PathBuf::from(text)
    };
    if path.exists() {
        let path = std::path::absolute(&path).map_err(Error::read(&path))?;
        return Ok(Origin::Path(path));
    }
    // What looks like a path is reported as a missing one.
    if text.contains(['/', '\\']) || path.extension().is_some() {
        let cause = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(Error::read(&path)(cause));
    }
    Err(refused())
}

/// The path of a `file:` address, whose host may be left out.
fn unescaped(text: &str) -> Option<String> {
    let path = text.strip_prefix("localhost").unwrap_or(text);
    // A form has `+` for a blank, a path has not.
    let pair = format!("path={}", path.replace('+', "%2B").replace('&', "%26"));
    let (_, path) = form_urlencoded::parse(pair.as_bytes()).next()?;
    let is_windows = path.starts_with('/') && path.get(2..3) == Some(":");
    Some(path[usize::from(is_windows)..].to_owned()).filter(|path| !path.is_empty())
}

/// The folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::BaseError;

    #[test]
    fn a_catalogue_is_a_name_an_address_a_file_or_a_folder() {
        let mozilla = Catalogue::named("Mozilla").expect("known");
        assert_eq!(mozilla.name, "Mozilla (Firefox)");
        let own = Catalogue::named("http://localhost:80/a b.json");
        assert!(matches!(own, Err(Error::CatalogueAddress { .. })));
        assert!(matches!(
            Catalogue::named("ftp"),
            Err(Error::CatalogueAddress { .. })
        ));
        assert!(matches!(
            Catalogue::named("missing/models.json"),
            Err(Error::Base(BaseError::Read { .. }))
        ));
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("our models+.json");
        std::fs::write(&list, "[]").expect("written");
        let escaped = format!("file://{}", list.display()).replace(' ', "%20");
        let found = Catalogue::named(&escaped).expect("there");
        assert_eq!(found.origin, Origin::Path(list));
        assert!(found.is_local() && !mozilla.is_local());
    }

    #[test]
    fn known_catalogues_can_be_switched_off() {
        let off = ["mozilla", "argos"].map(str::to_owned);
        let own = ["https://models.example.org/list.json".to_owned()];
        let chosen = Catalogue::chosen(&own, &off).expect("catalogues");
        let names: Vec<&str> = chosen.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            [&own[0], "translateLocally", "OPUS-MT", "HPLT"].map(|it| it as &str)
        );
    }
}
