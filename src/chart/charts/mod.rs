//! Figures of a run: numbers in, drawing on any plotters backend out.
//!
//! A [`Chart`] holds what was measured, a [`View`] what of it is looked at, a [`Theme`] its colours. [`draw`] is the one
//! drawing routine: the window, SVG and PNG ([`write`](fn@write)) come from it. Nothing here knows models, runs or widgets.

mod canvas;
mod chart;
mod csv;
mod downsample;
mod draw;
mod figure;
mod font;
mod legend;
mod number_format;
mod pen;
mod plan;
mod plot_area;
mod png;
mod pointer;
mod range;
mod smooth;
mod theme;
mod ticks;
mod view;

pub use chart::{Bounds, Chart, Curve, Panel, Scale, Span, View, XAxis};
pub use draw::draw;
pub use figure::{
    FINE, Picture, check_picture, picture_png, picture_svg, png, readable_height, svg, write,
    write_picture,
};
pub use font::{EM, FONT, register_fonts};
pub use number_format::{latex_escaped, thousands};
pub use pen::{Anchor, DrawResult, Lettering, Pen};
pub use plan::Plan;
pub use plot_area::{PlotArea, Rect};
pub use smooth::exponential_average;
pub use theme::Theme;
pub use ticks::{x_value, y_value};
