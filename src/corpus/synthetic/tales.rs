//! The task as a corpus: tales of animals, for the sample run.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::task::{Evidence, Order, Pairs, SyntheticSentence, Task, draw};
use super::words::{FILLERS, SOURCE_LANGUAGE, TARGET_LANGUAGE, source_text, target_text};
use crate::error::Result;
use crate::format::{Corpus, CorpusInfo, ParallelDocument};
use crate::split::Split;
use crate::unit::Unit;
use crate::writer::CorpusWriter;

/// The mark of such a corpus in `corpus.json`. The number counts changes of the words and of the counts below.
pub const ORIGIN: &str = "a synthetic language that Canopy made up, version 1, seed 1";

const SEED: u64 = 1;
/// Characters of a tale that is not for training.
const CAST: usize = 3;
/// Training tales of one, two and three characters. Most have one: what a title means is learned where there is
/// nothing to choose, and then where to look for it.
const TRAINING: [usize; CAST] = [5_000, 1_600, 1_200];
/// Others of each split.
const TALES: [(Split, usize); 2] = [(Split::Dev, 16), (Split::Test, 50)];

const TASK: Task = Task {
    evidence: Evidence::Source,
    order: Order::Anywhere,
    cast: CAST,
    mentions: 2,
    fillers: FILLERS,
};

/// Name of the corpus folder.
const NAME: &str = "sample tales";

/// Where the corpus goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaleImport {
    /// Folder of the new corpus.
    pub output: PathBuf,
}

impl TaleImport {
    /// The corpus below a folder of corpora: the existing one, or an unused name.
    pub fn below(corpora: &Path) -> Self {
        let numbered = (2..).map(|number| format!("{NAME} {number}"));
        let mut names = std::iter::once(NAME.to_owned()).chain(numbered);
        let is_ours = |folder: &Path| {
            let corpus = Corpus::open(folder);
            corpus.is_ok_and(|corpus| corpus.info().origin == ORIGIN)
        };
        let place = names.find_map(|name| {
            let folder = corpora.join(name);
            (!folder.exists() || is_ours(&folder)).then_some(folder)
        });
        Self {
            output: place.expect("there is no end of numbers"),
        }
    }

    /// Whether a folder has the name of such a corpus.
    pub fn is_place(folder: &Path) -> bool {
        let name = folder.file_name();
        name.is_some_and(|name| name.to_string_lossy().starts_with(NAME))
    }

    /// Writes the corpus, or opens the existing one; `progress` gets the numbers of tales done and in all, and may end
    /// it: then nothing is written and the result is `None`.
    ///
    /// # Errors
    /// If something else exists at its place, or it cannot be written.
    pub fn run(
        &self,
        mut progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Option<Corpus>> {
        if Corpus::is_one(&self.output) {
            let corpus = Corpus::open(&self.output)?;
            if corpus.info().origin == ORIGIN {
                return Ok(Some(corpus));
            }
        }
        let mut writer = CorpusWriter::create(&self.output, self.info(), false)?;
        let casts = (1..).zip(TRAINING);
        let training =
            casts.flat_map(|(cast, count)| std::iter::repeat_n((Split::Train, cast), count));
        let others = TALES.iter();
        let others = others.flat_map(|&(split, count)| std::iter::repeat_n((split, CAST), count));
        let tales: Vec<(Split, usize)> = training.chain(others).collect();
        let mut counts = [0; 3];
        for (number, &(split, cast)) in tales.iter().enumerate() {
            let count = &mut counts[split as usize];
            *count += 1;
            let id = format!("{} tale {count:04}", split.name());
            writer.add(split, tale(id, (split, cast), number))?;
            if number % 100 == 0 && progress(number, tales.len()).is_break() {
                return Ok(None);
            }
        }
        writer.finish().map(Some)
    }

    fn info(&self) -> CorpusInfo {
        let languages = [SOURCE_LANGUAGE, TARGET_LANGUAGE];
        CorpusInfo {
            licence: "CC0-1.0".to_owned(),
            ..CorpusInfo::new(&self.output, languages, ORIGIN.to_owned())
        }
    }
}

/// The tale of this number among all.
fn tale(id: String, (split, cast): (Split, usize), number: usize) -> ParallelDocument {
    let pairs = match split {
        Split::Train => Pairs::Training,
        Split::Dev | Split::Test => Pairs::HeldOut,
    };
    let sentences = draw(Task { cast, ..TASK }, pairs, 1, SEED, number as u64).concat();
    let unit = |sentence: &SyntheticSentence| {
        Unit::new(source_text(&sentence.source), target_text(&sentence.target))
    };
    let paragraphs = sentences.iter().map(unit).map(Into::into);
    ParallelDocument::flat(id, paragraphs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::decided_noun;

    #[test]
    fn the_corpus_is_written_once_and_nothing_else_is_replaced() {
        let home = tempfile::tempdir().expect("a folder");
        let import = TaleImport::below(home.path());
        let stopped = import.run(|_, _| ControlFlow::Break(()));
        assert!(stopped.expect("runs").is_none() && !import.output.exists());
        let mut calls = 0;
        let mut run = || {
            import.run(|_, _| {
                calls += 1;
                ControlFlow::Continue(())
            })
        };
        let corpus = run().expect("writes").expect("a corpus");
        let statistics = corpus.statistics();
        assert_eq!(statistics.test.segments, 50 * 3 * CAST);
        assert!(statistics.train.new_units() > 33_000, "{statistics:?}");
        assert_eq!(statistics.train.documents, 7_800);
        let documents = corpus.documents(Split::Test).expect("reads");
        let units = documents.flat_map(|it| it.expect("a document").paragraphs);
        let nouns = units.filter(|it| decided_noun(&it.units[0].target).is_some());
        assert_eq!(nouns.count(), 50 * 2 * CAST);
        run().expect("opens");
        assert_eq!(TaleImport::below(home.path()), import);
        assert_eq!(calls, 79, "the second time it is there");
        std::fs::write(import.output.join("corpus.json"), "{}").expect("a file");
        assert!(import.run(|_, _| ControlFlow::Continue(())).is_err());
        let other = TaleImport::below(home.path());
        assert_eq!(other.output, home.path().join("sample tales 2"));
        assert!(TaleImport::is_place(&other.output));
    }
}
