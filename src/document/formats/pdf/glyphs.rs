//! Where the glyphs of a PDF are, and which letters they are.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hayro_interpret::font::{Glyph as Shape, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf, page::Page as PdfPage};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, TransformExt, interpret_page,
};

use crate::builder::Failure;

/// Drawing operations of all pages together, and more of them for each byte of the file. Forms that draw forms can make a
/// small file draw for ever.
const MAX_OPERATIONS: usize = 1 << 20;
const OPERATIONS_PER_BYTE: usize = 8;

/// The share of glyphs without a letter above which a text is not readable.
const MAX_UNKNOWN: f64 = 0.3;

/// Units of an em in the space of glyphs.
const EM: f64 = 1_000.0;

/// One glyph in points of a page, from its upper left corner.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub text: String,
    pub left: f64,
    pub right: f64,
    pub baseline: f64,
    pub size: f64,
}

/// The glyphs of a page in the order in which they are drawn, by the direction in which they are read: upright ones
/// first, then those that run down, upside down and up, each turned upright.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub turned: [Vec<Glyph>; 4],
    pub height: f64,
}

/// Reads all pages.
///
/// # Errors
/// If the file is damaged, has a password, draws for ever, or says of too few glyphs which letters they are.
pub(super) fn read(bytes: Vec<u8>) -> Result<Vec<Page>, Failure> {
    // The interpreter is made for any input, but a panic of it must not end the program, and nothing else ends a device.
    catch_unwind(AssertUnwindSafe(|| pages(bytes))).unwrap_or_else(|panic| {
        Err(if panic.is::<TooMuch>() {
            Failure::Damaged {
                part: "its pages".to_owned(),
                reason: "they draw far more than so small a file can mean".to_owned(),
            }
        } else {
            damaged("its pages", "they cannot be interpreted")
        })
    })
}

/// The payload of the panic by which a drawing without end is left.
struct TooMuch;

fn pages(bytes: Vec<u8>) -> Result<Vec<Page>, Failure> {
    let most = MAX_OPERATIONS + OPERATIONS_PER_BYTE * bytes.len();
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Failure::Encrypted,
        LoadPdfError::Decryption(_) => damaged("its encryption", "it is of an unknown kind"),
        LoadPdfError::Invalid => damaged("the file", "it is not a complete PDF"),
    })?;
    let cache = InterpreterCache::new();
    let mut reader = GlyphReader {
        operations_left: most,
        ..GlyphReader::default()
    };
    let mut pages = Vec::new();
    for page in pdf.pages().iter() {
        reader.page = Page {
            height: f64::from(page.render_dimensions().1),
            ..Page::default()
        };
        interpret(page, &pdf, &cache, &mut reader);
        pages.push(std::mem::take(&mut reader.page));
    }
    reader.check()?;
    Ok(pages)
}

fn interpret<'a>(
    page: &PdfPage<'a>,
    pdf: &'a Pdf,
    cache: &InterpreterCache<'a>,
    reader: &mut GlyphReader,
) {
    let (width, height) = page.render_dimensions();
    let bounds = Rect::new(0.0, 0.0, width.into(), height.into());
    let upright = page.initial_transform(true).to_kurbo();
    let settings = InterpreterSettings::default();
    let mut context = Context::new(upright, bounds, cache, pdf.xref(), settings);
    interpret_page(page, &mut context, reader);
}

/// A device that keeps glyphs.
#[derive(Default)]
struct GlyphReader {
    page: Page,
    operations_left: usize,
    glyphs: usize,
    unknown: usize,
}

impl GlyphReader {
    fn check(&self) -> Result<(), Failure> {
        if self.glyphs == 0 {
            return Err(damaged(
                "its pages",
                "they hold no text, only pictures; recognise their text first (OCR) and open what comes of it",
            ));
        }
        if self.unknown as f64 > MAX_UNKNOWN * self.glyphs as f64 {
            return Err(damaged(
                "its fonts",
                "they do not say which letters their glyphs are; recognise the text of the pages (OCR), or open the file that the PDF was made from",
            ));
        }
        Ok(())
    }

    fn count(&mut self) {
        match self.operations_left.checked_sub(1) {
            Some(left) => self.operations_left = left,
            None => resume_unwind(Box::new(TooMuch)),
        }
    }

    fn add(&mut self, glyph: &Shape<'_>, transform: Affine) {
        self.count();
        let advance = match glyph {
            Shape::Outline(outline) => outline.advance_width(),
            Shape::Type3(drawn) => drawn.advance_width(),
        };
        let text = match glyph.as_unicode() {
            Some(BfString::Char(character)) => character.to_string(),
            Some(BfString::String(text)) => text,
            None => char::REPLACEMENT_CHARACTER.to_string(),
        };
        self.glyphs += 1;
        self.unknown += usize::from(text.contains(char::REPLACEMENT_CHARACTER));
        let origin = transform * Point::ORIGIN;
        let end = transform * Point::new(f64::from(advance.unwrap_or(500.0)), 0.0);
        let across = transform * Point::new(EM, 0.0) - origin;
        let up = transform * Point::new(0.0, EM) - origin;
        let all = [origin.x, origin.y, end.x, end.y, up.x, up.y];
        if all.iter().any(|number| !number.is_finite()) || across.hypot() == 0.0 {
            return;
        }
        // Quarters of a turn, clockwise, since y points down.
        let quarter = if across.x.abs() >= across.y.abs() {
            if across.x > 0.0 { 0 } else { 2 }
        } else if across.y > 0.0 {
            1
        } else {
            3
        };
        let turn = |point: Point| match quarter {
            0 => point,
            1 => Point::new(point.y, -point.x),
            2 => Point::new(-point.x, -point.y),
            _ => Point::new(-point.y, point.x),
        };
        let (origin, end) = (turn(origin), turn(end));
        self.page.turned[quarter].push(Glyph {
            text,
            left: origin.x,
            right: end.x.max(origin.x),
            baseline: origin.y,
            size: up.hypot(),
        });
    }
}

impl<'a> Device<'a> for GlyphReader {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.count();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.count();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.count();
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for glyph in run.glyphs() {
            self.add(glyph, props.transform * glyph.transform());
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.count();
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

fn damaged(part: &str, reason: &str) -> Failure {
    Failure::Damaged {
        part: part.to_owned(),
        reason: reason.to_owned(),
    }
}
