//! A sentence of the context as a reader would have it: the translation is scored again with that text.

use egui::{Button, RichText, TextEdit, Ui};

use crate::theme::Palette;
use canopy_app::explorer::Explorer;
use canopy_app::{AppState, Command, ExploreCommand, ModelState};
use canopy_explain::trace::{Side, TraceSource, TracedSentence};
use canopy_explain::{ContextEdit, LeaveOneOut};
use canopy_translate::inference::Reads;

/// The sentence that is being edited.
#[derive(Default)]
pub(super) struct ContextEditor {
    draft: Option<Draft>,
}

struct Draft {
    /// The sentence whose context it is.
    of: usize,
    sentence: usize,
    source: Field,
    /// Where the model reads translations.
    target: Option<Field>,
}

/// A text as it is in the document, and as it was edited.
struct Field {
    own: String,
    text: String,
}

impl Field {
    fn from_sentence(sentence: &TracedSentence) -> Self {
        let own = sentence.plain_text();
        Self {
            text: own.clone(),
            own,
        }
    }

    fn edited(&self) -> Option<String> {
        (self.text != self.own).then(|| self.text.clone())
    }

    fn ui(&mut self, ui: &mut Ui, name: String, width: f32) {
        let edit = TextEdit::singleline(&mut self.text).desired_width(width);
        ui.add(edit).accessible_name(name);
    }
}

impl ContextEditor {
    /// Begins with the text of a sentence.
    pub(super) fn open(&mut self, state: &AppState, source: &TraceSource, sentence: usize) {
        let reads_translations = matches!(&state.models.in_use.current, ModelState::Open { info, .. } if info.reads == Reads::Translations);
        let overview = source.overview();
        let Some(own) = overview.sentences(Side::Source).get(sentence) else {
            return;
        };
        let target = overview.sentences(Side::Target).get(sentence);
        self.draft = Some(Draft {
            of: state.explorer.inquiry.selected().sentence,
            sentence,
            source: Field::from_sentence(own),
            target: target
                .filter(|_| reads_translations)
                .map(Field::from_sentence),
        });
    }

    /// The fields, or how to come to them.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        explorer: &Explorer,
        view: &LeaveOneOut,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let draft = self.draft.take().filter(|draft| draft.of == view.sentence);
        let Some(mut draft) = draft else {
            let about =
                "Click a sentence to edit it and score the translation with the edited text";
            ui.label(RichText::new(about).color(palette.weak));
            return;
        };
        let mut is_open = true;
        ui.horizontal(|ui| {
            let number = draft.sentence + 1;
            ui.label(RichText::new(format!("Sentence {number}")).color(palette.text));
            let num_fields = if draft.target.is_some() { 2.0 } else { 1.0 };
            let width = ((ui.available_width() - 130.0) / num_fields - 8.0).max(80.0);
            draft
                .source
                .ui(ui, format!("Sentence {number}, edited"), width);
            if let Some(target) = &mut draft.target {
                target.ui(
                    ui,
                    format!("Translation of sentence {number}, edited"),
                    width,
                );
            }
            let edit = ContextEdit {
                sentence: draft.sentence,
                source: draft.source.edited(),
                target: draft.target.as_ref().and_then(Field::edited),
            };
            let is_edited = edit.source.is_some() || edit.target.is_some();
            let button = Button::new("Score again");
            let response = ui.add_enabled(is_edited && !explorer.is_behind(), button);
            let about = "Scores this translation with the edited sentence in its context";
            if response.on_hover_text(about).clicked() {
                commands.push(Command::Explore(ExploreCommand::EditContext(edit)));
            }
            is_open = !ui.button("×").on_hover_text("Close").clicked();
        });
        self.draft = is_open.then_some(draft);
    }
}
