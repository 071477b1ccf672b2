//! Folders in the file manager of the system.

use std::io::Result;
use std::path::Path;
use std::process::{Command, Stdio};

#[cfg(target_os = "macos")]
const PROGRAM: &str = "open";
#[cfg(windows)]
const PROGRAM: &str = "explorer";
#[cfg(not(any(windows, target_os = "macos")))]
const PROGRAM: &str = "xdg-open";

/// Shows a folder, in a process of its own that nobody waits for here.
///
/// # Errors
/// If the system's program cannot be started.
pub(crate) fn show(folder: &Path) -> Result<()> {
    let mut started = Command::new(PROGRAM)
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // A process that has ended is only gone once it is waited for.
    std::thread::Builder::new()
        .name("file manager".to_owned())
        .spawn(move || started.wait())?;
    Ok(())
}
