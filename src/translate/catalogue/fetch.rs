//! One file of a model: from its host to the disk, resumed where it was broken off, and unpacked.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use ureq::Body;
use ureq::http::{HeaderMap, Response, StatusCode};

use super::model::{CatalogueFile, Source};
use super::web::{self, Fault};

/// Attempts in a row that bring nothing new.
const ATTEMPTS: u32 = 5;

const FIRST_PAUSE: Duration = Duration::from_millis(300);

/// Maximum bytes of a file: no model has larger ones.
pub(super) const MOST_BYTES: u64 = 64 << 30;

/// Bytes that stay free on the disk.
const SPARE: u64 = 64 << 20;

/// Between two looks at the disk.
pub(super) const STEP: u64 = 32 << 20;

/// A transfer that brings less in this time has broken down.
const SLOWEST: (u64, Duration) = (1024, Duration::from_mins(1));

/// State of a partial download.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Arriving {
    address: String,
    /// A strong ETag or a date, by which the host knows that the file is still the same.
    validator: Option<String>,
}

/// Called with the number of bytes that have arrived, and the size of the file if it is known.
pub(super) type Progress<'a> = &'a mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>;

/// A file on its way.
pub(super) struct Transfer<'a> {
    pub file: &'a CatalogueFile,
    /// Where it arrives.
    pub part: PathBuf,
}

/// How a transfer ends if nothing goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Whole {
        /// Whether a part of it had come before.
        resumed: bool,
    },
    Cancelled,
}

impl Transfer<'_> {
    /// Brings all of the file to the disk, with as many attempts as bring something.
    pub(crate) fn run(&self, progress: Progress<'_>) -> Result<Ended, Fault> {
        let address = match &self.file.source {
            Source::Web(address) => address,
            Source::Local(path) => return self.copy(path, progress),
        };
        let resumed = self.arrived() > 0;
        let (mut attempts, mut pause) = (0, FIRST_PAUSE);
        loop {
            let before = self.arrived();
            let lost = match self.attempt(address, progress) {
                Err(Fault::Lost(reason)) => reason,
                Ok(ControlFlow::Break(())) => return Ok(Ended::Cancelled),
                Ok(ControlFlow::Continue(())) => return Ok(Ended::Whole { resumed }),
                Err(fault) => return Err(fault),
            };
            if self.arrived() > before {
                (attempts, pause) = (0, FIRST_PAUSE);
            }
            attempts += 1;
            if attempts >= ATTEMPTS {
                return Err(Fault::Lost(lost));
            }
            if self.wait(pause, progress).is_break() {
                return Ok(Ended::Cancelled);
            }
            pause *= 2;
        }
    }

    /// Bytes that are on the disk.
    pub(crate) fn arrived(&self) -> u64 {
        fs::metadata(&self.part).map_or(0, |about| about.len())
    }

    /// Deletes what has arrived.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_file(&self.part);
        let _ = fs::remove_file(self.note());
    }

    fn note(&self) -> PathBuf {
        self.part.with_added_extension("json")
    }

    fn wait(&self, pause: Duration, progress: Progress<'_>) -> ControlFlow<()> {
        let until = Instant::now() + pause;
        while Instant::now() < until {
            progress(self.arrived(), None)?;
            std::thread::sleep(Duration::from_millis(50));
        }
        ControlFlow::Continue(())
    }

    fn attempt(&self, address: &str, progress: Progress<'_>) -> Result<ControlFlow<()>, Fault> {
        let known = self.known(address);
        let arrived = self.arrived();
        // Without a sign that it is still the same file, or a hash to verify it, it begins anew.
        let validator = known.as_ref().and_then(|it| it.validator.as_deref());
        let can_go_on = validator.is_some() || known.is_some() && self.file.sha256.is_some();
        let from = (arrived > 0 && can_go_on).then_some(web::From {
            offset: arrived,
            validator,
        });
        let answer = web::open(address, from)?;
        if answer.status() == StatusCode::RANGE_NOT_SATISFIABLE {
            return self.beyond_the_end(&answer, arrived);
        }
        let goes_on = answer.status() == StatusCode::PARTIAL_CONTENT;
        let (offset, total) = if goes_on {
            let (start, total) = content_range(answer.headers())
                .filter(|(start, _)| Some(*start) == from.map(|from| from.offset))
                .ok_or_else(|| {
                    self.forget();
                    Fault::Lost("the host sends another part than was requested".to_owned())
                })?;
            (start, total)
        } else {
            self.forget();
            (0, content_length(answer.headers()))
        };
        self.check_size(total)?;
        self.keep_note(address, answer.headers())?;
        self.receive(answer, offset, total, progress)
    }

    /// All of it has come already, or the host has a shorter file now.
    fn beyond_the_end(
        &self,
        answer: &Response<Body>,
        arrived: u64,
    ) -> Result<ControlFlow<()>, Fault> {
        let range = answer.headers().get("content-range");
        let total = range.and_then(|it| it.to_str().ok()?.strip_prefix("bytes */")?.parse().ok());
        if total == Some(arrived) {
            return Ok(ControlFlow::Continue(()));
        }
        self.forget();
        Err(Fault::Lost("the file at the host has changed".to_owned()))
    }

    /// Checks the size that the host reports against that of the list.
    fn check_size(&self, total: Option<u64>) -> Result<(), Fault> {
        let Some(total) = total else {
            return Ok(());
        };
        let listed = self.file.num_bytes.filter(|_| !self.file.is_gzip);
        if let Some(listed) = listed.filter(|listed| *listed != total) {
            return Err(Fault::Final(format!(
                "the list says that it has {listed} bytes, but the host has {total}"
            )));
        }
        if total > MOST_BYTES {
            return Err(Fault::Final(format!(
                "it has {total} bytes, more than any file of a model ({MOST_BYTES})"
            )));
        }
        Ok(())
    }

    fn receive(
        &self,
        mut answer: Response<Body>,
        offset: u64,
        total: Option<u64>,
        progress: Progress<'_>,
    ) -> Result<ControlFlow<()>, Fault> {
        let written = |cause: std::io::Error| Fault::Final(format!("cannot write it: {cause}"));
        let mut options = OpenOptions::new();
        let mut to = options
            .create(true)
            .append(true)
            .open(&self.part)
            .map_err(written)?;
        let needed = total.map_or(STEP, |total| total.saturating_sub(offset));
        check_space(&self.part, needed)?;
        let mut from = answer.body_mut().as_reader();
        let mut buffer = vec![0; 1 << 16];
        let (mut done, mut looked) = (offset, offset);
        let mut mark = (done, Instant::now());
        loop {
            if progress(done, total).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            let length = from
                .read(&mut buffer)
                .map_err(|cause| web::reading_fault(&cause))?;
            if length == 0 {
                break;
            }
            done += length as u64;
            self.check_done(done, total)?;
            to.write_all(&buffer[..length]).map_err(written)?;
            if done > looked + STEP {
                looked = done;
                check_space(&self.part, total.map_or(STEP, |total| total - done))?;
            }
            check_pace(&mut mark, done)?;
        }
        match total {
            Some(total) if done < total => Err(Fault::Lost(format!(
                "the connection broke after {done} of {total} bytes"
            ))),
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    /// Nothing sends more than it said it would.
    fn check_done(&self, done: u64, total: Option<u64>) -> Result<(), Fault> {
        let listed = self.file.num_bytes.filter(|_| !self.file.is_gzip);
        let most = total.or(listed).unwrap_or(MOST_BYTES);
        if done <= most {
            return Ok(());
        }
        Err(Fault::Final(format!(
            "the host sends more than {most} bytes"
        )))
    }

    fn known(&self, address: &str) -> Option<Arriving> {
        let text = fs::read_to_string(self.note()).ok()?;
        let known: Arriving = serde_json::from_str(&text).ok()?;
        (known.address == address).then_some(known)
    }

    fn keep_note(&self, address: &str, headers: &HeaderMap) -> Result<(), Fault> {
        let of = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
        let strong = of("etag").filter(|tag| !tag.starts_with("W/"));
        let known = Arriving {
            address: address.to_owned(),
            validator: strong.or_else(|| of("last-modified")),
        };
        let text = serde_json::to_string(&known).unwrap_or_default();
        fs::write(self.note(), text)
            .map_err(|cause| Fault::Final(format!("cannot write next to it: {cause}")))
    }

    /// A file of this machine, in an office without internet.
    fn copy(&self, path: &Path, progress: Progress<'_>) -> Result<Ended, Fault> {
        let failed = |cause: std::io::Error| Fault::Final(format!("cannot copy it: {cause}"));
        let mut from = File::open(path).map_err(failed)?;
        let total = from.metadata().map_err(failed)?.len();
        self.check_size(Some(total))?;
        check_space(&self.part, total)?;
        let mut to = File::create(&self.part).map_err(failed)?;
        let (mut done, mut buffer) = (0, vec![0; 1 << 20]);
        loop {
            if progress(done, Some(total)).is_break() {
                return Ok(Ended::Cancelled);
            }
            let length = from.read(&mut buffer).map_err(failed)?;
            if length == 0 {
                return Ok(Ended::Whole { resumed: false });
            }
            to.write_all(&buffer[..length]).map_err(failed)?;
            done += length as u64;
        }
    }
}

/// Whether a number of bytes fit on the disk of a path.
pub(super) fn check_space(path: &Path, needed: u64) -> Result<(), Fault> {
    let folder = super::place::folder_of(path);
    let Ok(free) = fs4::available_space(folder) else {
        return Ok(());
    };
    if free >= needed.saturating_add(SPARE) {
        return Ok(());
    }
    Err(Fault::Final(format!(
        "the disk has {} MB free, and {} MB are needed: make room on it",
        free / 1_000_000,
        needed.saturating_add(SPARE).div_ceil(1_000_000)
    )))
}

fn check_pace(mark: &mut (u64, Instant), done: u64) -> Result<(), Fault> {
    let (least, time) = SLOWEST;
    if mark.1.elapsed() < time {
        return Ok(());
    }
    if done - mark.0 < least {
        return Err(Fault::Lost(format!(
            "less than {least} bytes have come in {} s",
            time.as_secs()
        )));
    }
    *mark = (done, Instant::now());
    Ok(())
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers
        .get("content-length")?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// The first byte of an answer, and the size of the whole file.
fn content_range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let range = headers.get("content-range")?.to_str().ok()?;
    let (span, total) = range.strip_prefix("bytes ")?.split_once('/')?;
    let start = span.split_once('-')?.0.trim().parse().ok()?;
    Some((start, total.trim().parse().ok()))
}
