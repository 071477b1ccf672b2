//! Runs outside the user's folder of runs, so that the window finds what the command line trained.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::run_folder::is_run;
use crate::error::{Error, Result};
use canopy_base::file::write_atomically;

/// A path a line, the newest last.
const FILE: &str = "runs-elsewhere.txt";
/// Maximum number that is remembered.
const MOST: usize = 200;

/// Runs of the user's folder `home` that still exist, the newest last.
pub fn known_runs(home: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(home.join(FILE)).unwrap_or_default();
    let folders = text.lines().map(PathBuf::from);
    folders.filter(|folder| is_run(folder)).collect()
}

/// Remembers a run, unless it is among those of `home`, which are found anyway.
///
/// # Errors
/// If the file cannot be written, or the system does not name the working directory.
pub fn remember_run(home: &Path, run: &Path) -> Result<()> {
    let run = std::path::absolute(run).map_err(Error::read(run))?;
    let mut known = known_runs(home);
    // A name with a line break cannot be distinguished from two names.
    let fits = run
        .to_str()
        .is_some_and(|name| !name.contains(['\n', '\r']));
    if !fits || known.contains(&run) || run.parent() == Some(&home.join("runs")) {
        return Ok(());
    }
    known.push(run);
    let first = known.len().saturating_sub(MOST);
    let mut text = String::new();
    for run in &known[first..] {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", run.display());
    }
    std::fs::create_dir_all(home).map_err(Error::write(home))?;
    Ok(write_atomically(home.join(FILE), text.as_bytes(), true)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_outside_the_folder_are_known_once_and_while_they_exist() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("home");
        let runs = ["one", "other", "home/runs/own"].map(|name| folder.path().join(name));
        for run in &runs {
            std::fs::create_dir_all(run).expect("a folder");
            std::fs::write(run.join("config.toml"), "").expect("a file");
            remember_run(&home, run).expect("writes");
            remember_run(&home, run).expect("writes");
        }
        assert_eq!(known_runs(&home), runs[..2]);
        std::fs::remove_dir_all(&runs[0]).expect("it was there");
        assert_eq!(known_runs(&home), runs[1..2]);
    }
}
