//! What some tests need, and not every clone or machine has. `build.rs` sets a `cfg` for each that is there, and the tests
//! that need it say so: `#[cfg_attr(not(has_msgfmt), ignore = "needs msgfmt")]`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The name of each `cfg`, and whether it is set here.
pub fn needs(repository: &Path) -> [(&'static str, bool); 11] {
    let shared = repository.join("../shared");
    let epubcheck = has("epubcheck") || Path::new("/usr/share/java/epubcheck.jar").is_file();
    [
        ("shared_models", shared.join("models").is_dir()),
        (
            "shared_translations",
            shared.join("data/han-ted-es-en").is_dir(),
        ),
        ("shared_reports", shared.join("reports").is_dir()),
        ("has_python", has("python3")),
        ("has_msgfmt", has("msgfmt")),
        ("has_libreoffice", has("soffice") || has("libreoffice")),
        ("has_epubcheck", has("java") && epubcheck),
        ("has_lavapipe", lavapipe().is_some()),
        ("has_arabic_font", has_font("ar")),
        ("may_mount", unshares(&[])),
        ("may_mount_apart", unshares(&["--map-root-user"])),
    ]
}

/// Whether a program is among those that are started by their name.
fn has(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Whether a process may mount file systems, in a name space of its own with the rights that are given.
fn unshares(rights: &[&str]) -> bool {
    let mut command = Command::new("unshare");
    command.args(rights).args(["--mount", "true"]);
    let status = command.stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The description of Mesa's Vulkan driver that computes on the CPU.
pub fn lavapipe() -> Option<String> {
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"].into_iter();
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok());
    let mut paths = files.flatten().flatten().map(|entry| entry.path());
    let path = paths.find(|path| path.to_string_lossy().contains("lvp_icd"))?;
    path.to_str().map(str::to_owned)
}

/// Whether the system has a font for a language; on Linux fontconfig says so.
fn has_font(language: &str) -> bool {
    let mut command = Command::new("fc-list");
    command.arg(format!(":lang={language}"));
    let output = command.stderr(Stdio::null()).output();
    cfg!(any(windows, target_os = "macos")) || output.is_ok_and(|it| !it.stdout.is_empty())
}
