//! Colours of figures.

use plotters::style::RGBColor;

/// Colours that go with the window's light and dark themes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Behind everything.
    pub page: RGBColor,
    /// Colour of grid lines.
    pub grid: RGBColor,
    /// Colour of axes.
    pub axis: RGBColor,
    /// Colour of ordinary text.
    pub text: RGBColor,
    /// Colour of titles.
    pub strong: RGBColor,
    /// Colour of small print.
    pub weak: RGBColor,
    /// Colour of values that are not a number.
    pub error: RGBColor,
    /// One a run. After Okabe & Ito, "Color Universal Design", 2008: distinguishable by everybody.
    pub runs: [RGBColor; 7],
}

impl Theme {
    /// Dark ink on white.
    pub const LIGHT: Self = Self {
        page: RGBColor(255, 255, 255),
        grid: RGBColor(233, 236, 238),
        axis: RGBColor(196, 202, 208),
        text: RGBColor(38, 43, 49),
        strong: RGBColor(16, 20, 24),
        weak: RGBColor(84, 91, 99),
        error: RGBColor(178, 42, 32),
        runs: [
            RGBColor(0, 114, 178),
            RGBColor(213, 94, 0),
            RGBColor(0, 148, 108),
            RGBColor(190, 98, 150),
            RGBColor(206, 142, 0),
            RGBColor(64, 164, 220),
            RGBColor(72, 78, 86),
        ],
    };

    /// Light ink on dark grey.
    pub const DARK: Self = Self {
        page: RGBColor(27, 30, 34),
        grid: RGBColor(42, 47, 52),
        axis: RGBColor(78, 85, 93),
        text: RGBColor(214, 219, 225),
        strong: RGBColor(242, 245, 248),
        weak: RGBColor(166, 174, 183),
        error: RGBColor(244, 146, 134),
        runs: [
            RGBColor(86, 180, 233),
            RGBColor(240, 128, 58),
            RGBColor(52, 196, 152),
            RGBColor(224, 148, 194),
            RGBColor(240, 214, 72),
            RGBColor(128, 146, 250),
            RGBColor(188, 194, 202),
        ],
    };

    /// Returns the colour of a run; the colours repeat after the last one.
    pub fn run(&self, colour: usize) -> RGBColor {
        self.runs[colour % self.runs.len()]
    }

    /// A run's colour, faded into the page: opaque, so that lines may overlap.
    pub fn faded(&self, colour: usize, amount: f64) -> RGBColor {
        let (run, page) = (self.run(colour), self.page);
        let mix = |from: u8, to: u8| {
            (f64::from(from) * (1.0 - amount) + f64::from(to) * amount).round() as u8
        };
        RGBColor(mix(run.0, page.0), mix(run.1, page.1), mix(run.2, page.2))
    }
}
