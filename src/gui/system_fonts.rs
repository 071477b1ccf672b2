//! Fonts of the system in the window, as texts need them.

use std::sync::Arc;

use egui::epaint::text::VariationCoords;
use egui::{
    Context, FallbackRequest, FontData, FontFamily, FontInsert, FontPriority, FontProvider,
    FontTweak, Id, InsertFontFamily,
};

use super::theme;
use canopy_app::jobs::FontFinder;
use canopy_chart::typesetting::{FontKey, SystemFont};

/// Gives egui the fonts that were found.
pub struct WindowFonts {
    provider: Arc<Provider>,
    /// Revision of the fonts that the window draws with.
    revision: u64,
}

struct Provider(FontFinder);

/// Whether [`theme::wide`] families have fonts.
pub(crate) fn has_wide(ctx: &Context) -> bool {
    ctx.data(|data| data.get_temp(has_wide_id()).unwrap_or(false))
}

fn has_wide_id() -> Id {
    Id::unique("wide families")
}

impl WindowFonts {
    /// Has egui ask for fonts that are looked for as texts need them.
    pub fn install(ctx: &Context, finder: FontFinder) -> Self {
        let fonts = Self {
            provider: Arc::new(Provider(finder)),
            revision: 0,
        };
        ctx.set_font_providers(vec![fonts.provider.clone()]);
        ctx.data_mut(|data| data.insert_temp(has_wide_id(), true));
        fonts
    }

    /// Takes up what was found since; to be called before a frame is drawn.
    pub fn refresh(&mut self, ctx: &Context) {
        let revision = self.provider.0.revision();
        if revision != self.revision {
            self.revision = revision;
            // egui queries a provider once for each letter; a new list is queried again.
            ctx.set_font_providers(vec![self.provider.clone()]);
        }
    }
}

impl FontProvider for Provider {
    fn fonts_for_family(&self, family: &FontFamily) -> Vec<FontInsert> {
        let Some((weight, han)) = theme::family_of_wide(family) else {
            return vec![];
        };
        let key = FontKey {
            character: '、',
            weight,
            han,
        };
        // Until it is found, and without one, signs look as among Latin letters.
        let latin = || FontInsert::new("Inter", FontData::from_static(theme::INTER), vec![]);
        let found = self.0.font(key).map(|font| insert(font, family));
        vec![found.unwrap_or_else(latin)]
    }

    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        let character = request.cluster.chars().next()?;
        let (weight, han) = theme::family_of(request.family);
        let key = FontKey {
            character,
            weight,
            han,
        };
        self.0.font(key).map(|font| insert(font, request.family))
    }
}

fn insert(font: SystemFont, family: &FontFamily) -> FontInsert {
    let mut tweak = FontTweak::default();
    if let Some(weight) = font.weight {
        tweak.coords = VariationCoords::new([(b"wght", weight)]);
    }
    let data = FontData::from_blob(Arc::new(Blob(font.data)), font.index).tweak(tweak);
    let families = vec![InsertFontFamily {
        family: family.clone(),
        priority: FontPriority::Lowest,
    }];
    FontInsert::new(&font.name, data, families)
}

/// The bytes of a font, which its faces share.
struct Blob(Arc<Vec<u8>>);

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
