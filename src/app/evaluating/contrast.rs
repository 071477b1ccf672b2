//! Contrastive sets on the page of evaluations: which set, what models prefer in it, and the way from an item to what the
//! model read.

use std::path::PathBuf;
use std::sync::Arc;

use super::tracing::{TracedUnit, Wanted};
use super::{Evaluate, Evaluating};
use crate::ask::DialogRequest;
use crate::jobs::{ContrastJob, ContrastResult, EvaluationRequest, JobControl, JobId};
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_document::placeholder::stripped;
use canopy_evaluate::contrastive::Item;

/// Sentences before and after that of an item that are opened to look at it.
const AROUND: usize = 30;

/// Which items are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Listed {
    /// All items.
    #[default]
    All,
    /// Items in which the shown model prefers a wrong translation.
    Wrong,
}

/// A command about contrastive sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContrastCommand {
    /// Asks for the file of a set.
    AskSet,
    /// Takes the set in this file.
    UseSet(PathBuf),
    /// Has the chosen models choose in the set.
    Start,
    /// Shows the result again.
    Show,
    /// Whose choices are listed, by its place.
    Select(usize),
    /// Chooses which items are listed.
    List(Listed),
    /// Shows what the model that is looked at read where it chose in the item of this number.
    Explore(usize),
    /// Closes the result.
    Close,
}

/// The contrastive set of the page *Evaluate*, and the choices that models made in it.
#[derive(Debug, Default)]
pub struct Contrast {
    /// The file of the set that is chosen.
    pub set: Option<PathBuf>,
    /// The choices, once models have chosen.
    pub result: Option<Arc<ContrastResult>>,
    /// Whether the result is shown in place of an evaluation.
    pub is_shown: bool,
    /// The model whose choices are listed.
    pub selected: usize,
    /// Which items are listed.
    pub listed: Listed,
    /// Numbers of the items that are listed.
    pub items: Vec<usize>,
}

impl Contrast {
    fn list(&mut self) {
        let Some(result) = &self.result else {
            return self.items.clear();
        };
        let model = result.models.get(self.selected);
        let is_listed = |&item: &usize| match self.listed {
            Listed::All => true,
            Listed::Wrong => {
                let margin = model.and_then(|model| model.margin(item));
                margin.is_some_and(|margin| margin <= 0.0)
            }
        };
        self.items = (0..result.set.items.len()).filter(is_listed).collect();
    }
}

/// The word of a right translation that the wrong ones do not have: what the context decides.
pub fn deciding_word(item: &Item) -> Option<String> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let right = words(&stripped(&item.correct));
    let wrong = words(&stripped(&item.contrasts.first()?.text));
    let place = right
        .iter()
        .zip(&wrong)
        .position(|(one, other)| one != other);
    let place = place.unwrap_or(wrong.len().min(right.len()));
    right.get(place).cloned().or_else(|| item.pronoun.clone())
}

impl Evaluate {
    pub(super) fn execute_contrast(
        &mut self,
        shared: &mut Shared,
        command: ContrastCommand,
    ) -> Option<TracedUnit> {
        use ContrastCommand as C;
        let page = &mut self.contrast;
        match command {
            C::AskSet => shared.asks.push(DialogRequest::ContrastiveSet),
            C::UseSet(path) => page.set = Some(path),
            C::Start => self.contrast_models(shared),
            C::Show => page.is_shown = page.result.is_some(),
            C::Select(model) => {
                page.selected = model;
                page.list();
            }
            C::List(listed) => {
                page.listed = listed;
                page.list();
            }
            C::Explore(item) => return self.traced_item(shared, item),
            C::Close => page.is_shown = false,
        }
        None
    }

    /// Why models cannot choose in a set now.
    pub fn why_no_contrast(&self) -> Option<&'static str> {
        let lacks_set = self.contrast.set.is_none();
        self.why_not()
            .or(lacks_set.then_some("Choose the file of a contrastive set."))
    }

    fn contrast_models(&mut self, shared: &mut Shared) {
        if self.why_no_contrast().is_some() {
            return;
        }
        let Some(set) = self.contrast.set.clone() else {
            return;
        };
        let (job, control) = (shared.next_job(), JobControl::default());
        let models = self.models.clone();
        self.running = Some(Evaluating {
            job,
            models: models.clone(),
            unit: "translations",
            control: control.clone(),
            progress: None,
            started_secs: shared.now_secs,
            latest_secs: shared.now_secs,
        });
        let request = EvaluationRequest::Contrast(Box::new(ContrastJob {
            job,
            models,
            set,
            beam_size: shared.settings.beam_size,
            device: shared.settings.device.into(),
            control,
        }));
        self.requests.push(request);
    }

    pub(crate) fn contrasted(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        result: Arc<ContrastResult>,
    ) {
        if self.running.take_if(|running| running.job == job).is_none() {
            return;
        }
        self.judgement = None;
        self.contrast.result = Some(result);
        self.contrast.is_shown = true;
        self.contrast.selected = 0;
        self.contrast.list();
        shared.notify(NoticeKind::Done, "The contrastive set is scored", "");
    }

    /// The document of an item, as far as it is near, with the model that is looked at; the right translation is put in its
    /// place, so that the trace is of the word that was to be chosen.
    fn traced_item(&self, shared: &Shared, number: usize) -> Option<TracedUnit> {
        let page = &self.contrast;
        let (result, data) = (page.result.as_ref()?, shared.folders.data.as_ref()?);
        let item = result.set.items.get(number)?;
        let model = result.models.get(page.selected)?;
        let document = &result.set.documents[item.document];
        let first = item.sentence.saturating_sub(AROUND);
        let end = document.sentences.len().min(item.sentence + AROUND + 1);
        let paragraphs = document.sentences[first..end].iter();
        let paragraphs: Vec<String> = paragraphs.map(|it| stripped(&it.source)).collect();
        let safe = |letter: char| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '_'
            }
        };
        let name: String = item.id.chars().take(60).map(safe).collect();
        Some(TracedUnit {
            path: data.join("evaluated").join(format!("item {name}.txt")),
            bytes: (paragraphs.join("\n\n") + "\n").into_bytes(),
            paragraph: item.sentence - first,
            model: model.folder.clone(),
            wanted: Some(Wanted {
                correct: stripped(&item.correct),
                word: deciding_word(item),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_evaluate::contrastive::Contrast as Wrong;

    #[test]
    fn the_word_that_decides_is_the_first_that_the_wrong_translation_lacks() {
        let item = |correct: &str, wrong: &str| Item {
            correct: correct.to_owned(),
            contrasts: vec![Wrong {
                text: wrong.to_owned(),
                ..Wrong::default()
            }],
            ..Item::default()
        };
        let word = |correct, wrong| deciding_word(&item(correct, wrong));
        assert_eq!(word("Er schläft.", "Sie schläft.").as_deref(), Some("Er"));
        assert_eq!(
            word("Dann ging sie.", "Dann ging er.").as_deref(),
            Some("sie")
        );
        assert_eq!(word("Ja, gern.", "Ja.").as_deref(), Some("gern"));
        assert_eq!(word("Ja.", "Ja."), None);
    }
}
