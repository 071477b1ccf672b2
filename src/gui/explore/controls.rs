//! Which view, and of whose words, which layer and which heads.

use egui::{Align, Button, ComboBox, Id, Layout, Popup, RichText, Ui};

use super::similarity;
use crate::theme::{Palette, semibold};
use canopy_app::explorer::{Explorer, Origin};
use canopy_app::{AppState, Command, ExploreCommand};
use canopy_explain::trace::Side;
use canopy_explain::{AttentionRole, Heads, Order, ViewKind};

/// Views with their names and what they show.
const VIEWS: [(ViewKind, &str, &str); 14] = [
    (
        ViewKind::Tree,
        "Tree",
        "Where in the document the context is",
    ),
    (
        ViewKind::Sentences,
        "Sentences",
        "Words of this sentence against the sentences of the document",
    ),
    (
        ViewKind::Document,
        "Document",
        "All sentences of the document against each other",
    ),
    (
        ViewKind::Words,
        "Words",
        "Words of this sentence against the words of the sentences read most",
    ),
    (
        ViewKind::Context,
        "Context",
        "The sentences read most, as text with shaded words",
    ),
    (
        ViewKind::Encoding,
        "Encoding",
        "How much of each word the encodings of this sentence and of those that it read hold (source2token)",
    ),
    (
        ViewKind::Cross,
        "Cross-attention",
        "Words of the translation against those of the source",
    ),
    (
        ViewKind::Itself,
        "Self-attention",
        "Words of the source sentence against each other, in the encoder",
    ),
    (
        ViewKind::Gates,
        "Gates",
        "How much of its context each word let in",
    ),
    (
        ViewKind::Zeros,
        "Zeros",
        "Share of weights that are exactly zero, against length",
    ),
    (
        ViewKind::Difference,
        "Did it matter?",
        "The sentence translated without its context and with the document shuffled, with the probability of each word",
    ),
    (
        ViewKind::LeaveOneOut,
        "Leave one out",
        "The likelihood of this translation without each sentence of its context, next to the attention to that sentence",
    ),
    (
        ViewKind::Memory,
        "Memory",
        "The pairs of the translation memory that were looked up for this translation, and their share in each word",
    ),
    (
        ViewKind::Similarity,
        "Similarity",
        "All sentences of the document against each other, as a sentence encoder compares them",
    ),
];

pub(super) fn controls_ui(
    ui: &mut Ui,
    state: &AppState,
    is_slow: bool,
    commands: &mut Vec<Command>,
) {
    let explorer = &state.explorer;
    let mut push = |command| commands.push(Command::Explore(command));
    ui.horizontal_wrapped(|ui| {
        let spacing = ui.spacing_mut();
        (spacing.item_spacing.x, spacing.button_padding.x) = (3.0, 7.0);
        for (view, name, about) in VIEWS {
            view_ui(ui, explorer, view, (name, about), &mut push);
        }
    });
    ui.horizontal(|ui| {
        let back = Button::new("Back");
        let response = ui.add_enabled(explorer.inquiry.can_go_back(), back);
        if response
            .on_hover_text("Back to the previous view (Esc)")
            .clicked()
        {
            push(ExploreCommand::Back);
        }
        ui.separator();
        side_ui(ui, explorer, &mut push);
        order_ui(ui, explorer, &mut push);
        if explorer.inquiry.question.view == ViewKind::Similarity {
            similarity::controls_ui(ui, state, &mut push);
        }
        beside_ui(ui, explorer, &mut push);
        advanced_ui(ui, state, &mut push);
        if is_slow {
            ui.spinner();
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            save_ui(ui, explorer, &mut push);
        });
    });
}

fn view_ui(
    ui: &mut Ui,
    explorer: &Explorer,
    view: ViewKind,
    (name, about): (&str, &str),
    push: &mut impl FnMut(ExploreCommand),
) {
    let is_shown = explorer.inquiry.question.view == view;
    let mut text = RichText::new(name);
    if is_shown {
        text = text.font(semibold(13.5));
    }
    let is_there = !explorer.inquiry.choices(view).sides.is_empty();
    let response = ui.add_enabled(is_there || is_shown, Button::selectable(is_shown, text));
    let response = response
        .on_hover_text(about)
        .on_disabled_hover_text(missing(view));
    if response.clicked() {
        push(ExploreCommand::View(view));
    }
}

/// Why there is nothing to see.
fn missing(view: ViewKind) -> &'static str {
    match view {
        ViewKind::Cross | ViewKind::Itself => "The trace does not hold this attention.",
        ViewKind::Gates => "This model has no gates.",
        ViewKind::Encoding => "This model has no source2token encodings of sentences.",
        ViewKind::Memory => {
            "This translation was not looked up. Open a translation memory, or a model with one, and translate."
        }
        _ => {
            "This model reads each sentence by itself. Open a model that reads documents, and translate."
        }
    }
}

fn side_ui(ui: &mut Ui, explorer: &Explorer, push: &mut impl FnMut(ExploreCommand)) {
    let choices = explorer.inquiry.choices(explorer.inquiry.question.view);
    if choices.sides.len() < 2 {
        return;
    }
    let current = explorer.inquiry.selected().side;
    for (side, name) in [(Side::Source, "Source side"), (Side::Target, "Target side")] {
        let button = Button::selectable(current == side, name);
        if ui.add(button).clicked() && current != side {
            push(ExploreCommand::Side(side));
        }
    }
}

/// Layer, heads and sentences per word, folded under a button.
fn advanced_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(ExploreCommand)) {
    let explorer = &state.explorer;
    let choices = explorer.inquiry.choices(explorer.inquiry.question.view);
    let asks_for_sentences = sentences_per_word(explorer).is_some();
    if choices.layers.is_empty() && choices.heads.is_empty() && !asks_for_sentences {
        return;
    }
    let id = Id::unique("advanced choices of the explorer");
    let mut is_open = ui
        .data(|data| data.get_temp::<bool>(id))
        .unwrap_or_default();
    let button = ui.add(Button::selectable(is_open, "Advanced"));
    if button
        .on_hover_text("Layer, head and sentences per word")
        .clicked()
    {
        is_open = !is_open;
        ui.data_mut(|data| data.insert_temp(id, is_open));
    }
    if is_open {
        layer_ui(ui, explorer, push);
        heads_ui(ui, explorer, push);
        top_t_ui(ui, state, push);
    }
}

fn layer_ui(ui: &mut Ui, explorer: &Explorer, push: &mut impl FnMut(ExploreCommand)) {
    let layers = explorer
        .inquiry
        .choices(explorer.inquiry.question.view)
        .layers;
    let Some(&last) = layers.last() else { return };
    let query = explorer.inquiry.question.query;
    let is_usual = query.layer.is_none() && shows_probed(explorer) && query.heads == Heads::Usual;
    let current = query.layer.or((!is_usual).then_some(last));
    let name = |layer: usize| format!("Layer {}", layer + 1);
    let combo = ComboBox::from_id_salt("layer")
        .width(74.0)
        .selected_text(current.map_or("Several".to_owned(), name));
    let response = combo.show_ui(ui, |ui| {
        for layer in layers {
            if ui
                .selectable_label(current == Some(layer), name(layer))
                .clicked()
            {
                push(ExploreCommand::Layer(layer));
            }
        }
    });
    response.response.on_hover_text("Which layer of the model");
}

/// Whether the trace says which heads find the antecedent, and the view is of their attention.
fn shows_probed(explorer: &Explorer) -> bool {
    let of_context = !matches!(
        explorer.inquiry.question.view,
        ViewKind::Cross | ViewKind::Itself | ViewKind::Encoding | ViewKind::Gates
    );
    let source = explorer.inquiry.source();
    of_context && source.is_some_and(|it| !it.overview().model.probed_heads.is_empty())
}

/// All heads, a map each.
const APART: &str = "Side by side";

/// The heads of a language model that find the antecedent on a probe.
const PROBED: &str = "Heads of the probe";

fn heads_ui(ui: &mut Ui, explorer: &Explorer, push: &mut impl FnMut(ExploreCommand)) {
    let heads = explorer
        .inquiry
        .choices(explorer.inquiry.question.view)
        .heads;
    if heads.is_empty() {
        return;
    }
    let current = explorer.inquiry.question.query.heads;
    let can_be_apart = explorer.inquiry.question.view.has_heads_apart() && heads.len() > 1;
    let are_apart = explorer.inquiry.question.each_head && can_be_apart;
    let has_probed = shows_probed(explorer);
    let name = |heads: Heads| match heads {
        Heads::Usual if has_probed && explorer.inquiry.question.query.layer.is_none() => {
            PROBED.to_owned()
        }
        Heads::Usual | Heads::Mean => "All heads".to_owned(),
        Heads::One(head) => format!("Head {}", head + 1),
    };
    let combo = ComboBox::from_id_salt("heads")
        .width(96.0)
        .selected_text(if are_apart {
            APART.to_owned()
        } else {
            name(current)
        });
    let response = combo.show_ui(ui, |ui| {
        let usual = has_probed.then_some((Heads::Usual, PROBED.to_owned()));
        let one = heads.into_iter().map(Heads::One);
        let others = std::iter::once(Heads::Mean).chain(one);
        let others = others.map(|heads| (heads, name(heads)));
        for (heads, label) in usual.into_iter().chain(others) {
            let is_shown = label == name(current) && !are_apart;
            if ui.selectable_label(is_shown, label).clicked() {
                push(ExploreCommand::Heads(heads));
            }
        }
        if can_be_apart && ui.selectable_label(are_apart, APART).clicked() {
            push(ExploreCommand::EachHead);
        }
    });
    let about = "A single head has its own weights and relevance; for all heads together the means are shown, and the path most of them took";
    response.response.on_hover_text(about);
}

fn order_ui(ui: &mut Ui, explorer: &Explorer, push: &mut impl FnMut(ExploreCommand)) {
    let question = explorer.inquiry.question;
    if !matches!(question.view, ViewKind::Sentences | ViewKind::Words) {
        return;
    }
    for (order, name) in [
        (Order::Document, "Document order"),
        (Order::Weight, "Most weight first"),
    ] {
        let button = Button::selectable(question.order == order, name);
        if ui.add(button).clicked() {
            push(ExploreCommand::Order(order));
        }
    }
}

fn beside_ui(ui: &mut Ui, explorer: &Explorer, push: &mut impl FnMut(ExploreCommand)) {
    let Some(compared) = &explorer.compared else {
        return;
    };
    let name = format!("compared with {}  ×", compared.overview().model.name);
    let about = "Stop comparing";
    if ui.button(name).on_hover_text(about).clicked() {
        push(ExploreCommand::StopComparing);
    }
}

/// How many sentences each word reads (T), where the view depends on it.
fn sentences_per_word(explorer: &Explorer) -> Option<usize> {
    let view = explorer.inquiry.question.view;
    let depends = view.role() == AttentionRole::Context
        && view.model_view().is_none()
        && view != ViewKind::Similarity;
    let trace = explorer.inquiry.trace.as_ref().filter(|_| depends)?;
    trace.source.overview().model.top_t
}

/// Another T needs the model.
fn top_t_ui(ui: &mut Ui, state: &AppState, push: &mut impl FnMut(ExploreCommand)) {
    let explorer = &state.explorer;
    let Some(top_t) = sentences_per_word(explorer) else {
        return;
    };
    let Some(trace) = &explorer.inquiry.trace else {
        return;
    };
    let why_not = match trace.origin {
        Origin::File(_) => {
            Some("Another number needs the model: open the document and translate it.")
        }
        Origin::Document { .. } => state.present().why_no_trace(),
    };
    ui.add_enabled_ui(why_not.is_none(), |ui| {
        let combo = ComboBox::from_id_salt("top t")
            .width(160.0)
            .selected_text(format!("Sentences per word: {top_t}"));
        let response = combo.show_ui(ui, |ui| {
            for other in [1, 2, 4, 8, 16, 32] {
                let label = other.to_string();
                if ui.selectable_label(other == top_t, label).clicked() {
                    push(ExploreCommand::Trace(Some(other)));
                }
            }
        });
        let about = "Number of sentences each word reads: the document is traced again with the same translation";
        let response = response.response.on_hover_text(about);
        if let Some(why_not) = why_not {
            response.on_disabled_hover_text(why_not);
        }
    });
}

fn save_ui(ui: &mut Ui, explorer: &Explorer, push: &mut impl FnMut(ExploreCommand)) {
    let palette = Palette::from_ui(ui);
    let arrow = RichText::new("▾").size(11.0).color(palette.weak);
    let response = ui.add(Button::new("Save").right_text(arrow));
    Popup::menu(&response).show(|ui| {
        ui.set_min_width(210.0);
        let has_answer = matches!(explorer.answer, Some(Ok(_)));
        for (name, extension) in [
            ("Figure as SVG…", "svg"),
            ("Figure as PNG…", "png"),
            ("Numbers as CSV…", "csv"),
            ("Numbers as JSON…", "json"),
        ] {
            if ui.add_enabled(has_answer, Button::new(name)).clicked() {
                push(ExploreCommand::AskSaveFigure(extension));
            }
        }
        ui.separator();
        if ui.button("The whole trace…").clicked() {
            push(ExploreCommand::AskSaveTrace);
        }
        if ui.button("Open a trace…").clicked() {
            push(ExploreCommand::AskOpenTrace);
        }
        let about = "Maps of another model's trace of this document, next to these";
        let compare = ui.button("Compare with a trace…");
        if compare.on_hover_text(about).clicked() {
            push(ExploreCommand::AskCompare);
        }
    });
}
