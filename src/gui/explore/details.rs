//! Details of the spot under the pointer, in words and numbers.

use egui::{Align2, FontId, Sense, Ui, vec2};

use crate::theme::Palette;
use canopy_app::jobs::Answer;
use canopy_explain::trace::{TraceSource, TracedSentence};
use canopy_explain::{
    Explanation, HitArea, LeaveOneOut, Measure, NodeState, TextPosition, TreeView, nats, percent,
};

pub(super) const HEIGHT: f32 = 44.0;

pub(super) fn details_ui(
    ui: &mut Ui,
    source: &TraceSource,
    answer: &Answer,
    mark: Option<&HitArea>,
) {
    let palette = Palette::from_ui(ui);
    let size = vec2(ui.available_width(), HEIGHT);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter()
        .hline(rect.x_range(), rect.top(), (1.0, palette.line));
    let (first, second) = match mark {
        Some(mark) => lines(source, answer, mark),
        None => (
            "Point at something to see what it is; click to select it.".to_owned(),
            "Arrows go through words and sentences, Esc goes back; the wheel zooms, dragging moves.".to_owned(),
        ),
    };
    let mut y = rect.top() + 15.0;
    for (text, color) in [(first, palette.text), (second, palette.weak)] {
        let font = FontId::proportional(12.5);
        let mut job = egui::text::LayoutJob::simple_singleline(text, font, color);
        job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width());
        let galley = ui.painter().layout_job(job);
        let at = Align2::LEFT_CENTER
            .anchor_size(egui::pos2(rect.left(), y), galley.size())
            .min;
        ui.painter().galley(at, galley, color);
        y += 17.0;
    }
}

/// Numbers first, then the text that they are about.
fn lines(source: &TraceSource, answer: &Answer, mark: &HitArea) -> (String, String) {
    if let (Some(change), Explanation::LeaveOneOut(view)) = (mark.node, &answer.explanation) {
        return change_details(view, change);
    }
    let mut facts = Vec::new();
    if let (Some(node), Explanation::Tree(tree)) = (mark.node, &answer.explanation) {
        facts.extend(node_details(tree, node));
    }
    facts.extend(mark.query.map(|query| named(source, &query)));
    let key = mark.key.filter(|_| mark.node.is_none());
    facts.extend(key.map(|key| named(source, &key)));
    if mark.node.is_none() {
        facts.extend(mark.weight.map(|weight| format!("{weight:.4}")));
    }
    let spot = mark.key.or(mark.query);
    let text = spot.map(|spot| {
        let sentences = source.overview().sentences(spot.side);
        let last = mark
            .last
            .max(spot.sentence)
            .min(sentences.len().saturating_sub(1));
        let texts = sentences.get(spot.sentence..=last).unwrap_or_default();
        let texts = texts.iter().take(4);
        let texts: Vec<String> = texts.map(TracedSentence::plain_text).collect();
        texts.join("  ")
    });
    (facts.join("  ·  "), text.unwrap_or_default())
}

/// The effect of a change of the context, and the text that was taken away or put in its place.
fn change_details(view: &LeaveOneOut, change: usize) -> (String, String) {
    let change = &view.changes[change];
    let number = change.sentence + 1;
    let value = view.change(change);
    let mut facts = vec![
        match change.edit {
            Some(_) => format!("sentence {number} edited"),
            None => format!("without sentence {number}"),
        },
        format!("likelihood {}", percent(value)),
        format!("{} nats", nats(value)),
    ];
    facts.extend(
        change
            .attention
            .map(|mass| format!("attention mass {mass:.4}")),
    );
    let text = change.edited_text().unwrap_or(&change.text).to_owned();
    (facts.join("  ·  "), text)
}

fn node_details(tree: &TreeView, node: usize) -> Vec<String> {
    let node = &tree.nodes[node];
    let (first, last) = (node.span.0 + 1, node.span.1 + 1);
    let mut facts = vec![if first == last {
        format!("sentence {first}")
    } else {
        format!("sentences {first} to {last}")
    }];
    let mean = if tree.measure == Measure::MeanRelevance {
        "mean "
    } else {
        ""
    };
    facts.extend(
        node.relevance
            .map(|relevance| format!("{mean}relevance {relevance:.3}")),
    );
    facts.extend(
        node.cumulative
            .map(|cumulative| format!("{mean}cumulative {cumulative:.3}")),
    );
    if tree.measure == Measure::MeanRelevance {
        facts.extend(
            node.frequency
                .map(|share| format!("kept by {:.0} % of words and heads", 100.0 * share)),
        );
    }
    if node.mass > 0.0 {
        facts.push(format!("attention {:.4}", node.mass));
    }
    facts.push(
        match node.state {
            NodeState::Kept => "kept",
            NodeState::Cut => "pruned, with all below it",
            NodeState::Unseen => "never looked at",
        }
        .to_owned(),
    );
    facts
}

/// `word 7 “it” of sentence 3`.
fn named(source: &TraceSource, spot: &TextPosition) -> String {
    let sentence = spot.sentence + 1;
    let tokens = source.overview().sentences(spot.side).get(spot.sentence);
    let token = spot
        .word
        .and_then(|word| Some((word, tokens?.tokens.get(word)?)));
    match token {
        Some((word, token)) => {
            let bare = token.trim_start_matches('▁');
            format!("word {} “{bare}” of sentence {sentence}", word + 1)
        }
        None => format!("sentence {sentence}"),
    }
}
