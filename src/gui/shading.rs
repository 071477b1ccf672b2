//! Sentences of a document and the colours of the attention that they get.

use std::ops::Range;

use egui::{Color32, Ui};

use canopy_chart::charts::Theme;
use canopy_explain::{Margin, Scale};

/// Weights of sentences on the scale of the explorer.
#[derive(Debug)]
pub(crate) struct Shading<'a> {
    /// Ascending by number.
    weights: &'a [(u32, f32)],
    scale: Scale,
}

impl<'a> Shading<'a> {
    pub(crate) fn new(ui: &Ui, weights: &'a [(u32, f32)]) -> Self {
        let largest = weights.iter().map(|weight| weight.1).fold(0.0, f32::max);
        Self {
            weights,
            scale: scale(ui, largest),
        }
    }

    pub(crate) fn weights(&self) -> &[(u32, f32)] {
        self.weights
    }

    pub(crate) fn weight(&self, sentence: usize) -> f32 {
        number(self.weights, sentence).unwrap_or_default()
    }

    pub(crate) fn colour(&self, weight: f32) -> Color32 {
        colour(&self.scale, weight)
    }
}

/// From nothing to `largest`, as the theme of the window has it.
pub(crate) fn scale(ui: &Ui, largest: f32) -> Scale {
    let theme = if ui.visuals().dark_mode {
        Theme::DARK
    } else {
        Theme::LIGHT
    };
    Scale::new(0.0, largest.max(1e-9), &theme)
}

pub(crate) fn colour(scale: &Scale, weight: f32) -> Color32 {
    let colour = scale.colour(weight);
    Color32::from_rgb(colour.0, colour.1, colour.2)
}

fn number(numbers: &[(u32, f32)], sentence: usize) -> Option<f32> {
    let place = numbers.binary_search_by_key(&sentence, |number| number.0 as usize);
    place.ok().map(|place| numbers[place].1)
}

/// The margin of the document.
#[derive(Debug)]
pub(crate) struct MarginShading<'a> {
    margin: &'a Margin,
    shading: Shading<'a>,
    /// Whether the document has changed since it was traced.
    is_old: bool,
}

impl<'a> MarginShading<'a> {
    pub(crate) fn new(ui: &Ui, margin: &'a Margin, is_old: bool) -> Self {
        Self {
            margin,
            shading: Shading::new(ui, &margin.weights),
            is_old,
        }
    }

    /// Colour and explanation of a sentence that has weight.
    pub(crate) fn sentence(&self, sentence: usize) -> Option<(Color32, String)> {
        let weight = number(&self.margin.weights, sentence)?;
        let mut text = self.weight_label(weight);
        if let Some(cumulative) = number(&self.margin.cumulative, sentence) {
            text = format!("{text}\nCumulative relevance {cumulative:.2}");
        }
        Some((self.shading.colour(weight), text))
    }

    /// The weight of all these sentences.
    pub(crate) fn total(&self, sentences: Range<usize>) -> f32 {
        let weights = &self.margin.weights;
        let place = |sentence| weights.partition_point(|weight| (weight.0 as usize) < sentence);
        let inside = weights.get(place(sentences.start)..place(sentences.end));
        let inside = inside.unwrap_or_default().iter();
        inside.map(|weight| weight.1).sum()
    }

    /// A weight in words.
    pub(crate) fn weight_label(&self, weight: f32) -> String {
        let Margin { measure, shown, .. } = self.margin;
        let old = if self.is_old {
            "\nTraced before the last changes"
        } else {
            ""
        };
        format!("{weight:.2} {measure}\nof {shown}{old}")
    }
}
