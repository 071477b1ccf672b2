//! Nodes and edges of a tree.

use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use super::labels::thinned;
use super::legend::{frame, number};
use crate::colours::{Scale, mixed};
use crate::layout::{PlacedNode, TreeLayout};
use crate::mark::{HitArea, TextPosition};
use crate::tree::{Measure, TreeView};
use crate::tree_node::NodeState;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

/// Names of the levels of a document.
pub(super) const NAMES: f64 = 72.0;
/// Em of the numbers in a node.
const TINY: f64 = 9.0;

pub(super) struct Nodes<'a, 'p, DB: DrawingBackend> {
    pub pen: &'a Pen<'p, DB>,
    pub tree: &'a TreeView,
    pub layout: &'a TreeLayout,
    pub plot: Rect,
    pub scale: Scale,
}

/// How much room a node takes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Dot(f64),
    /// With one or two lines of text.
    Box {
        half_width: f64,
        half_height: f64,
    },
}

pub(super) fn cut_colour<DB: DrawingBackend>(pen: &Pen<'_, DB>) -> RGBColor {
    mixed(pen.theme.page, pen.theme.weak, 0.28)
}

/// Two places after the point; nothing is less than nothing.
fn hundredths(value: f32) -> String {
    let text = format!("{value:.2}");
    if text == "-0.00" {
        "0.00".to_owned()
    } else {
        text
    }
}

impl Shape {
    fn half_width(self) -> f64 {
        match self {
            Self::Dot(radius) => radius,
            Self::Box { half_width, .. } => half_width,
        }
    }
}

impl<DB: DrawingBackend> Nodes<'_, '_, DB> {
    fn at(&self, placed: &PlacedNode) -> (f64, f64) {
        (self.plot.left + placed.x, self.plot.top + placed.y)
    }

    fn state(&self, placed: &PlacedNode) -> NodeState {
        placed.node(self.tree).state
    }

    /// Whether its middle is on the plot.
    fn is_seen(&self, placed: &PlacedNode) -> bool {
        (-1.0..=self.plot.width() + 1.0).contains(&placed.x)
    }

    /// The part of an edge on the plot.
    fn clipped(&self, from: (f64, f64), to: (f64, f64)) -> Option<[(f64, f64); 2]> {
        let (left, right) = (self.plot.left - 1.0, self.plot.right + 1.0);
        if from.0.max(to.0) < left || from.0.min(to.0) > right {
            return None;
        }
        let inside = |(x, y): (f64, f64), other: (f64, f64)| {
            let edge = x.clamp(left, right);
            let share = (edge - x) / (other.0 - x);
            let y = if share.is_finite() {
                y + share * (other.1 - y)
            } else {
                y
            };
            (edge, y)
        };
        Some([inside(from, to), inside(to, from)])
    }

    /// Whether it is marked as chosen; with several words or heads nearly every sentence is.
    fn is_ringed(&self, placed: &PlacedNode) -> bool {
        self.tree.measure == Measure::Relevance && placed.node(self.tree).chosen
    }

    /// Lines of a node's label.
    fn label(&self, placed: &PlacedNode) -> Vec<String> {
        let node = placed.node(self.tree);
        match (node.relevance, node.cumulative) {
            (Some(relevance), Some(cumulative)) => {
                vec![hundredths(relevance), hundredths(cumulative)]
            }
            _ => placed
                .greatest
                .map(|value| vec![number(value)])
                .unwrap_or_default(),
        }
    }

    pub(super) fn draw(&self, marks: &mut Vec<HitArea>) -> DrawResult<DB> {
        self.draw_levels()?;
        let kept = |placed: &PlacedNode| self.state(placed) == NodeState::Kept;
        for emphasised in [false, true] {
            for placed in &self.layout.placed {
                let Some(parent) = placed.parent.map(|parent| &self.layout.placed[parent]) else {
                    continue;
                };
                if kept(placed) != emphasised {
                    continue;
                }
                let (from, to) = (self.at(parent), self.at(placed));
                let is_path = match self.tree.measure {
                    Measure::Relevance => emphasised,
                    Measure::MeanRelevance => placed.node(self.tree).most_frequent,
                    Measure::Mass => false,
                };
                let (width, colour) = if is_path && self.tree.measure == Measure::MeanRelevance {
                    (3.0, self.pen.theme.text)
                } else if is_path {
                    (1.75, self.pen.theme.text)
                } else if emphasised {
                    (1.0, self.pen.theme.weak)
                } else {
                    (0.75, self.pen.theme.axis)
                };
                if let Some(edge) = self.clipped(from, to) {
                    self.pen.line(&edge, width, colour)?;
                }
            }
        }
        for (placed, shape) in self.layout.placed.iter().zip(self.shapes()) {
            if self.is_seen(placed) {
                self.draw_node(placed, shape)?;
                marks.push(self.mark(placed, shape));
            }
        }
        self.draw_numbers()
    }

    /// Dots, and boxes with text where there is room: first for what was chosen and kept.
    fn shapes(&self) -> Vec<Shape> {
        let placed = &self.layout.placed;
        let mut shapes = vec![Shape::Dot((self.layout.slot * 0.3).clamp(1.0, 4.0)); placed.len()];
        let seen = (0..placed.len()).filter(|&index| self.is_seen(&placed[index]));
        let mut rows: Vec<usize> = seen.collect();
        let level = |index: usize| placed[index].node(self.tree).level;
        rows.sort_by(|&a, &b| {
            level(a)
                .cmp(&level(b))
                .then(placed[a].x.total_cmp(&placed[b].x))
        });
        let tiny = Lettering::new(TINY, self.pen.theme.text);
        for row in rows.chunk_by(|&a, &b| level(a) == level(b)) {
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by_key(|&place| match placed[row[place]].node(self.tree) {
                node if node.chosen => 0,
                node if node.state == NodeState::Kept => 1,
                node if node.state == NodeState::Cut => 2,
                _ => 3,
            });
            for place in order {
                let here = &placed[row[place]];
                let label = self.label(here);
                if label.is_empty() || here.more > 0 {
                    continue;
                }
                let widths = label.iter().map(|line| self.pen.width(line, tiny));
                let half_width = widths.fold(0.0, f64::max) / 2.0 + 2.25;
                let half_height = label.len() as f64 * 6.0 + 2.0;
                let ring = |other: usize| {
                    if self.is_ringed(&placed[row[other]]) {
                        1.5
                    } else {
                        0.0
                    }
                };
                let rings = |other: usize| ring(other) + ring(place);
                let reach = |other: usize| {
                    shapes[row[other]].half_width() + half_width + rings(other) + 0.75
                };
                let clear = |other: usize| (placed[row[other]].x - here.x).abs() >= reach(other);
                let left_clear = place.checked_sub(1).is_none_or(clear);
                let right_clear = place + 1 >= row.len() || clear(place + 1);
                let inside =
                    here.x - half_width >= -4.0 && here.x + half_width <= self.plot.width() + 4.0;
                if left_clear && right_clear && inside {
                    shapes[row[place]] = Shape::Box {
                        half_width,
                        half_height,
                    };
                }
            }
        }
        shapes
    }

    fn mark(&self, placed: &PlacedNode, shape: Shape) -> HitArea {
        let (x, y) = self.at(placed);
        let (half_width, half_height) = match shape {
            Shape::Dot(radius) => (radius.max(4.0), radius.max(4.0)),
            Shape::Box {
                half_width,
                half_height,
            } => (half_width, half_height),
        };
        let place = Rect {
            left: x - half_width,
            top: y - half_height,
            right: x + half_width,
            bottom: y + half_height,
        };
        HitArea {
            key: Some(TextPosition::sentence(self.tree.side, placed.span.0)),
            last: placed.span.1,
            weight: placed.greatest,
            node: Some(placed.node),
            ..HitArea::new(place)
        }
    }

    fn draw_node(&self, placed: &PlacedNode, shape: Shape) -> DrawResult<DB> {
        let (pen, theme) = (self.pen, self.pen.theme);
        let (x, y) = self.at(placed);
        let node = placed.node(self.tree);
        let fill = match (node.state, placed.greatest) {
            (NodeState::Kept, Some(value)) => self.scale.colour(value),
            (NodeState::Cut, _) => cut_colour(pen),
            _ => theme.page,
        };
        let outlined = node.state == NodeState::Unseen;
        match shape {
            Shape::Dot(radius) if !placed.is_alone() => {
                let size = radius.max(2.5) + 1.0;
                let corners = [(x, y - size), (x + size, y + size), (x - size, y + size)];
                let colour = if outlined {
                    mixed(theme.weak, theme.page, 0.4)
                } else {
                    fill
                };
                pen.polygon(&corners, colour)
            }
            Shape::Dot(radius) => {
                if self.is_ringed(placed) {
                    pen.disc((x, y), radius + 3.5, theme.strong)?;
                    pen.disc((x, y), radius + 1.75, theme.page)?;
                }
                if outlined {
                    pen.disc((x, y), radius, theme.axis)?;
                    return pen.disc((x, y), (radius - 1.0).max(0.5), fill);
                }
                pen.disc((x, y), radius, fill)
            }
            Shape::Box {
                half_width,
                half_height,
            } => {
                let place = Rect {
                    left: x - half_width,
                    right: x + half_width,
                    top: y - half_height,
                    bottom: y + half_height,
                };
                if self.is_ringed(placed) {
                    let grown = |by: f64| Rect {
                        left: place.left - by,
                        right: place.right + by,
                        top: place.top - by,
                        bottom: place.bottom + by,
                    };
                    pen.rect(grown(2.5), theme.strong)?;
                    pen.rect(grown(0.75), theme.page)?;
                }
                pen.rect(place, fill)?;
                if outlined {
                    frame(pen, place, theme.axis)?;
                }
                let ink = if node.state == NodeState::Cut {
                    theme.text
                } else {
                    Scale::ink(fill)
                };
                let centred = Lettering::new(TINY, ink).anchored(Anchor::Centre);
                let mut baseline = place.top + 2.0 + 8.6;
                for line in self.label(placed) {
                    pen.text(&line, (x, baseline), centred)?;
                    baseline += 12.0;
                }
                Ok(())
            }
        }
    }

    /// Numbers of the sentences below the leaves; of closed nodes the range where there is room.
    fn draw_numbers(&self) -> DrawResult<DB> {
        let small = Lettering::new(10.0, self.pen.theme.weak);
        let mut labels = Vec::new();
        let mut is_parent = vec![false; self.layout.placed.len()];
        for parent in self.layout.placed.iter().filter_map(|placed| placed.parent) {
            is_parent[parent] = true;
        }
        for (index, placed) in self.layout.placed.iter().enumerate() {
            if is_parent[index] || !self.is_seen(placed) {
                continue;
            }
            let (first, last) = (placed.span.0 + 1, placed.span.1 + 1);
            let text = if first == last {
                first.to_string()
            } else {
                format!("{first}–{last}")
            };
            let importance = f64::from(u8::from(placed.node(self.tree).chosen));
            labels.push((placed, text, importance));
        }
        let bold = Lettering::new(10.5, self.pen.theme.strong).bold();
        let lettering = |importance: f64| if importance > 0.0 { bold } else { small };
        let extents: Vec<(f64, f64, f64)> = labels
            .iter()
            .map(|(placed, text, importance)| {
                let width = self.pen.width(text, lettering(*importance)) + 5.0;
                (self.at(placed).0, width, *importance)
            })
            .collect();
        let y = self.plot.bottom + 12.0;
        for index in thinned(&extents) {
            let (placed, text, importance) = &labels[index];
            let lettering = lettering(*importance).anchored(Anchor::Centre);
            self.pen.text(text, (self.at(placed).0, y), lettering)?;
        }
        Ok(())
    }

    /// Names of a document's levels; those of a content tree have none.
    fn draw_levels(&self) -> DrawResult<DB> {
        let tree = self.tree;
        if !tree.has_names() {
            return Ok(());
        }
        let small = Lettering::new(10.0, self.pen.theme.weak);
        let row = self.plot.height() / tree.num_levels.max(1) as f64;
        let mut y = self.plot.top + row / 2.0 + 3.5;
        for level in (0..tree.num_levels).rev() {
            let name = match level {
                0 => "sentences".to_owned(),
                1 => "paragraphs".to_owned(),
                _ if level + 1 == tree.num_levels => "document".to_owned(),
                _ => format!("sections {}", tree.num_levels - 1 - level),
            };
            self.pen.text(&name, (self.plot.left - NAMES, y), small)?;
            y += row;
        }
        Ok(())
    }
}
