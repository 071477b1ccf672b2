//! A tree, root at the top.

use plotters::prelude::DrawingBackend;

use super::heading::{FOOT, HEAD, SMALL, head};
use super::legend::{self, Swatch, number};
use super::nodes::{NAMES, Nodes, cut_colour};
use crate::colours::{Scale, mixed};
use crate::layout::PlacedNode;
use crate::mark::{HitArea, TextPosition, Viewport};
use crate::tree::{Measure, TreeView};
use crate::tree_node::NodeState;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

/// The least distance of two leaves.
const SLOT: f64 = 11.0;
const LEVEL: f64 = 62.0;
/// Where there is less room.
const LEAST_LEVEL: f64 = 36.0;
/// A line of the chosen sentences.
const LINE: f64 = 19.0;
const MOST_LISTED: usize = 12;
/// Between the tree and the list: numbers of the leaves.
const NUMBERS: f64 = 26.0;

pub(super) fn height(tree: &TreeView) -> f64 {
    HEAD + tree.num_levels as f64 * LEVEL + NUMBERS + list_height(tree) + FOOT
}

/// Without the list of sentences.
pub(super) fn least_height(tree: &TreeView) -> f64 {
    HEAD + tree.num_levels as f64 * LEAST_LEVEL + NUMBERS + FOOT
}

fn list_height(tree: &TreeView) -> f64 {
    (tree.chosen.len().min(MOST_LISTED) + 1) as f64 * LINE + 20.0
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    tree: &TreeView,
    viewport: Viewport,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let below = head(pen, area, &tree.title, &tree.query)?;
    // The tree comes first: the list is below it where there is room for both.
    let list = list_height(tree);
    let list = if area.height() >= least_height(tree) + list {
        list
    } else {
        0.0
    };
    let names = if tree.has_names() { NAMES } else { 0.0 };
    let plot = Rect {
        left: below.left + names,
        bottom: below.bottom - FOOT - list - NUMBERS,
        ..below
    };
    let width = plot.width() * viewport.zoom();
    let mut layout = tree.layout((width, plot.height()), SLOT);
    for placed in &mut layout.placed {
        placed.x -= viewport.from * width;
    }
    let (low, high) = tree.range();
    let scale = Scale::new(low, high, pen.theme);
    let picture = Nodes {
        pen,
        tree,
        layout: &layout,
        plot,
        scale,
    };
    picture.draw(marks)?;
    if list > 0.0 {
        let at = (below.left, plot.bottom + NUMBERS + 18.0);
        draw_list(pen, at, below.width(), tree, marks)?;
    }
    let theme = pen.theme;
    let (name, mut swatches) = match tree.measure {
        Measure::Relevance | Measure::MeanRelevance => (
            if tree.measure == Measure::Relevance {
                "cumulative relevance"
            } else {
                "mean cumulative relevance"
            },
            vec![
                (Swatch::Filled(cut_colour(pen)), "pruned, with all below it"),
                (Swatch::Dot, "never looked at"),
            ],
        ),
        Measure::Mass => (tree.mass.as_str(), vec![(Swatch::Blank, "no weight")]),
    };
    if tree.measure == Measure::Relevance {
        swatches.push((Swatch::Ring, "chosen sentence (ring or frame)"));
    }
    let is_triangle =
        |placed: &PlacedNode| !placed.is_alone() && placed.node(tree).state == NodeState::Unseen;
    if layout.placed.iter().any(is_triangle) {
        swatches.push((
            Swatch::Filled(mixed(theme.weak, theme.page, 0.4)),
            "triangle: several nodes as one",
        ));
    }
    legend::draw(pen, below, &scale, name, &swatches)
}

/// The chosen sentences, most weight first.
fn draw_list<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    (left, top): (f64, f64),
    width: f64,
    tree: &TreeView,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let weak = Lettering::new(SMALL, theme.weak);
    let strong = Lettering::new(SMALL + 1.0, theme.strong).bold();
    let text = Lettering::new(SMALL + 1.0, theme.text);
    let about = match tree.measure {
        Measure::Relevance => "Chosen sentences and their weight",
        Measure::MeanRelevance | Measure::Mass => "Sentences with the most attention mass",
    };
    pen.text(about, (left, top), weak)?;
    let mut y = top + LINE;
    for (sentence, weight, words) in tree.chosen.iter().take(MOST_LISTED) {
        let right = strong.anchored(Anchor::Right);
        pen.text(&(sentence + 1).to_string(), (left + 34.0, y), right)?;
        pen.text(
            &number(*weight),
            (left + 78.0, y),
            text.anchored(Anchor::Right),
        )?;
        let words = pen.shortened(words, text, width - 92.0);
        pen.text(&words, (left + 92.0, y), text)?;
        let line = Rect {
            left,
            top: y - 14.0,
            right: left + width,
            bottom: y + LINE - 14.0,
        };
        marks.push(HitArea {
            key: Some(TextPosition::sentence(tree.side, *sentence)),
            last: *sentence,
            weight: Some(*weight),
            ..HitArea::new(line)
        });
        y += LINE;
    }
    let more = tree.chosen.len().saturating_sub(MOST_LISTED);
    let mut notes = Vec::new();
    if more > 0 {
        notes.push(format!("and {more} more"));
    }
    if tree.rest > 0.0 {
        notes.push(format!("rest: {}", number(tree.rest)));
    }
    for note in &mut notes {
        note.insert_str(0, " · ");
    }
    let at = (left + pen.width(about, weak), top);
    pen.text(&notes.concat(), at, weak)
}
