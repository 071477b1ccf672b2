//! Translations of the training pairs by the first stage itself: a system that reads translations gets no better ones in use.
//!
//! Maruf et al. 2019 train with the translations of the sentence-level model, as their program computes them. Drafts are written
//! once for a corpus and a model, and kept in the corpus folder.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use burn::tensor::Device;

use super::base::Base;
use super::batch::ExampleSet;
use super::config::TrainingConfig;
use super::control::Order;
use super::data::TrainingData;
use super::event::Phase;
use super::reporter::Reporter;
use crate::error::{BaseError, Error, Result};
use canopy_base::digest::digest_of_files;
use canopy_base::file::write_atomically;
use canopy_corpus::Corpus;
use canopy_kernels::packed::Quantization;
use canopy_nn::model::{Context, Preset};
use canopy_nn::search::{SearchOptions, SourceFrame, SourceSentence, SourceText, search_sentences};
use canopy_translate::inference::imported_files;

/// Folder of drafts in that of the corpus.
const DRAFTS: &str = "drafts";

/// Refuses drafts for a run that has none to read.
///
/// # Errors
/// With the setting.
pub(super) fn check(config: &TrainingConfig, preset: &Preset) -> Result<()> {
    if config.draft_share == 0.0 {
        return Ok(());
    }
    let model = preset.config(config.vocab_size);
    let reads = model.previous_translations > 0 || model.context.is_some_and(Context::is_bilingual);
    let allowed = if !reads {
        format!("0, since {} reads no translations", preset.name)
    } else if config.from.as_os_str().is_empty() {
        "0 without a model to begin with (from), which writes them".to_owned()
    } else if config.copied_words > 0.0 {
        "0 with copied_words, whose copies are not drafts".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Base(BaseError::Config {
        field: "draft_share",
        found: config.draft_share.to_string(),
        allowed,
    }))
}

/// A draft of each training pair, by the model that the run begins with: those next to the corpus, or new ones, which are
/// put there. None if the run is ended meanwhile.
///
/// # Errors
/// If the model or a file cannot be read, or the drafts cannot be written.
pub(super) fn prepare(
    config: &TrainingConfig,
    data: &TrainingData,
    device: &Device,
    reporter: &mut Reporter,
) -> Result<Option<Vec<Vec<u32>>>> {
    let path = path(config, &data.corpus)?;
    if let Some(drafts) = kept(&path, data.train.examples.len()) {
        return Ok(Some(drafts));
    }
    reporter.phase(Phase::Draft)?;
    let (_, model, tokenizer) = Base::read(&config.from, &data.corpus, &device.clone().inner())?;
    let model = model.packed_as(Quantization::None);
    model.read_packed()?;
    let text = text(&data.train);
    let options = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    let mut drafts = vec![Vec::new(); text.sentences.len()];
    let device_lock = reporter.device_lock();
    let mut device_lock = device_lock.take();
    let mut is_ended = false;
    let searched = search_sentences(
        &model,
        &*tokenizer,
        &text,
        &options,
        &mut |number, found| {
            drafts[number] = found.ids;
            drafts[number].truncate(data.longest());
            device_lock.pass();
            is_ended = matches!(reporter.order(), Order::Stop | Order::Abandon);
            if is_ended {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    );
    drop(device_lock);
    searched.map_err(|broken| broken.into_error(&text, &*tokenizer))?;
    if is_ended {
        return Ok(None);
    }
    let folder = path.parent().unwrap_or(&path);
    std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
    let lines = drafts.iter().map(|ids| {
        let words = ids.iter().map(ToString::to_string);
        words.collect::<Vec<_>>().join(" ") + "\n"
    });
    write_atomically(&path, lines.collect::<String>().as_bytes(), true)?;
    Ok(Some(drafts))
}

/// The file of the drafts of this corpus by this model: as many lines of ids as there are pairs.
fn path(config: &TrainingConfig, corpus: &Corpus) -> Result<PathBuf> {
    let files = imported_files(&config.from).unwrap_or_else(|| config.from.clone());
    let mut files: Vec<PathBuf> = if files.is_dir() {
        let entries = std::fs::read_dir(&files).map_err(Error::read(&files))?;
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        paths.filter(|path| path.is_file()).collect()
    } else {
        vec![files]
    };
    files.sort();
    let (texts, model) = (corpus.digest()?, digest_of_files(&files)?);
    let name = format!("{}-{}.ids", &texts[..16], &model[..16]);
    Ok(corpus.folder().join(DRAFTS).join(name))
}

/// The drafts of a file, if it is whole.
fn kept(path: &Path, pairs: usize) -> Option<Vec<Vec<u32>>> {
    let text = std::fs::read_to_string(path).ok()?;
    let ids = |line: &str| line.split_whitespace().map(|id| id.parse().ok()).collect();
    let drafts: Option<Vec<Vec<u32>>> = text.lines().map(ids).collect();
    drafts.filter(|drafts| drafts.len() == pairs)
}

/// The source sentences of all pairs that others may read.
fn text(set: &ExampleSet) -> SourceText {
    let sentence = |number: usize| {
        let example = &set.examples[number];
        SourceSentence {
            ids: example.own_source(&set.special).to_vec(),
            position: example.place,
        }
    };
    SourceText {
        sentences: (0..set.examples.len()).map(sentence).collect(),
        documents: set.documents.clone(),
        wanted: {
            let documents = set.documents.iter().filter(|document| document.len() > 1);
            documents.cloned().flatten().collect()
        },
        headings: set
            .examples
            .iter()
            .map(|example| example.headings)
            .collect(),
        frame: SourceFrame::from_special_ids(&set.special),
        ..SourceText::default()
    }
}
