//! Every reader of a user's files.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use canopy::app::Settings;
use canopy::checks::Spelling;
use canopy::contrastive;
use canopy::corpus::survey::{Material, survey};
use canopy::corpus::{Corpus, Split, read_contexts};
use canopy::interchange::{self, Archive};
use canopy::jobs::Project;
use canopy::judgement::Judgement;
use canopy::memory::{Shortlist, TranslationMemory, Vocabularies};
use canopy::terms::{TermIndex, Termbase};
use canopy::text::document::{Document, Format, ReadingOptions};
use canopy::text::pseudo::Pseudo;
use canopy::text::vocabulary::Vocabulary;
use canopy::tokenizers::ModelTokenizer;
use canopy::trace;
use canopy::training::sweep::Sweep;
use canopy::training::{Curves, TrainingConfig};
use canopy::weights::{ModelFolder, read_tensors};

use super::seeds::{self, Seed};
use super::{Read, files, office};
use crate::support::tiny;

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(tiny::vocabulary);

type Seeds = fn() -> Vec<Seed>;

/// Name, files, the reader, and how many times fewer files it gets than others.
pub const READERS: &[(&str, Seeds, Read, u64)] = &[
    ("html", seeds::html, document, 1),
    ("markdown", seeds::markdown, document, 1),
    ("text", seeds::text, document, 1),
    ("docx", office::docx, document, 1),
    ("pptx", office::pptx, document, 1),
    ("xlsx", office::xlsx, document, 1),
    ("odt", office::odt, document, 1),
    ("ods", office::ods, document, 1),
    ("odp", office::odp, document, 1),
    ("epub", office::epub, document, 1),
    ("idml", seeds::idml, document, 1),
    ("pdf", seeds::pdf, document, 1),
    ("xliff", seeds::xliff, document, 1),
    ("dita", seeds::dita, document, 1),
    ("docbook", seeds::docbook, document, 1),
    ("mallard", seeds::mallard, document, 1),
    ("srt", seeds::srt, document, 1),
    ("vtt", seeds::vtt, document, 1),
    ("ass", seeds::ass, document, 1),
    ("latex", seeds::latex, document, 1),
    ("rst", seeds::rst, document, 1),
    ("asciidoc", seeds::asciidoc, document, 1),
    ("po", seeds::po, document, 1),
    ("json", seeds::json, document, 1),
    ("arb", seeds::arb, document, 1),
    ("xcstrings", seeds::xcstrings, document, 1),
    ("strings", seeds::strings, document, 1),
    ("stringsdict", seeds::strings_dict, document, 1),
    ("resx", seeds::resx, document, 1),
    ("properties", seeds::properties, document, 1),
    ("fluent", seeds::fluent, document, 1),
    ("yaml", seeds::yaml, document, 1),
    ("android", seeds::android, document, 1),
    ("qt", seeds::qt, document, 1),
    ("csv", seeds::csv, document, 1),
    ("tsv", seeds::tsv, document, 1),
    ("memory of tmx", seeds::tmx, memory, 1),
    ("memory of xliff", seeds::xliff, memory, 1),
    ("memory of po", seeds::po, memory, 1),
    ("shortlist", seeds::shortlist, shortlist, 1),
    ("lexical table", seeds::lexical_table, lexical_table, 1),
    ("survey of tmx", seeds::tmx, material, 1),
    ("survey of tsv", seeds::tsv, material, 1),
    ("termbase", seeds::termbase, termbase, 1),
    ("corpus", files::corpus, corpus, 1),
    (
        "contexts",
        files::contexts,
        |path| read_contexts(path).is_ok(),
        1,
    ),
    (
        "contrastive set",
        files::contrastive_set,
        |path| contrastive::open(path, None).is_ok(),
        1,
    ),
    (
        "judgement",
        files::judgement,
        |path| Judgement::open(path).is_ok(),
        1,
    ),
    (
        "dictionary",
        files::dictionary,
        |path| Spelling::open(path).is_ok(),
        1,
    ),
    ("model folder", files::model, model, 1),
    (
        "tensors",
        files::tensors,
        |path| read_tensors(path).is_ok(),
        1,
    ),
    ("model of CTranslate2", files::ctranslate2, imported, 10),
    ("model of Marian", files::marian, imported, 10),
    ("model of Hugging Face", files::hugging_face, imported, 10),
    ("archive of a model", files::archives, unpacked, 10),
    ("model of pickles", files::pickles, imported, 10),
    ("trace", files::trace, traced, 1),
    (
        "project",
        files::project,
        |path| Project::read(path).is_ok(),
        1,
    ),
    (
        "settings",
        files::settings,
        |path| {
            Settings::read(path);
            true
        },
        1,
    ),
    (
        "training configuration",
        files::training_config,
        |path| TrainingConfig::open(path).is_ok(),
        1,
    ),
    ("sweep", files::sweep, |path| Sweep::open(path).is_ok(), 1),
    (
        "run",
        files::run,
        |path| Curves::read(folder(path)).is_ok(),
        1,
    ),
];

fn folder(path: &Path) -> &Path {
    path.parent().expect("a folder")
}

/// Reads a document and writes it back as it is and translated.
pub fn document(path: &Path) -> bool {
    let bytes = std::fs::read(path).expect("readable");
    let Some(format) = Format::from_content(path, &bytes) else {
        return false;
    };
    let read = Document::from_bytes_with("a", format, bytes, &ReadingOptions::default());
    let Ok(document) = read else { return false };
    let mut translations = vec![None; document.sentences.len()];
    document.written(&translations, Some("de")).ok();
    for (translation, sentence) in translations.iter_mut().zip(&document.sentences) {
        *translation = Some(Pseudo::Accents.translated(&sentence.text));
    }
    document.written(&translations, Some("de")).ok();
    true
}

fn memory(path: &Path) -> bool {
    let memory = TranslationMemory::read(path, "en", "de");
    memory.is_ok_and(|memory| {
        memory.best("One word.");
        true
    })
}

fn shortlist(path: &Path) -> bool {
    let vocabularies = Vocabularies {
        source: 4,
        target: 9,
        are_joint: true,
        digest: 0,
    };
    let read = Shortlist::read(path, &*VOCABULARY, tiny::VOCAB);
    let read = read.map(|list| list.fitted(vocabularies));
    matches!(read, Ok(Ok(list)) if !list.words([0, 3], [2, 9]).is_empty())
}

fn lexical_table(path: &Path) -> bool {
    let read = Shortlist::read(path, &*VOCABULARY, tiny::VOCAB);
    read.is_ok_and(|list| !list.words([300], [2, tiny::VOCAB]).is_empty())
}

fn material(path: &Path) -> bool {
    let material = Material::from_path(path).expect("of its ending");
    survey(&material, None, |_| ControlFlow::Continue(())).is_ok()
}

fn termbase(path: &Path) -> bool {
    let terms = Termbase::read(path, "en", "de");
    terms.is_ok_and(|terms| {
        TermIndex::new(Arc::new(terms)).find("The cell of a row.");
        true
    })
}

fn corpus(path: &Path) -> bool {
    let Ok(corpus) = Corpus::open(folder(path)) else {
        return false;
    };
    [Split::Train, Split::Dev, Split::Test]
        .iter()
        .all(|&split| {
            // The first damaged document ends it.
            let documents = corpus
                .documents(split)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>);
            documents.is_ok()
        })
}

fn model(path: &Path) -> bool {
    let folder = folder(path);
    let description = ModelFolder::open(folder);
    let model = description.and_then(|it| it.load(folder, &tiny::device()));
    ModelTokenizer::open(folder).is_ok() && model.is_ok()
}

fn imported(path: &Path) -> bool {
    let archive = Archive::open(folder(path));
    let model = archive.and_then(|mut archive| interchange::open(&mut archive));
    model.is_ok_and(|mut model| model.load(path, &tiny::device()).is_ok())
}

fn unpacked(path: &Path) -> bool {
    let to = tempfile::tempdir().expect("a folder");
    let archive = Archive::open(path);
    let mut go_on = |_: u64| ControlFlow::Continue(());
    archive.is_ok_and(|mut archive| archive.unpack(to.path(), &mut go_on).is_ok())
}

fn traced(path: &Path) -> bool {
    let Ok(trace) = trace::open(path) else {
        return false;
    };
    for map in 0..trace.num_maps() {
        trace.map(map).ok();
    }
    trace.trace().is_ok()
}
