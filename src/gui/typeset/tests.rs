use egui::epaint::text::FontTweak;
use egui::text::TextFormat;
use egui::{Context, FontData, FontDefinitions, FontFamily, RawInput};

use super::*;

/// Lays out with Inter alone: letters that it lacks are boxes, which is enough to see where they are.
fn laid_out(
    text: &str,
    width: f32,
    direction: Option<Direction>,
    objects: Option<Range<usize>>,
) -> Arc<Galley> {
    let ctx = Context::default();
    ctx.set_missing_glyph_policy(egui::MissingGlyphPolicy::Tofu);
    let mut fonts = FontDefinitions::empty();
    let inter: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
    let data = FontData::from_static(inter).tweak(FontTweak::default());
    fonts.font_data.insert("Inter".to_owned(), Arc::new(data));
    for family in [FontFamily::Proportional, FontFamily::Monospace] {
        fonts.families.insert(family, vec!["Inter".to_owned()]);
    }
    ctx.set_fonts(fonts);
    let mut laid_out = None;
    let _ = ctx.run_ui(RawInput::default(), |ui| {
        let mut job = LayoutJob::default();
        job.append(
            text,
            0.0,
            TextFormat::simple(FontId::proportional(14.0), Color32::WHITE),
        );
        job.wrap.max_width = width;
        let direction = direction.unwrap_or_else(|| Direction::from_text(text, None));
        let text = Text {
            job,
            direction,
            objects: objects.clone().into_iter().collect(),
        };
        let first = galley(ui, text.clone());
        assert!(Arc::ptr_eq(&first, &galley(ui, text)) || is_simple(&first.job.text));
        laid_out = Some(first);
    });
    laid_out.expect("laid out")
}

/// The letters of a row from left to right, those of no width left out.
fn seen(galley: &Galley, row: usize) -> String {
    let row = &galley.rows[row].row;
    let mut glyphs: Vec<_> = row
        .glyphs
        .iter()
        .filter(|glyph| glyph.advance_width.abs() > 0.0)
        .collect();
    glyphs.sort_by(|a, b| {
        let left = |glyph: &egui::epaint::text::Glyph| glyph.pos.x.min(glyph.max_x());
        left(a).total_cmp(&left(b))
    });
    glyphs.iter().map(|glyph| glyph.chr).collect()
}

#[test]
fn words_and_letters_from_the_right_stand_in_their_order() {
    let galley = laid_out("אבג דה 12 זח", f32::INFINITY, None, None);
    assert_eq!(galley.rows.len(), 1);
    assert_eq!(seen(&galley, 0), "חז 12 הד גבא");
    assert_eq!(galley.rows[0].row.glyphs.len(), 12, "a glyph a character");
    assert!(has_right_to_left(&galley));
    let mixed = laid_out("ab אב cd", f32::INFINITY, None, None);
    assert_eq!(seen(&mixed, 0), "ab בא cd");
    let from_right = laid_out("אב cd", f32::INFINITY, Some(Direction::RightToLeft), None);
    assert_eq!(seen(&from_right, 0), "cd בא");
}

#[test]
fn digits_of_arabic_run_from_the_left() {
    let galley = laid_out("بت ١٢٣ جد", f32::INFINITY, None, None);
    let seen = seen(&galley, 0);
    assert!(seen.contains("١٢٣"), "{seen}");
}

#[test]
fn rows_from_the_right_end_at_the_right_and_break_in_reading_order() {
    let galley = laid_out("אבגד אבגד אבגד", 70.0, None, None);
    assert!(galley.rows.len() >= 2);
    for row in &galley.rows {
        let first = row.row.glyphs.first().expect("a letter");
        assert_eq!(first.chr, 'א');
        assert!(
            (row.pos.x + first.pos.x - 70.0).abs() < 1.0,
            "begins on the right"
        );
    }
    let letters: usize = galley.rows.iter().map(|row| row.row.glyphs.len()).sum();
    assert_eq!(letters, 14);
    assert!(galley.rect.left() >= 0.0 && galley.rect.right() <= 70.0);
}

#[test]
fn lines_end_where_the_script_lets_them() {
    let chinese = laid_out("一二三四五六，七八。", 60.0, None, None);
    assert!(chinese.rows.len() > 1);
    for row in &chinese.rows[1..] {
        let first = row.row.glyphs.first().expect("a character").chr;
        assert!(first != '，' && first != '。', "{first} begins a line");
    }
    let thai = laid_out("ภาษาไทยภาษาไทย", 60.0, None, None);
    for row in &thai.rows {
        let text = row.row.text();
        assert!(text.starts_with('ภ') || text.starts_with('ไ'), "{text}");
    }
}

#[test]
fn a_chip_keeps_its_letters_in_order() {
    let text = "אב 12{x} גד";
    let objects = Some(3..8);
    let galley = laid_out(text, f32::INFINITY, None, objects);
    assert_eq!(seen(&galley, 0), "דג 12{x} בא");
    let places = places(&galley, &(3..8));
    assert_eq!(places.len(), 1);
    let rest = super::places(&galley, &(0..2));
    assert!(
        rest[0].left() >= places[0].right(),
        "what is read before it is on its right"
    );
}

#[test]
fn the_caret_goes_where_the_pointer_is() {
    let galley = laid_out("אבגד", 100.0, None, None);
    let y = galley.rows[0].pos.y + 2.0;
    let at = |x: f32| cursor_at(&galley, Vec2::new(x, y)).index.0;
    assert_eq!(at(99.0), 0);
    assert_eq!(at(0.0), 4);
    let rect = galley.pos_from_cursor(CCursor {
        index: 4_usize.into(),
        prefer_next_row: false,
    });
    let first = galley.pos_from_cursor(CCursor::default());
    assert!(rect.left() < first.left());
    let simple = laid_out("abcd", 100.0, None, None);
    assert_eq!(cursor_at(&simple, Vec2::new(0.0, y)).index.0, 0);
    assert_eq!(cursor_at(&simple, Vec2::new(99.0, y)).index.0, 4);
}

#[test]
fn what_is_too_long_ends_with_an_ellipsis() {
    let ctx = Context::default();
    let mut galleys = vec![];
    ctx.set_missing_glyph_policy(egui::MissingGlyphPolicy::Tofu);
    let _ = ctx.run_ui(RawInput::default(), |ui| {
        let font = FontId::proportional(14.0);
        let mut job =
            LayoutJob::simple_singleline("אבגד אבגד אבגד אבגד".to_owned(), font, Color32::WHITE);
        job.wrap = egui::text::TextWrapping::truncate_at_width(60.0);
        galleys.push(galley(ui, Text::new(job)));
    });
    let galley = &galleys[0];
    assert_eq!(galley.rows.len(), 1);
    assert!(galley.elided);
    assert!(galley.rect.width() <= 60.5, "{:?}", galley.rect);
    assert!(seen(galley, 0).starts_with('…'));
}

#[test]
fn what_may_be_cut_anywhere_is_shaped_in_whole_words() {
    let text = "हिन्दी विश्व";
    let words = |anywhere: bool| {
        let ctx = Context::default();
        ctx.set_missing_glyph_policy(egui::MissingGlyphPolicy::Tofu);
        let mut count = 0;
        let _ = ctx.run_ui(RawInput::default(), |ui| {
            let font = FontId::proportional(14.0);
            let mut job = LayoutJob::simple_singleline(text.to_owned(), font, Color32::WHITE);
            job.wrap.break_anywhere = anywhere;
            count = galley(ui, Text::new(job)).num_vertices;
        });
        count
    };
    assert_eq!(words(true), words(false));
}

#[test]
fn an_empty_text_from_the_right_has_its_caret_on_the_right() {
    let galley = laid_out("", 100.0, Some(Direction::RightToLeft), None);
    assert_eq!(galley.rows.len(), 1);
    assert!((galley.pos_from_cursor(CCursor::default()).left() - 100.0).abs() < 1.0);
    assert!(galley.rows[0].row.size.y > 5.0);
}
