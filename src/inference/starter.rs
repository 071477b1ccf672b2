//! The models that come with the program.

use std::path::{Path, PathBuf};

use crate::corpus::is_same_language;
use crate::error::{Error, Result};

/// A starter model: what it translates, and its folder below the program's assets.
struct Starter {
    source: &'static str,
    target: &'static str,
    folder: &'static str,
}

/// The first one is taken where nobody says a language.
const STARTERS: [Starter; 2] = [
    Starter {
        source: "en",
        target: "de",
        folder: "assets/models/help-en-de-memory",
    },
    Starter {
        source: "de",
        target: "en",
        folder: "assets/models/help-de-en",
    },
];

/// Folders where what comes with the program may lie: beside the program, where it was started, and where it was built.
pub fn program_folders() -> impl Iterator<Item = PathBuf> {
    let program = std::env::current_exe().ok();
    let places = [
        program.and_then(|program| program.parent().map(Path::to_owned)),
        std::env::current_dir().ok(),
        Some(PathBuf::from(env!("CARGO_MANIFEST_DIR"))),
    ];
    places.into_iter().flatten()
}

/// Finds the starter model in the folders of the program.
///
/// # Errors
/// [`Error::NoStarterModel`] if it is in none of them.
pub fn starter_model() -> Result<PathBuf> {
    starter_model_for(None, None)
}

/// Finds the starter model between these languages, of which either may be left open; the first one if there is none.
///
/// # Errors
/// [`Error::NoStarterModel`] if it is in none of the program's folders.
pub fn starter_model_for(source: Option<&str>, target: Option<&str>) -> Result<PathBuf> {
    let is = |asked: Option<&str>, has| asked.is_none_or(|asked| is_same_language(has, asked));
    let mut starters = STARTERS.iter();
    let starter = starters.find(|it| is(source, it.source) && is(target, it.target));
    let starter = starter.unwrap_or(&STARTERS[0]).folder;
    let mut folders = program_folders().map(|place| place.join(starter));
    folders
        .find(|folder| folder.is_dir())
        .ok_or(Error::NoStarterModel)
}

/// Whether a model folder that came with the program is the one taken where nobody says a language.
pub fn is_starter(folder: &Path) -> bool {
    folder.ends_with(STARTERS[0].folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::ModelFolder;

    #[test]
    fn starters_translate_what_is_said_of_them() {
        for starter in STARTERS {
            let found = starter_model_for(Some(starter.source), Some(starter.target));
            let found = found.expect("it is in the repository");
            assert!(found.ends_with(starter.folder), "{}", found.display());
            let languages = ModelFolder::alone(&found).expect("a model").languages;
            let told = (languages.source.as_str(), languages.target.as_str());
            assert_eq!(told, (starter.source, starter.target));
        }
        let found = |source, target| starter_model_for(source, target).expect("there");
        assert!(is_starter(&found(None, None)));
        assert!(
            is_starter(&found(None, Some("fr"))),
            "it says what it can do"
        );
        assert!(!is_starter(&found(None, Some("en-GB"))));
    }
}
