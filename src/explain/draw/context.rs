//! Context sentences as running text on shaded words.

use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use super::heading::{HEAD, SMALL, head};
use super::legend::number;
use crate::colours::mixed;
use crate::context::{ContextSentence, ContextView};
use crate::mark::{HitArea, TextPosition};
use crate::trace::Side;
use canopy_chart::charts::{Anchor, DrawResult, Lettering, Pen, Rect};

const SIZE: f64 = 13.5;
const LINE: f64 = 23.0;
const AFTER: f64 = 13.0;
/// Height of the notes below the sentences.
const NOTES: f64 = 34.0;
/// Number and weight of a sentence.
pub(super) const GUTTER: f64 = 132.0;

pub(super) fn height(context: &ContextView, width: f64) -> f64 {
    let sentences = context.sentences.iter().chain([&context.selected]);
    let lines = sentences.map(|sentence| running_height(sentence, width));
    HEAD + lines.sum::<f64>() + 84.0
}

/// Height that [`running`] needs at least, estimated.
pub(super) fn running_height(sentence: &ContextSentence, width: f64) -> f64 {
    let letters = sentence.words.iter();
    let letters: usize = letters.map(|word| word.text.chars().count() + 1).sum();
    let lines = letters as f64 * SIZE * 0.55 / (width - GUTTER).max(50.0);
    lines.ceil().max(1.0) * LINE + AFTER
}

pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    context: &ContextView,
    marks: &mut Vec<HitArea>,
) -> DrawResult<DB> {
    let theme = pen.theme;
    let below = head(pen, area, &context.title, &context.query)?;
    let words = context
        .sentences
        .iter()
        .chain(Some(&context.selected).filter(|_| context.selected_is_weighed))
        .flat_map(|sentence| &sentence.words);
    let largest = words.filter_map(|word| word.weight).fold(0.0, f32::max);
    let shade = |weight: f32| {
        let share = f64::from(weight) / f64::from(largest).max(1e-9);
        (weight > 0.0).then(|| mixed(theme.page, theme.run(1), 0.06 + 0.54 * share))
    };
    let selected = |weight: f32| {
        if context.selected_is_weighed {
            return shade(weight);
        }
        (weight > 0.0).then_some(mixed(theme.page, theme.run(0), 0.45))
    };
    let mut top = below.top;
    let label = Lettering::new(SMALL, theme.weak);
    let number_of = |sentence: &ContextSentence| format!("sentence {}", sentence.sentence + 1);
    pen.text(
        &number_of(&context.selected),
        (area.left, top + 15.0),
        label,
    )?;
    let first = marks.len();
    top = running(
        pen,
        (below, top),
        (context.side, &context.selected),
        &selected,
        marks,
    )?;
    for mark in &mut marks[first..] {
        (mark.query, mark.key, mark.weight) = (mark.key, None, None);
    }
    pen.hairline((area.left, top - 2.0), (area.right, top - 2.0), theme.axis)?;
    top += 12.0;
    let greatest = context.sentences.first().map_or(1.0, |first| first.weight);
    let mut left_out = context.sentences.as_slice();
    while let [sentence, others @ ..] = left_out {
        if top + running_height(sentence, area.width()) > area.bottom - NOTES {
            break;
        }
        left_out = others;
        pen.text(&number_of(sentence), (area.left, top + 15.0), label)?;
        draw_weight(pen, (area.left, top), (sentence.weight, greatest))?;
        let label = Rect {
            left: area.left,
            top,
            right: area.left + GUTTER - 8.0,
            bottom: top + LINE,
        };
        marks.push(HitArea {
            key: Some(TextPosition::sentence(
                context.context_side,
                sentence.sentence,
            )),
            last: sentence.sentence,
            weight: Some(sentence.weight),
            ..HitArea::new(label)
        });
        let side = context.context_side;
        top = running(pen, (below, top), (side, sentence), &shade, marks)?;
    }
    let mut notes = Vec::new();
    if context.sentences.is_empty() {
        notes.push("it looked at no other sentence".to_owned());
    }
    if !left_out.is_empty() {
        let weight: f32 = left_out.iter().map(|sentence| sentence.weight).sum();
        let (count, weight) = (left_out.len(), number(weight));
        notes.push(format!(
            "… and {count} more, {weight}, for which there is no room"
        ));
    }
    if context.others.0 > 0 {
        let weight = number(context.others.1);
        notes.push(format!("{weight} in {} other sentences", context.others.0));
    }
    if context.rest > 0.0 {
        let rest = match (context.includes_own, context.is_of_prompt) {
            (true, true) => "its own source sentence, instructions, the translation so far",
            (true, false) => "its own source sentence",
            (false, _) => "rest: dropped, or of no word",
        };
        notes.push(format!("{} {rest}", number(context.rest)));
    }
    pen.text(&notes.join(" · "), (area.left, top + 12.0), label)?;
    draw_legend(pen, area, &context.measure, largest, &shade)
}

/// A weight before its sentence, in figures and as a bar.
pub(super) fn draw_weight<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    (left, top): (f64, f64),
    (weight, greatest): (f32, f32),
) -> DrawResult<DB> {
    let strong = Lettering::new(SMALL + 1.0, pen.theme.strong).bold();
    let at = (left + GUTTER - 14.0, top + 15.0);
    pen.text(&number(weight), at, strong.anchored(Anchor::Right))?;
    let length = (GUTTER - 14.0) * f64::from(weight / greatest.max(1e-9));
    let bar = Rect {
        left,
        top: top + 19.0,
        right: left + length,
        bottom: top + 21.5,
    };
    pen.rect(bar, pen.theme.run(1))
}

pub(super) fn draw_legend<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    area: Rect,
    measure: &str,
    largest: f32,
    shade: &impl Fn(f32) -> Option<RGBColor>,
) -> DrawResult<DB> {
    let label = Lettering::new(SMALL, pen.theme.weak);
    let y = area.bottom - 6.0;
    pen.text(measure, (area.left, y), label)?;
    if largest <= 0.0 {
        return Ok(());
    }
    let mut left = area.left + pen.width(measure, label) + 14.0;
    for share in [0.0_f32, 0.25, 0.5, 0.75, 1.0] {
        let text = number(largest * share);
        let width = pen.width(&text, label) + 14.0;
        let place = Rect {
            left,
            top: y - 12.0,
            right: left + width,
            bottom: y + 5.0,
        };
        if let Some(colour) = shade(largest * share) {
            pen.rect(place, colour)?;
        }
        let ink = Lettering::new(SMALL, pen.theme.strong).anchored(Anchor::Centre);
        pen.text(&text, (left + width / 2.0, y), ink)?;
        left += width + 2.0;
    }
    Ok(())
}

/// Sets a sentence from `top` on, broken into lines; returns where the next one may begin.
pub(super) fn running<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    (area, top): (Rect, f64),
    (side, sentence): (Side, &ContextSentence),
    shade: &impl Fn(f32) -> Option<RGBColor>,
    marks: &mut Vec<HitArea>,
) -> Result<f64, plotters::drawing::DrawingAreaErrorKind<DB::ErrorType>> {
    let lettering = Lettering::new(SIZE, pen.theme.strong);
    let left = area.left + GUTTER;
    let space = SIZE * 0.28;
    let (mut x, mut baseline) = (left, top + 16.0);
    let mut rest = sentence.words.as_slice();
    let mut place = 0;
    while !rest.is_empty() {
        // Subwords of one word stay together.
        let more = rest[1..].iter().take_while(|word| !word.begins).count();
        let (word, behind) = rest.split_at(1 + more);
        rest = behind;
        let widths: Vec<f64> = word
            .iter()
            .map(|piece| pen.width(&piece.text, lettering))
            .collect();
        let width: f64 = widths.iter().sum();
        if x > left && x + space + width > area.right {
            (x, baseline) = (left, baseline + LINE);
        } else if x > left {
            x += space;
        }
        for (piece, width) in word.iter().zip(widths) {
            let behind = Rect {
                left: x - 1.0,
                top: baseline - 14.0,
                right: x + width + 1.0,
                bottom: baseline + 5.0,
            };
            if let Some(colour) = piece.weight.and_then(shade) {
                pen.rect(behind, colour)?;
            }
            marks.push(HitArea {
                key: Some(TextPosition::word(side, sentence.sentence, place)),
                last: sentence.sentence,
                weight: piece.weight,
                ..HitArea::new(behind)
            });
            place += 1;
            x += width;
        }
        x -= width;
        for piece in word {
            pen.text(&piece.text, (x, baseline), lettering)?;
            x += pen.width(&piece.text, lettering);
        }
    }
    Ok(baseline - 16.0 + LINE + AFTER)
}
