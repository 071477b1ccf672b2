//! The models that come with the program.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use canopy_corpus::is_same_language;

/// A starter model: the languages it translates between, and its folder among the program's assets.
struct Starter {
    source: &'static str,
    target: &'static str,
    folder: &'static str,
}

/// The first one is taken where no language is given.
const STARTERS: [Starter; 3] = [
    Starter {
        source: "en",
        target: "de",
        folder: "models/starter-en-de",
    },
    Starter {
        source: "de",
        target: "en",
        folder: "models/starter-de-en",
    },
    Starter {
        source: "en",
        target: "pt",
        folder: "models/starter-en-pt",
    },
];

/// Folders that may hold the program's assets, in the order in which they are searched: `assets` next to the program,
/// `../share/canopy` of an installed one, then `assets` where the program was started and where it was built.
pub fn asset_folders() -> impl Iterator<Item = PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    let of_program = beside.map(folders_of_program);
    let others = [
        std::env::current_dir().ok(),
        // Two folders above this crate.
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .map(Path::to_owned),
    ];
    let others = others.into_iter().flatten();
    of_program
        .into_iter()
        .flatten()
        .chain(others.map(|place| place.join("assets")))
}

/// Folders where the assets of a program in the folder `bin` may be: next to it, or where a package installs them.
fn folders_of_program(bin: &Path) -> Vec<PathBuf> {
    let installed = bin.parent().map(|prefix| prefix.join("share/canopy"));
    std::iter::once(bin.join("assets"))
        .chain(installed)
        .collect()
}

/// Finds the starter model among the program's assets.
///
/// # Errors
/// [`Error::NoStarterModel`] if it is not there.
pub fn starter_model() -> Result<PathBuf> {
    starter_model_for(None, None)
}

/// Finds the starter model between these languages, of which either may be left open; the first one if there is none.
///
/// # Errors
/// [`Error::NoStarterModel`] if it is not among the program's assets.
pub fn starter_model_for(source: Option<&str>, target: Option<&str>) -> Result<PathBuf> {
    find_starter(source, target, asset_folders())
}

fn find_starter(
    source: Option<&str>,
    target: Option<&str>,
    assets: impl IntoIterator<Item = PathBuf>,
) -> Result<PathBuf> {
    let is = |wanted: Option<&str>, has| wanted.is_none_or(|wanted| is_same_language(has, wanted));
    let mut starters = STARTERS.iter();
    let starter = starters.find(|it| is(source, it.source) && is(target, it.target));
    let starter = starter.unwrap_or(&STARTERS[0]).folder;
    let mut folders = assets.into_iter().map(|place| place.join(starter));
    folders
        .find(|folder| folder.is_dir())
        .ok_or(Error::NoStarterModel)
}

/// Whether a model folder that came with the program is the one taken where no language is given.
pub fn is_starter(folder: &Path) -> bool {
    folder.ends_with(STARTERS[0].folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_models::weights::ModelFolder;

    #[test]
    fn starters_translate_what_is_said_of_them() {
        for starter in STARTERS {
            let found = starter_model_for(Some(starter.source), Some(starter.target));
            let found = found.expect("it is in the repository");
            assert!(found.ends_with(starter.folder), "{}", found.display());
            let languages = ModelFolder::alone(&found).expect("a model").languages;
            let found = (languages.source.as_str(), languages.target.as_str());
            assert_eq!(found, (starter.source, starter.target));
        }
        let found = |source, target| starter_model_for(source, target).expect("there");
        assert!(is_starter(&found(None, None)));
        assert!(
            is_starter(&found(None, Some("fr"))),
            "it says what it can do"
        );
        assert!(!is_starter(&found(None, Some("en-GB"))));
    }

    #[test]
    fn an_installed_program_finds_its_models() {
        let prefix = tempfile::tempdir().expect("a folder");
        let places = || folders_of_program(&prefix.path().join("bin"));
        let found = find_starter(None, None, places());
        assert!(matches!(found, Err(Error::NoStarterModel)));

        let installed = prefix.path().join("share/canopy/models/starter-de-en");
        std::fs::create_dir_all(&installed).expect("made");
        let found = find_starter(Some("de"), Some("en"), places());
        assert_eq!(found.expect("there"), installed);

        // A program that is unpacked anywhere, with its assets next to it.
        let beside = prefix.path().join("bin/assets/models/starter-de-en");
        std::fs::create_dir_all(&beside).expect("made");
        let found = find_starter(Some("de"), Some("en"), places());
        assert_eq!(found.expect("there"), beside);
    }
}
