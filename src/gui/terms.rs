//! Terms in the window: places in source sentences, the dialog for a new one, the choice of a termbase.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use egui::{Context, Id, Key, Modifiers, RichText, Ui};

use super::menu::file_name;
use super::theme::{self, Palette};
use canopy_app::terms::Terms;
use canopy_app::{AppState, Command, NewTerm, TermsCommand};
use canopy_document::document::Document;
use canopy_document::placeholder::stripped;
use canopy_qa::terms::{Term, TermIndex};

/// A place in a source sentence where a term is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TermSpan {
    /// Characters as a reader sees them.
    pub chars: Range<usize>,
    /// The termbase entry.
    pub hint: String,
}

/// The terms of the sentences that were in view, until document or termbase is another one.
#[derive(Default)]
pub(crate) struct TermSpans {
    of: Option<(Arc<Document>, Arc<TermIndex>)>,
    spans: HashMap<usize, Arc<[TermSpan]>>,
}

impl TermSpans {
    /// Terms of one sentence.
    pub(crate) fn for_sentence(
        &mut self,
        document: &Arc<Document>,
        index: &Arc<TermIndex>,
        sentence: usize,
    ) -> Arc<[TermSpan]> {
        let is_same = self
            .of
            .as_ref()
            .is_some_and(|(own, known)| Arc::ptr_eq(own, document) && Arc::ptr_eq(known, index));
        if !is_same {
            self.of = Some((Arc::clone(document), Arc::clone(index)));
            self.spans.clear();
        }
        let found = self
            .spans
            .entry(sentence)
            .or_insert_with(|| spans(&document.sentences[sentence].text, index));
        Arc::clone(found)
    }
}

fn spans(text: &str, index: &TermIndex) -> Arc<[TermSpan]> {
    let shown = |end: usize| stripped(&text[..end]).chars().count();
    let span = |found: canopy_qa::terms::TermMatch| TermSpan {
        chars: shown(found.range.start)..shown(found.range.end),
        hint: index.terms(&found).map(hint).collect::<Vec<_>>().join("\n"),
    };
    index.find(text).into_iter().map(span).collect()
}

/// Translations first, then what else is known.
fn hint(term: &Term) -> String {
    let mut lines = Vec::new();
    if !term.targets.is_empty() {
        lines.push(term.targets.join(" · "));
    }
    if !term.forbidden.is_empty() {
        lines.push(format!("Not {}", term.forbidden.join(", ")));
    }
    lines.extend([&term.domain, &term.note].into_iter().flatten().cloned());
    lines.join("\n")
}

/// The dialog for a new term; Enter adds it.
pub(crate) fn new_term_ui(
    ctx: &Context,
    terms: &Terms,
    new: &NewTerm,
    commands: &mut Vec<Command>,
) {
    let id = Id::unique("new term");
    let entered = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
    let mut done = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
    let mut edited = new.clone();
    let is_complete =
        |new: &NewTerm| !new.source.trim().is_empty() && !new.target.trim().is_empty();
    let modal = theme::modal(ctx, id).show(ctx, |ui| {
        ui.set_width(420.0);
        ui.heading("New term");
        ui.add_space(8.0);
        let fields = [
            ("Term", &mut edited.source),
            ("Translation", &mut edited.target),
        ];
        // The first empty one is to be written in.
        let mut focus = ctx.data(|data| data.get_temp::<bool>(id)).is_none();
        for (label, text) in fields {
            let is_empty = text.is_empty();
            ui.label(label);
            let edit = theme::text_field(ui, text).desired_width(f32::INFINITY);
            let response = ui.add(edit.cursor_at_end(true)).accessible_name(label);
            if focus && is_empty {
                response.request_focus();
                focus = false;
            }
            ui.add_space(6.0);
        }
        ctx.data_mut(|data| data.insert_temp(id, true));
        if let Some(path) = terms.paths.first() {
            let text = format!("Goes to {}", file_name(path));
            let text = RichText::new(text)
                .size(12.5)
                .color(Palette::from_ui(ui).weak);
            ui.label(text).on_hover_text(path.display().to_string());
        }
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let add = egui::Button::new("Add term");
            let add = ui.add_enabled(is_complete(&edited), add).clicked();
            if (add || entered) && is_complete(&edited) {
                commands.push(TermsCommand::SetNew(edited.clone()).into());
                commands.push(TermsCommand::AddNew.into());
            }
            done |= ui.button("Cancel").clicked();
        });
    });
    if done || modal.backdrop_response.clicked() {
        commands.push(TermsCommand::DiscardNew.into());
    } else if edited != *new && commands.is_empty() {
        commands.push(TermsCommand::SetNew(edited).into());
    }
}

/// Forgets that the dialog was open, so that the next one takes the keyboard.
pub(crate) fn new_term_closed(ctx: &Context) {
    ctx.data_mut(|data| data.remove::<bool>(Id::unique("new term")));
}

/// The termbases in use, in their order, and others to choose from.
pub(crate) fn terms_menu_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let used = &state.document.terms.paths;
    let mut choose = |paths| commands.push(TermsCommand::Use(paths).into());
    let none = ui.radio(used.is_empty(), "No terms");
    let none = none.on_hover_text("Translations use no termbase");
    if none.clicked() && !used.is_empty() {
        choose(Vec::new());
    }
    let recent = state.shared.settings.recent_terms.iter();
    let others = recent.filter(|path| !used.contains(path));
    for path in used.iter().chain(others) {
        let mut is_used = used.contains(path);
        let is_first = used.len() > 1 && used.first() == Some(path);
        let mut hint = format!(
            "{}\nTerms are underlined in the source, and translations prefer what they are called there",
            path.display()
        );
        if is_first {
            hint += "\nNew terms are added to it";
        }
        let changed = ui.horizontal(|ui| {
            let response = ui.checkbox(&mut is_used, file_name(path));
            if is_first {
                let text = RichText::new("new terms").size(12.0).color(palette.weak);
                ui.label(text);
            }
            response.on_hover_text(hint).changed()
        });
        if changed.inner {
            let mut paths: Vec<PathBuf> = used.iter().filter(|it| *it != path).cloned().collect();
            paths.extend(is_used.then(|| path.clone()));
            choose(paths);
        }
    }
    if ui.button("Add a termbase…").clicked() {
        commands.push(TermsCommand::Choose.into());
    }
    if let Some(index) = &state.document.terms.index {
        let count = format!("{} terms", index.base().len());
        ui.label(RichText::new(count).size(12.0).color(palette.weak));
    }
}
