//! From numbers to colours.

use plotters::style::RGBColor;

use canopy_chart::charts::Theme;

/// Nine of the 256 colours of viridis, evenly spaced: by equal steps to the eye, in greys and to the colour-blind too.
/// Smith & van der Walt, matplotlib 2.0, 2015, given to the public (CC0).
const VIRIDIS: [(u8, u8, u8); 9] = [
    (68, 1, 84),
    (71, 44, 122),
    (59, 81, 139),
    (44, 113, 142),
    (33, 144, 141),
    (39, 173, 129),
    (92, 200, 99),
    (170, 220, 50),
    (253, 231, 37),
];

/// Colours of the numbers between two others; the greatest stands out most from the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The number with the least conspicuous colour.
    pub low: f32,
    /// The number with the most conspicuous colour.
    pub high: f32,
    is_dark: bool,
}

impl Scale {
    /// Creates the scale of a theme between two numbers.
    pub fn new(low: f32, high: f32, theme: &Theme) -> Self {
        Self {
            low,
            high,
            is_dark: is_dark(theme.page),
        }
    }

    /// Colour of a number between `low` and `high`; others get the nearest one's.
    pub fn colour(&self, value: f32) -> RGBColor {
        let share = if self.high > self.low {
            f64::from((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
        } else {
            1.0
        };
        if self.is_dark {
            // The darkest colours would not show on a dark page.
            return viridis(0.12 + 0.88 * share);
        }
        // Nearly nothing must not shine: bright yellow becomes pale.
        let page = RGBColor(255, 255, 255);
        mixed(viridis(1.0 - share), page, 0.66 * (1.0 - share).powi(3))
    }

    /// Colour of a text on one of these colours.
    pub fn ink(behind: RGBColor) -> RGBColor {
        if is_dark(behind) {
            RGBColor(255, 255, 255)
        } else {
            RGBColor(16, 20, 24)
        }
    }
}

/// Between two colours.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between two bytes is a byte"
)]
pub(super) fn mixed(from: RGBColor, to: RGBColor, share: f64) -> RGBColor {
    let mix = |from: u8, to: u8| {
        let share = share.clamp(0.0, 1.0);
        (f64::from(from) * (1.0 - share) + f64::from(to) * share).round() as u8
    };
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "nine colours"
)]
fn viridis(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let index = (place as usize).min(VIRIDIS.len() - 2);
    let [from, to] = [VIRIDIS[index], VIRIDIS[index + 1]].map(|(r, g, b)| RGBColor(r, g, b));
    mixed(from, to, place - index as f64)
}

/// Rec. 709 luma.
fn luma(colour: RGBColor) -> f64 {
    0.2126 * f64::from(colour.0) + 0.7152 * f64::from(colour.1) + 0.0722 * f64::from(colour.2)
}

fn is_dark(colour: RGBColor) -> bool {
    luma(colour) < 128.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_further_from_the_page() {
        for (theme, sign) in [(Theme::LIGHT, -1.0), (Theme::DARK, 1.0)] {
            let scale = Scale::new(0.0, 2.0, &theme);
            let lumas: Vec<f64> = [0.0, 0.5, 1.0, 1.5, 2.0]
                .iter()
                .map(|&value| sign * luma(scale.colour(value)))
                .collect();
            assert!(lumas.is_sorted(), "{lumas:?}");
            assert_eq!(scale.colour(5.0), scale.colour(2.0));
        }
    }
}
