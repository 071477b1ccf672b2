//! The memory's share in a translation: its words shaded, and below them the pairs that spoke for them.

use plotters::prelude::DrawingBackend;

use super::context::{GUTTER, draw_legend, draw_weight, running, running_height};
use super::heading::{HEAD, SMALL, head};
use super::legend::{frame, number};
use crate::colours::mixed;
use crate::mark::HitArea;
use crate::memory::{MemoryView, SHOWN};
use crate::trace::Side;
use canopy_chart::charts::{DrawResult, Lettering, Pen, Rect};

/// The source of a pair, above its translation.
const SOURCE: f64 = 20.0;

pub(super) fn height(view: &MemoryView, width: f64) -> f64 {
    let spoke = view.spoke();
    let pairs = spoke.iter().take(SHOWN);
    let pairs = pairs.map(|(_, pair)| SOURCE + running_height(pair, width));
    let own = SOURCE + running_height(&view.translation(), width);
    HEAD + own + pairs.sum::<f64>() + 84.0
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    view: &MemoryView,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let below = head(pen, area, "What was looked up", &view.query())?;
    let weak = Lettering::new(SMALL + 1.0, theme.weak);
    let (left, width) = (area.left + GUTTER, area.width() - GUTTER);
    let source = |text: &str, top: f64| {
        let text = pen.shortened(text, weak, width);
        pen.text(&text, (left, top + 14.0), weak)
    };
    let (translation, spoke) = (view.translation(), view.spoke());
    let shown = &spoke[..spoke.len().min(SHOWN)];
    let all = shown.iter().map(|(_, pair)| pair).chain([&translation]);
    let weights = all.flat_map(|sentence| &sentence.words);
    let largest = weights.filter_map(|word| word.weight).fold(0.0, f32::max);
    let shade = |weight: f32| {
        let share = f64::from(weight) / f64::from(largest).max(1e-9);
        (weight > 0.0).then(|| mixed(theme.page, theme.run(1), 0.06 + 0.54 * share))
    };
    let mut top = below.top;
    let label = Lettering::new(SMALL, theme.weak);
    pen.text(
        &format!("sentence {}", view.sentence + 1),
        (area.left, top + 15.0),
        label,
    )?;
    source(&view.source, top)?;
    let first = marks.len();
    let own = (Side::Target, &translation);
    top = running(pen, (below, top + SOURCE), own, &shade, marks)?;
    for mark in &mut marks[first..] {
        (mark.query, mark.key) = (mark.key, None);
    }
    if let Some(mark) = view.selected.and_then(|word| marks.get(first + word)) {
        frame(pen, mark.place, theme.strong)?;
    }
    pen.hairline((area.left, top - 2.0), (area.right, top - 2.0), theme.axis)?;
    top += 12.0;
    let greatest = shown.first().map_or(1.0, |(_, pair)| pair.weight);
    for (text, pair) in shown {
        draw_weight(pen, (area.left, top), (pair.weight, greatest))?;
        source(text, top)?;
        let first = marks.len();
        let pair = (Side::Target, pair);
        top = running(pen, (below, top + SOURCE), pair, &shade, marks)?;
        for mark in &mut marks[first..] {
            // It is no word of the document.
            mark.key = None;
        }
    }
    let others = &spoke[shown.len()..];
    let note = match others.len() {
        0 if spoke.is_empty() => "nothing in the memory spoke for it".to_owned(),
        0 => String::new(),
        count => {
            let weight = others.iter().map(|(_, pair)| pair.weight).sum();
            format!("{} in {count} other pairs", number(weight))
        }
    };
    pen.text(&note, (area.left, top + 12.0), label)?;
    let measure = "share of a word’s probability that comes from here";
    draw_legend(pen, area, measure, largest, &shade)
}
