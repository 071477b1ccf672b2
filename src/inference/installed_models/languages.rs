//! The languages of an installed model that a person states, since its files do not.

use std::path::Path;

use super::{DESCRIPTION, Installed, InstalledModel, described, read_installed};
use crate::error::{Error, Result};
use crate::text::file::write_atomically;

/// States the languages that an installed model of another program translates between.
///
/// # Errors
/// If it is none that was added, one of them is no code of a language, or they cannot be written.
pub fn state_languages(folder: &Path, [source, target]: [&str; 2]) -> Result<InstalledModel> {
    let Some(mut installed) = read_installed(folder)? else {
        return Err(Error::Model {
            reason: "only a model that was added has its languages stated; its own files say those of any other"
                .to_owned(),
            path: folder.to_owned(),
        });
    };
    let [source, target] =
        [("--from", source), ("--to", target)].map(|(field, code)| checked(field, code));
    (installed.source, installed.targets) = (source?, vec![target?]);
    installed.sources.clear();
    installed.stated = true;
    installed.write(folder)?;
    described(folder)
}

/// A code as BCP 47 has it, such as `pt-BR`; `pt_BR` is taken for it.
fn checked(field: &'static str, code: &str) -> Result<String> {
    let code = code.trim().replace('_', "-");
    let mut parts = code.split('-');
    let is_main = |part: &str| {
        (2..=3).contains(&part.len()) && part.chars().all(|it| it.is_ascii_alphabetic())
    };
    let is_part = |part: &str| {
        (2..=8).contains(&part.len()) && part.chars().all(|it| it.is_ascii_alphanumeric())
    };
    if parts.next().is_some_and(is_main) && parts.all(is_part) {
        return Ok(code);
    }
    Err(Error::Config {
        field,
        found: code,
        allowed: "the code of a language, such as en or pt-BR".to_owned(),
    })
}

impl Installed {
    /// Writes the description into the folder of the model.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let description = folder.join(DESCRIPTION);
        let text = toml::to_string(self).map_err(|cause| Error::Model {
            reason: cause.to_string(),
            path: description.clone(),
        })?;
        write_atomically(&description, text.as_bytes(), true)
    }
}
