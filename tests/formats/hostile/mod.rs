//! Hostile input: damaged files of every kind are read, or refused in words; without a panic, in time and in memory.
//!
//! Each reader gets 2,000 damaged files, or as many as `CANOPY_CASES` says (readers of whole models a tenth), the same ones
//! in every run, beginning at `CANOPY_FIRST_CASE`; real files of up to 24,000 bytes are damaged, or of `CANOPY_LARGEST`. A
//! file that a reader fails on is kept and its path printed. Each reader has a process of its own, whose memory is counted.

mod allocations;
mod files;
mod office;
mod readers;
mod seeds;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use tempfile::TempDir;

use readers::READERS;
use seeds::Seed;

use crate::support::alone::alone;
use crate::support::mutation::Mutator;

/// Damaged files for each reader.
const CASES: u64 = 2_000;

/// A reader that takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// How many bytes may be allocated for each one of a file, and for whatever file.
const BYTES_PER_BYTE: usize = 20;
const BYTES_BESIDE: usize = 64 << 20;

/// Reads what may be damaged, a file with this path in a folder of its own; true if it is accepted.
type Read = fn(&Path) -> bool;

fn number_from_env(name: &str, otherwise: u64) -> u64 {
    let number = env::var(name).ok().and_then(|text| text.parse().ok());
    number.unwrap_or(otherwise)
}

/// The file that is read and since when; none between two files.
type Watched = Arc<Mutex<Option<(PathBuf, Instant)>>>;

/// Ends the process if a reader hangs.
fn watch(reader: &'static str) -> Watched {
    let watched = Watched::default();
    let own = Arc::downgrade(&watched);
    thread::spawn(move || {
        while let Some(watched) = own.upgrade() {
            let reading = watched
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            if let Some((path, begun)) = reading
                && begun.elapsed() > PATIENCE
            {
                eprintln!("{reader} hangs in {}", path.display());
                process::abort();
            }
            drop(watched);
            thread::sleep(Duration::from_secs(1));
        }
    });
    watched
}

/// Writes a file anew: to cut one off and fill it again makes file systems wait for the disk.
fn rewrite(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).ok();
    fs::write(path, bytes).expect("written");
}

/// One seed, laid out in a folder.
fn laid_out(seed: &Seed) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in &seed.files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("written");
    }
    folder
}

/// Keeps what a reader failed on.
fn kept(path: &Path, bytes: &[u8]) -> PathBuf {
    let copy = tempfile::tempdir().expect("a folder").keep();
    let copy = copy.join(path.file_name().expect("a name"));
    fs::write(&copy, bytes).expect("written");
    copy
}

fn try_all(name: &'static str, seeds: &[Seed], (read, cost): (Read, u64)) {
    let first = number_from_env("CANOPY_FIRST_CASE", 0);
    let cases = first..first + number_from_env("CANOPY_CASES", CASES) / cost;
    let watched = watch(name);
    let folders: Vec<TempDir> = seeds.iter().map(laid_out).collect();
    let mut sound = 0;
    for (seed, folder) in seeds.iter().zip(&folders) {
        let is_read = read(&folder.path().join(&seed.files[0].0));
        assert!(
            is_read || seed.is_doubtful,
            "{name}: {} is sound, but refused",
            seed.files[0].0
        );
        sound += usize::from(is_read);
    }
    assert!(sound > 0, "{name}: no file is read as it is");
    let begun_all = Instant::now();
    let (mut slowest, mut largest, mut accepted) = ((Duration::ZERO, 0), 0, 0);
    for case in cases {
        let number = usize::try_from(case).expect("small") % seeds.len();
        let (seed, folder) = (&seeds[number], &folders[number]);
        let mut mutator = Mutator::new(case);
        let file = &seed.files[mutator.below(seed.damaged)];
        let path = folder.path().join(&file.0);
        let bytes = mutator.mutated(&file.1);
        rewrite(&path, &bytes);
        let begun = Instant::now();
        let watch = |reading| *watched.lock().unwrap_or_else(PoisonError::into_inner) = reading;
        watch(Some((path.clone(), begun)));
        let (outcome, peak) = allocations::peak_of(|| {
            catch_unwind(AssertUnwindSafe(|| {
                read(&folder.path().join(&seed.files[0].0))
            }))
        });
        watch(None);
        slowest = slowest.max((begun.elapsed(), case));
        let size: usize = seed.files.iter().map(|(_, bytes)| bytes.len()).sum();
        let allowed = BYTES_PER_BYTE * size.max(bytes.len()) + BYTES_BESIDE;
        largest = largest.max(peak);
        accepted += usize::from(matches!(outcome, Ok(true)));
        if outcome.is_err() || peak > allowed {
            let copy = kept(&path, &bytes);
            let failure = if outcome.is_err() {
                "panics"
            } else {
                "takes too much memory"
            };
            panic!(
                "case {case}: {name} {failure} ({peak} bytes for {}): {}",
                bytes.len(),
                copy.display()
            );
        }
        rewrite(&path, &file.1);
    }
    let secs = begun_all.elapsed().as_secs_f32();
    println!(
        "{name}: {accepted} accepted in {secs:.1} s, the slowest {slowest:?}, at most {} KiB",
        largest >> 10
    );
}

/// A test of every reader.
macro_rules! tests {
    ($($(#[$attribute:meta])* $test:ident => $reader:literal,)*) => {
        $(
            #[test]
            $(#[$attribute])*
            fn $test() {
                alone(concat!("hostile::", stringify!($test)), || {
                    let (name, seeds, read, cost) = READERS.iter().find(|it| it.0 == $reader).expect("a reader");
                    try_all(name, &seeds(), (*read, *cost));
                });
            }
        )*

        #[test]
        fn every_reader_has_its_test() {
            let tested = [$($reader),*];
            let untested = READERS.iter().filter(|it| !tested.contains(&it.0));
            assert_eq!(untested.map(|it| it.0).collect::<Vec<_>>(), [""; 0]);
        }
    };
}

tests! {
    html => "html",
    markdown => "markdown",
    text => "text",
    docx => "docx",
    pptx => "pptx",
    xlsx => "xlsx",
    odt => "odt",
    ods => "ods",
    odp => "odp",
    epub => "epub",
    idml => "idml",
    pdf => "pdf",
    xliff => "xliff",
    dita => "dita",
    docbook => "docbook",
    mallard => "mallard",
    srt => "srt",
    vtt => "vtt",
    ass => "ass",
    latex => "latex",
    rst => "rst",
    asciidoc => "asciidoc",
    po => "po",
    json => "json",
    arb => "arb",
    xcstrings => "xcstrings",
    strings => "strings",
    stringsdict => "stringsdict",
    resx => "resx",
    properties => "properties",
    fluent => "fluent",
    yaml => "yaml",
    android => "android",
    qt => "qt",
    csv => "csv",
    tsv => "tsv",
    memory_of_tmx => "memory of tmx",
    memory_of_xliff => "memory of xliff",
    memory_of_po => "memory of po",
    shortlist => "shortlist",
    lexical_table => "lexical table",
    survey_of_tmx => "survey of tmx",
    survey_of_tsv => "survey of tsv",
    termbase => "termbase",
    corpus => "corpus",
    contexts => "contexts",
    contrastive_set => "contrastive set",
    judgement => "judgement",
    dictionary => "dictionary",
    model_folder => "model folder",
    tensors => "tensors",
    #[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
    model_of_ctranslate2 => "model of CTranslate2",
    #[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
    model_of_marian => "model of Marian",
    model_of_hugging_face => "model of Hugging Face",
    archive_of_a_model => "archive of a model",
    #[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
    model_of_pickles => "model of pickles",
    trace => "trace",
    project => "project",
    settings => "settings",
    training_configuration => "training configuration",
    sweep => "sweep",
    run => "run",
}
