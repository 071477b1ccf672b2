//! The languages of an installed model that a person states: they win over those of its files.

use std::path::Path;

use super::description::Installed;
use super::{DESCRIPTION, InstalledModel, KnownOfModel, described, read_installed};
use crate::error::{BaseError, Error, Result};
use canopy_base::file::write_atomically;
use canopy_corpus::is_same_language;
use canopy_models::weights::ModelFolder;
use canopy_tokenize::language_called;

/// States the languages that an installed model of another program translates between.
///
/// # Errors
/// If it was not added, one of them is no language, or they cannot be written.
pub fn state_languages(folder: &Path, [source, target]: [&str; 2]) -> Result<InstalledModel> {
    let Some(mut installed) = read_installed(folder)? else {
        return Err(Error::Base(BaseError::Model {
            reason: "only a model that was added has its languages stated; its own files say those of any other"
                .to_owned(),
            path: folder.to_owned(),
        }));
    };
    installed.state(
        &[stated_language("source language", source)?],
        &[stated_language("target language", target)?],
    );
    installed.write(folder)?;
    described(folder)
}

/// The code of a language that a person states by its code or its English name.
///
/// # Errors
/// If it is no language.
pub fn stated_language(field: &'static str, language: &str) -> Result<String> {
    language_called(language).ok_or_else(|| {
        Error::Base(BaseError::Config {
            field,
            found: language.to_owned(),
            allowed: "a language, such as pt, pt-BR or Portuguese".to_owned(),
        })
    })
}

impl Installed {
    /// Takes the languages that a person states; an empty side stays as it is.
    pub(super) fn state(&mut self, sources: &[String], targets: &[String]) {
        if let Some(first) = sources.first() {
            self.source.clone_from(first);
            self.sources = several(sources);
        }
        if !targets.is_empty() {
            self.targets = targets.to_vec();
        }
        self.stated = true;
    }

    /// Writes the description into the folder of the model.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let description = folder.join(DESCRIPTION);
        let text = toml::to_string(self).map_err(|cause| {
            Error::Base(BaseError::Model {
                reason: cause.to_string(),
                path: description.clone(),
            })
        })?;
        Ok(write_atomically(&description, text.as_bytes(), true)?)
    }
}

/// The codes, where there is more than one.
pub(super) fn several(codes: &[String]) -> Vec<String> {
    if codes.len() > 1 {
        codes.to_vec()
    } else {
        Vec::new()
    }
}

impl KnownOfModel {
    /// Whether a model whose files say several languages has those that a person states.
    ///
    /// # Errors
    /// The reason if it has not.
    pub(super) fn check_stated(&self, installed: &Installed) -> std::result::Result<(), String> {
        let sides = [
            (&self.sources, &installed.sources),
            (&self.targets, &installed.targets),
        ];
        for (stated, found) in sides {
            let is_known = |code: &String| found.iter().any(|it| is_same_language(code, it));
            if self.is_stated && found.len() > 1 && !stated.iter().all(is_known) {
                return Err(format!(
                    "its files say its languages, {}, and {} is not one of them",
                    found.join(", "),
                    stated.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// Whether the languages that a person states are those of a model folder of ours, which has learned no others.
    ///
    /// # Errors
    /// If they are not.
    pub(super) fn check_own(&self, folder: &Path, own: &ModelFolder) -> Result<()> {
        let is_it = |stated: &[String], own: &String| {
            stated.is_empty() || stated.iter().any(|code| is_same_language(code, own))
        };
        let own = &own.languages;
        if !self.is_stated || is_it(&self.sources, &own.source) && is_it(&self.targets, &own.target)
        {
            return Ok(());
        }
        Err(Error::OwnLanguages {
            from: own.source.clone(),
            to: own.target.clone(),
            path: folder.join("model.toml"),
        })
    }
}
