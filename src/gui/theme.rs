//! Colours, spacing and type sizes: one restrained accent, two themes.

use std::sync::Arc;

use egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow,
    Stroke, TextStyle, Vec2, Visuals,
};

use super::typeset;
use canopy_app::Theme;
use canopy_app::jobs::State;
use canopy_chart::typesetting::Han;

/// Radius of buttons, rows and fields.
pub(crate) const RADIUS: u8 = 6;

/// The colours that are not part of egui's [`Visuals`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    /// Behind the document.
    pub page: Color32,
    /// Behind outline, toolbar and status bar.
    pub panel: Color32,
    pub line: Color32,
    pub text: Color32,
    pub strong: Color32,
    pub weak: Color32,
    pub accent: Color32,
    pub on_accent: Color32,
    /// Behind the selected sentence.
    pub selected: Color32,
    /// Behind the sentence under the pointer.
    pub hovered: Color32,
    pub chip: Color32,
    pub chip_text: Color32,
    pub draft: Color32,
    pub edited: Color32,
    pub warning: Color32,
    pub error: Color32,
}

pub(crate) const LIGHT: Palette = Palette {
    page: Color32::from_rgb(255, 255, 255),
    panel: Color32::from_rgb(246, 247, 248),
    line: Color32::from_rgb(226, 229, 232),
    text: Color32::from_rgb(38, 43, 49),
    strong: Color32::from_rgb(16, 20, 24),
    weak: Color32::from_rgb(84, 91, 99),
    accent: Color32::from_rgb(15, 112, 98),
    on_accent: Color32::from_rgb(255, 255, 255),
    selected: Color32::from_rgb(228, 242, 239),
    hovered: Color32::from_rgb(243, 246, 247),
    chip: Color32::from_rgb(212, 220, 230),
    chip_text: Color32::from_rgb(58, 72, 94),
    draft: Color32::from_rgb(78, 103, 142),
    edited: Color32::from_rgb(146, 88, 4),
    warning: Color32::from_rgb(152, 78, 0),
    error: Color32::from_rgb(178, 42, 32),
};

const DARK: Palette = Palette {
    page: Color32::from_rgb(27, 30, 34),
    panel: Color32::from_rgb(21, 23, 26),
    line: Color32::from_rgb(46, 51, 57),
    text: Color32::from_rgb(214, 219, 225),
    strong: Color32::from_rgb(242, 245, 248),
    weak: Color32::from_rgb(166, 174, 183),
    accent: Color32::from_rgb(86, 194, 174),
    on_accent: Color32::from_rgb(10, 32, 28),
    selected: Color32::from_rgb(32, 53, 51),
    hovered: Color32::from_rgb(35, 39, 44),
    chip: Color32::from_rgb(53, 61, 73),
    chip_text: Color32::from_rgb(176, 192, 214),
    draft: Color32::from_rgb(144, 172, 214),
    edited: Color32::from_rgb(226, 170, 84),
    warning: Color32::from_rgb(232, 172, 92),
    error: Color32::from_rgb(244, 146, 134),
};

impl Palette {
    /// The palette that belongs to what egui currently draws with.
    pub(crate) fn from_ui(ui: &egui::Ui) -> Self {
        if ui.visuals().dark_mode { DARK } else { LIGHT }
    }

    pub(crate) fn state(&self, state: State) -> Color32 {
        match state {
            State::Untranslated => self.weak,
            State::Draft => self.draft,
            State::Edited => self.edited,
            State::Confirmed => self.accent,
        }
    }
}

/// The family of headings and of what must stand out.
pub(crate) fn semibold(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(SEMIBOLD.into()))
}

const SEMIBOLD: &str = "semibold";

/// The family of a text whose Chinese characters are to look as in one language.
pub(crate) fn family(is_bold: bool, han: Option<Han>) -> FontFamily {
    match (is_bold, han) {
        (false, None) => FontFamily::Proportional,
        (true, None) => FontFamily::Name(SEMIBOLD.into()),
        (false, Some(han)) => FontFamily::Name(han.key().into()),
        (true, Some(han)) => FontFamily::Name(format!("{SEMIBOLD} {}", han.key()).into()),
    }
}

/// Weight and Chinese characters of a family: the other way round.
pub(crate) fn family_of(family: &FontFamily) -> (u16, Option<Han>) {
    let FontFamily::Name(name) = family else {
        return (400, None);
    };
    let (weight, rest) = match name.strip_prefix(SEMIBOLD) {
        Some(rest) => (600, rest.trim_start()),
        None => (400, name.as_ref()),
    };
    (weight, Han::ALL.into_iter().find(|han| han.key() == rest))
}

/// The family in which signs that Chinese and Japanese share with Latin are as wide as their characters; it exists where
/// [`super::system_fonts`] does.
pub(crate) fn wide(family: &FontFamily) -> FontFamily {
    let name = match family {
        FontFamily::Name(name) => name.as_ref(),
        _ => "",
    };
    FontFamily::Name(format!("{WIDE}{name}").into())
}

const WIDE: &str = "wide ";

/// Weight and Chinese characters of such a family.
pub(crate) fn family_of_wide(family: &FontFamily) -> Option<(u16, Option<Han>)> {
    let FontFamily::Name(name) = family else {
        return None;
    };
    let name = name.strip_prefix(WIDE)?;
    Some(family_of(&FontFamily::Name(name.into())))
}

pub(crate) const INTER: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.otf");
const INTER_SEMIBOLD: &[u8] = include_bytes!("../../assets/fonts/Inter-SemiBold.otf");

/// Inter for Latin, Greek and Cyrillic; what it lacks comes from egui's own fonts, then from the system's
/// ([`super::system_fonts`]).
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    for (name, data) in [("Inter", INTER), ("Inter-SemiBold", INTER_SEMIBOLD)] {
        fonts
            .font_data
            .insert(name.to_owned(), Arc::new(FontData::from_static(data)));
    }
    let fallback = fonts.families.entry(FontFamily::Proportional).or_default();
    // Hack has arrows and angle brackets that the others lack.
    fallback.push("Hack".to_owned());
    let with = |name: &str| {
        [name.to_owned()]
            .into_iter()
            .chain(fallback.iter().cloned())
            .collect::<Vec<_>>()
    };
    let (regular, semibold) = (with("Inter"), with("Inter-SemiBold"));
    for han in std::iter::once(None).chain(Han::ALL.map(Some)) {
        fonts.families.insert(family(false, han), regular.clone());
        fonts.families.insert(family(true, han), semibold.clone());
    }
    fonts
}

/// Installs fonts and both themes; done once, before the first frame.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts());
    // The size is a setting, which has the same keys.
    ctx.options_mut(|options| options.zoom_with_keyboard = false);
    for (theme, palette) in [(egui::Theme::Light, LIGHT), (egui::Theme::Dark, DARK)] {
        ctx.style_mut_of(theme, |style| {
            style.visuals = visuals(&palette, theme);
            style.text_styles = [
                (
                    TextStyle::Small,
                    FontId::new(11.0, FontFamily::Proportional),
                ),
                (TextStyle::Body, FontId::new(13.5, FontFamily::Proportional)),
                (
                    TextStyle::Button,
                    FontId::new(13.5, FontFamily::Proportional),
                ),
                (TextStyle::Heading, semibold(19.0)),
                (
                    TextStyle::Monospace,
                    FontId::new(12.5, FontFamily::Monospace),
                ),
            ]
            .into();
            let spacing = &mut style.spacing;
            spacing.item_spacing = Vec2::new(8.0, 6.0);
            spacing.button_padding = Vec2::new(10.0, 5.0);
            spacing.menu_margin = Margin::same(6);
            spacing.window_margin = Margin::same(20);
            spacing.interact_size.y = 28.0;
            spacing.menu_width = 240.0;
            spacing.slider_width = 150.0;
            spacing.tooltip_width = 360.0;
            spacing.scroll.bar_width = 9.0;
            // A jump past the previous frame's end must not spring back.
            spacing.scroll.kinetic.rubber_band = false;
            style.interaction.tooltip_delay = 0.35;
            style.interaction.selectable_labels = false;
        });
    }
}

/// A primary button that looks like the others while it is disabled.
pub(crate) fn add_primary(ui: &mut egui::Ui, enabled: bool, label: &str) -> egui::Response {
    if enabled {
        return ui.add(primary(ui, label));
    }
    let text = egui::RichText::new(label).font(semibold(13.5));
    let button = egui::Button::new(text).min_size(PRIMARY_SIZE);
    ui.add_enabled(false, button)
}

pub(super) const PRIMARY_SIZE: Vec2 = Vec2::new(130.0, 31.0);

/// The one button of a place that matters.
pub(crate) fn primary<'a>(ui: &egui::Ui, label: &str) -> egui::Button<'a> {
    let palette = Palette::from_ui(ui);
    let text = egui::RichText::new(label)
        .font(semibold(13.5))
        .color(palette.on_accent);
    egui::Button::new(text)
        .fill(palette.accent)
        .min_size(PRIMARY_SIZE)
}

/// A field of one line that looks like the other controls.
pub(crate) fn text_field<'a>(ui: &egui::Ui, text: &'a mut String) -> egui::TextEdit<'a> {
    // A function takes no room, so nothing is leaked.
    let layouter: &'static mut _ = Box::leak(Box::new(typeset::one_line));
    egui::TextEdit::singleline(text)
        .layouter(layouter)
        .background_color(ui.visuals().widgets.inactive.weak_bg_fill)
        .margin(Vec2::new(8.0, 6.0))
}

/// A quiet box around what belongs together.
pub(crate) fn card(ui: &mut egui::Ui, contents: impl FnOnce(&mut egui::Ui)) {
    let palette = Palette::from_ui(ui);
    egui::Frame::NONE
        .fill(palette.panel)
        .stroke((1.0, palette.line))
        .corner_radius(10)
        .inner_margin(egui::Margin::same(18))
        .show(ui, contents);
}

/// A question or a list over the window.
pub(crate) fn modal(ctx: &Context, id: egui::Id) -> egui::Modal {
    let veil = if ctx.theme() == egui::Theme::Dark {
        130
    } else {
        60
    };
    let frame = egui::Frame::popup(&ctx.global_style())
        .inner_margin(28)
        .corner_radius(12);
    egui::Modal::new(id)
        .frame(frame)
        .backdrop_color(Color32::from_black_alpha(veil))
}

/// Follows the choice in the menu.
pub(crate) fn choose(ctx: &Context, theme: Theme) {
    ctx.set_theme(match theme {
        Theme::System => egui::ThemePreference::System,
        Theme::Light => egui::ThemePreference::Light,
        Theme::Dark => egui::ThemePreference::Dark,
    });
}

fn visuals(palette: &Palette, theme: egui::Theme) -> Visuals {
    let is_dark = theme == egui::Theme::Dark;
    let mut visuals = if is_dark {
        Visuals::dark()
    } else {
        Visuals::light()
    };
    let radius = CornerRadius::same(RADIUS);
    let step = |amount: f32| blend(palette.panel, palette.text, amount);
    let raised = if is_dark { step(0.05) } else { palette.page };

    visuals.panel_fill = palette.panel;
    visuals.window_fill = raised;
    visuals.window_stroke = Stroke::new(1.0, palette.line);
    visuals.window_corner_radius = CornerRadius::same(10);
    visuals.menu_corner_radius = CornerRadius::same(8);
    let shadow = Color32::from_black_alpha(if is_dark { 110 } else { 28 });
    visuals.window_shadow = Shadow {
        offset: [0, 12],
        blur: 36,
        spread: 0,
        color: shadow,
    };
    visuals.popup_shadow = Shadow {
        offset: [0, 6],
        blur: 20,
        spread: 0,
        color: shadow,
    };
    visuals.faint_bg_color = palette.hovered;
    visuals.extreme_bg_color = palette.page;
    visuals.text_edit_bg_color = Some(palette.page);
    visuals.code_bg_color = palette.chip;
    visuals.hyperlink_color = palette.accent;
    visuals.warn_fg_color = palette.warning;
    visuals.error_fg_color = palette.error;
    visuals.weak_text_color = Some(palette.weak);
    visuals.selection.bg_fill = blend(
        palette.page,
        palette.accent,
        if is_dark { 0.32 } else { 0.24 },
    );
    // Also what is written upon it.
    visuals.selection.stroke = Stroke::new(1.0, blend(palette.accent, palette.strong, 0.5));
    // What cannot be chosen now can be read all the same.
    visuals.disabled_alpha = 0.7;
    visuals.text_cursor.stroke = Stroke::new(1.5, palette.accent);
    visuals.slider_trailing_fill = true;
    visuals.indent_has_left_vline = false;

    let widgets = &mut visuals.widgets;
    widgets.noninteractive.bg_fill = palette.panel;
    widgets.noninteractive.weak_bg_fill = palette.panel;
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, palette.line);
    widgets.noninteractive.fg_stroke = Stroke::new(1.0, palette.text);
    for (widget, fill, text) in [
        (&mut widgets.inactive, step(0.065), palette.text),
        (&mut widgets.hovered, step(0.11), palette.strong),
        (&mut widgets.active, step(0.16), palette.strong),
        (&mut widgets.open, step(0.10), palette.strong),
    ] {
        widget.weak_bg_fill = fill;
        widget.bg_fill = fill;
        widget.bg_stroke = Stroke::NONE;
        widget.fg_stroke = Stroke::new(1.0, text);
        widget.corner_radius = radius;
        widget.expansion = 0.0;
    }
    // Rails, boxes and handles must stand out from the window below them.
    widgets.inactive.bg_fill = step(0.16);
    widgets.hovered.bg_fill = step(0.22);
    widgets.noninteractive.corner_radius = radius;
    visuals
}

/// A colour between two.
pub(crate) fn blend(from: Color32, to: Color32, amount: f32) -> Color32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between two bytes is a byte"
    )]
    let mix = |from: u8, to: u8| egui::lerp(f32::from(from)..=f32::from(to), amount).round() as u8;
    Color32::from_rgb(
        mix(from.r(), to.r()),
        mix(from.g(), to.g()),
        mix(from.b(), to.b()),
    )
}

/// From 1 to 21: WCAG 2.2, "contrast ratio" and "relative luminance".
pub fn contrast_ratio(one: Color32, other: Color32) -> f32 {
    let luminance = |color: Color32| {
        let linear = |byte: u8| {
            let value = f32::from(byte) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Least contrast of a text and its background: WCAG 2.2, criterion 1.4.3.
    const LEAST: f32 = 4.5;

    /// Backgrounds of texts, and the colours of texts on them.
    fn pairs(palette: &Palette, visuals: &Visuals) -> Vec<(Color32, Color32)> {
        let widgets = &visuals.widgets;
        let grounds = [
            palette.page,
            palette.panel,
            palette.selected,
            palette.hovered,
            visuals.window_fill,
            widgets.inactive.weak_bg_fill,
        ];
        let colors = [
            palette.text,
            palette.strong,
            palette.weak,
            palette.accent,
            palette.draft,
            palette.edited,
            palette.warning,
            palette.error,
        ];
        let mut pairs: Vec<(Color32, Color32)> = grounds
            .iter()
            .flat_map(|ground| colors.map(|color| (color, *ground)))
            .collect();
        for ground in [
            widgets.hovered.weak_bg_fill,
            widgets.active.weak_bg_fill,
            widgets.open.weak_bg_fill,
            widgets.inactive.bg_fill,
        ] {
            let colors = [palette.text, palette.strong, palette.weak];
            pairs.extend(colors.map(|color| (color, ground)));
        }
        // Selected texts, words that differ, words that were found, words that attend.
        for ground in [
            visuals.selection.bg_fill,
            blend(palette.page, palette.edited, 0.25),
            blend(palette.page, palette.accent, 0.3),
        ] {
            pairs.push((palette.text, ground));
        }
        pairs.push((visuals.selection.stroke.color, visuals.selection.bg_fill));
        pairs.push((palette.chip_text, palette.chip));
        for share in [0.0, 0.15, 0.3] {
            let ground = blend(palette.accent, palette.strong, share);
            pairs.push((palette.on_accent, ground));
        }
        // What cannot be chosen now: text and button let what is below through.
        let amount = visuals.disabled_alpha;
        for below in [palette.page, palette.panel, visuals.window_fill] {
            pairs.push((blend(below, palette.text, amount), below));
            let button = blend(below, widgets.inactive.weak_bg_fill, amount);
            pairs.push((blend(button, palette.text, amount), button));
        }
        pairs
    }

    #[test]
    fn every_text_stands_out_from_every_ground() {
        for (name, palette, theme) in [
            ("light", LIGHT, egui::Theme::Light),
            ("dark", DARK, egui::Theme::Dark),
        ] {
            let visuals = visuals(&palette, theme);
            let faint: Vec<String> = pairs(&palette, &visuals)
                .into_iter()
                .map(|(color, ground)| (contrast_ratio(color, ground), color, ground))
                .filter(|(ratio, ..)| *ratio < LEAST)
                .map(|(ratio, color, ground)| format!("{ratio:.2} : 1, {color:?} on {ground:?}"))
                .collect();
            assert!(faint.is_empty(), "{name}\n{}", faint.join("\n"));
        }
    }
}
