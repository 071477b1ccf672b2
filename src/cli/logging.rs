//! The log: what the program does and why, for those who look for a fault.
//!
//! Spans and events name files, models, devices, counts and times, no texts of documents. Nothing is written unless a
//! user requests it on the command line; the window writes a file in its data folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::time::{SystemTime, uptime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt as lines};

use crate::error::{BaseError, Result};
use canopy_base::panics::{record_panics, set_log_file};

/// Directives that are added to those of `--verbose`, such as `canopy_train=debug,wgpu=info`.
const LOG_VARIABLE: &str = "CANOPY_LOG";

/// Bytes after which a file of the log is full.
const FULL: u64 = 2 << 20;

/// Starts the log of this process and has the places of panics recorded; call it once, first thing.
///
/// Standard error gets what `verbosity` (how often `--verbose` was given) and the variable [`LOG_VARIABLE`] select; `file`
/// gets at least what one `--verbose` shows. A file that cannot be written is done without.
///
/// # Errors
/// If the directives of the variable cannot be read.
pub(super) fn start_log(verbosity: u8, file: Option<PathBuf>) -> Result<()> {
    let directives = std::env::var(LOG_VARIABLE).unwrap_or_default();
    let directives = directives.trim();
    let to_terminal = if verbosity > 0 || !directives.is_empty() {
        let layer = lines::layer()
            .with_timer(uptime())
            .with_span_events(FmtSpan::CLOSE)
            .with_writer(io::stderr)
            // Where standard error is no longer read, the work continues.
            .log_internal_errors(false);
        Some(layer.with_filter(filter(verbosity, directives)?))
    } else {
        None
    };
    let file = file.and_then(|path| RotatingFile::open(path, FULL).ok());
    if let Some(file) = &file {
        set_log_file(file.path.clone());
    }
    let is_to_file = file.is_some();
    let to_file = match file {
        Some(file) => {
            let layer = lines::layer()
                .with_timer(SystemTime)
                .with_span_events(FmtSpan::CLOSE)
                .with_writer(Mutex::new(file))
                .log_internal_errors(false);
            Some(layer.with_filter(filter(verbosity.max(1), directives)?))
        }
        None => None,
    };
    if to_terminal.is_some() || is_to_file {
        let log = tracing_subscriber::registry()
            .with(to_terminal)
            .with(to_file);
        // An existing log, as in a test, stays.
        let _ = log.try_init();
        tracing::info!("{}", about());
    }
    record_panics();
    Ok(())
}

/// The levels that are shown: our own by `verbosity`, those of libraries from warnings on; `directives` change them.
fn filter(verbosity: u8, directives: &str) -> Result<EnvFilter> {
    let ours = match verbosity {
        0 => "",
        1 => "warn,canopy=info",
        2 => "warn,canopy=debug",
        _ => "info,canopy=trace",
    };
    let all = [ours, directives].map(str::to_owned);
    let all: Vec<String> = all.into_iter().filter(|it| !it.is_empty()).collect();
    let parsed = EnvFilter::builder().parse(all.join(","));
    Ok(parsed.map_err(|cause| BaseError::Config {
        field: LOG_VARIABLE,
        found: format!("{directives:?} ({cause})"),
        allowed:
            "a level, or levels by module, such as canopy=debug or canopy_train=trace,wgpu=info"
                .to_owned(),
    })?)
}

/// Version, system and processor.
fn about() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "Canopy {}, {}, {}, {cores} cores",
        env!("CARGO_PKG_VERSION"),
        system(),
        std::env::consts::ARCH
    )
}

/// The name and version of the system, as far as it reports them.
fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map(|name| name.trim_matches('"').to_owned());
    name.unwrap_or_else(|| std::env::consts::OS.to_owned())
}

/// The file of this run and the one before it, or before it was full: `canopy.log` and `canopy.old.log`.
struct RotatingFile {
    path: PathBuf,
    file: File,
    written: u64,
    full: u64,
}

impl RotatingFile {
    /// Begins a new file; the existing one becomes the old one.
    fn open(path: PathBuf, full: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(Self {
            file: begun(&path)?,
            path,
            written: 0,
            full,
        })
    }
}

/// Moves the file away and makes an empty one.
fn begun(path: &Path) -> io::Result<File> {
    if path.exists() {
        fs::rename(path, path.with_extension("old.log"))?;
    }
    File::create(path)
}

impl Write for RotatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written >= self.full {
            self.file = begun(&self.path)?;
            let old = self.path.with_extension("old.log");
            let first = format!("{}; continues {}\n", about(), old.display());
            self.file.write_all(first.as_bytes())?;
            self.written = first.len() as u64;
        }
        let written = self.file.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_of_the_run_before_is_kept_and_none_of_earlier_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data").join("canopy.log");
        for run in ["first", "second", "third"] {
            let mut file = RotatingFile::open(path.clone(), FULL).expect("a log");
            file.write_all(run.as_bytes()).expect("written");
        }
        let read = |path: &Path| fs::read_to_string(path).expect("a log");
        assert_eq!(read(&path), "third");
        assert_eq!(read(&path.with_extension("old.log")), "second");
        let files = fs::read_dir(path.parent().expect("a folder")).expect("readable");
        assert_eq!(files.count(), 2);
    }

    #[test]
    fn a_long_run_keeps_its_newest_lines_within_two_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("canopy.log");
        let mut file = RotatingFile::open(path.clone(), 1_000).expect("a log");
        for line in 0..500 {
            writeln!(file, "line {line} of a long run").expect("written");
        }
        let read = |path: &Path| fs::read_to_string(path).expect("a log");
        let (new, old) = (read(&path), read(&path.with_extension("old.log")));
        assert!(new.starts_with("Canopy "), "{new}");
        assert!(new.ends_with("line 499 of a long run\n"), "{new}");
        assert!(new.len() < 1_100 && old.len() < 1_100);
        let last_of_old: usize = {
            let last = old.lines().last().expect("a line");
            let number = last.split(' ').nth(1).expect("a number");
            number.parse().expect("a number")
        };
        let next = format!("line {} ", last_of_old + 1);
        assert!(new.contains(&next), "nothing is lost between them");
    }

    #[test]
    fn directives_that_cannot_be_read_are_refused_with_an_example() {
        let error = filter(0, "canopy=loud").expect_err("no level");
        let message = error.to_string();
        assert!(
            message.contains("CANOPY_LOG") && message.contains("canopy=debug"),
            "{message}"
        );
        for directives in [
            "debug",
            "canopy_train=trace,wgpu=info",
            "canopy[open]=debug",
        ] {
            filter(2, directives).expect("directives");
        }
    }

    #[test]
    fn the_log_begins_with_version_and_system() {
        let about = about();
        assert!(
            about.starts_with(concat!("Canopy ", env!("CARGO_PKG_VERSION"), ", ")),
            "{about}"
        );
        assert!(about.ends_with(" cores"), "{about}");
    }
}
