//! Fonts of the system, found by the characters they have.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use fontdb::{Database, FaceInfo, ID, Source, Stretch, Style};
use skrifa::{FontRef, MetadataProvider, raw::TableProvider};

use super::script::{Han, font_script};
use canopy_base::table::row;

/// Which font is wanted for a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FontKey {
    /// The character that the font must have.
    pub character: char,
    /// 400 is regular, 600 semibold.
    pub weight: u16,
    /// For Chinese characters, whose.
    pub han: Option<Han>,
}

/// The file of a font and a face in it.
#[derive(Clone)]
pub struct SystemFont {
    /// Unique name of the face.
    pub name: String,
    /// Bytes of the font file.
    pub data: Arc<Vec<u8>>,
    /// Index of the face in a collection, 0 in a file of one face.
    pub index: u32,
    /// Where its weight can be varied, the weight that is wanted.
    pub weight: Option<f32>,
}

impl std::fmt::Debug for SystemFont {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.data.len())
    }
}

/// The fonts of the system, and the files that have been read.
pub struct SystemFonts {
    database: Database,
    /// Files are large; the faces of one share it.
    files: HashMap<PathBuf, Arc<Vec<u8>>>,
}

impl SystemFonts {
    /// Looks through the folders where the system keeps its fonts. Takes some tenths of a second.
    pub fn scan() -> Self {
        let mut database = Database::new();
        database.load_system_fonts();
        Self {
            database,
            files: HashMap::new(),
        }
    }

    /// The best font that has a character.
    pub fn find(&mut self, key: FontKey) -> Option<SystemFont> {
        let id = self.best(key)?;
        let face = self.database.face(id)?;
        let name = format!("system:{}:{}", face.post_script_name, key.weight);
        let index = face.index;
        let (Source::File(path) | Source::SharedFile(path, _)) = &face.source else {
            return None;
        };
        let data = if let Some(data) = self.files.get(path) {
            data.clone()
        } else {
            // A font that went since is as good as none.
            let data = Arc::new(std::fs::read(path).ok()?);
            self.files.insert(path.clone(), data.clone());
            data
        };
        let varies = varies_in_weight(&data, index);
        Some(SystemFont {
            name,
            data,
            index,
            weight: varies.then(|| f32::from(key.weight)),
        })
    }

    fn best(&self, key: FontKey) -> Option<ID> {
        let covers = |face: &&FaceInfo| {
            let has = |data: &[u8], index| covers(data, index, key.character);
            self.database.with_face_data(face.id, has) == Some(true)
        };
        let distance = |face: &FaceInfo| face.weight.0.abs_diff(key.weight);
        let mut faces: Vec<&FaceInfo> = self
            .database
            .faces()
            .filter(|face| face.style == Style::Normal && face.stretch == Stretch::Normal)
            .collect();
        for family in preferred(key) {
            let is_it = |face: &&&FaceInfo| {
                let mut names = face.families.iter();
                names.any(|(name, _)| name.eq_ignore_ascii_case(&family))
            };
            let found = faces.iter().filter(is_it).copied();
            let mut found: Vec<&FaceInfo> = found.collect();
            found.sort_by_key(|face| distance(face));
            if let Some(face) = found.into_iter().find(covers) {
                return Some(face.id);
            }
        }
        // Any font at all: plain ones first, then in an order that does not change.
        faces.sort_by_key(|face| {
            let name = &face.post_script_name;
            let is_special = face.monospaced || name.contains("Serif") || name.contains("UI");
            (is_special, distance(face), name.clone())
        });
        faces.into_iter().find(covers).map(|face| face.id)
    }
}

const FAMILIES: &str = include_str!("families.tsv");

fn families(kind: &str) -> Option<impl Iterator<Item = String>> {
    let names = row(FAMILIES, kind)?.split('\t');
    Some(names.map(str::to_owned))
}

/// Families that are known to be good for a character's script, the best first.
fn preferred(key: FontKey) -> Vec<String> {
    let script = font_script(key.character);
    let known = match script {
        Some("Han" | "Hangul") => return han_families(key),
        Some(script) => families(script).or_else(|| families("other")),
        None => families("symbols"),
    };
    let noto = script.map(|script| format!("Noto Sans {}", script.replace('_', " ")));
    noto.into_iter()
        .chain(known.into_iter().flatten())
        .collect()
}

fn han_families(key: FontKey) -> Vec<String> {
    let of = |han: Han| {
        families(match han {
            Han::Simplified => "Simplified",
            Han::Traditional => "Traditional",
            Han::Japanese => "Japanese",
            Han::Korean => "Korean",
        })
    };
    let by_letters = Han::from_text(key.character.encode_utf8(&mut [0; 4]));
    let wanted = key.han.or(by_letters).unwrap_or(Han::Simplified);
    let others = Han::ALL.into_iter().filter(|han| *han != wanted);
    let names = std::iter::once(wanted).chain(others).filter_map(of);
    names.flatten().collect()
}

/// Whether a font has a shape for a character.
pub fn covers(data: &[u8], index: u32, character: char) -> bool {
    let Ok(font) = FontRef::from_index(data, index) else {
        return false;
    };
    // Fonts of coloured pictures have no outlines.
    let glyph = font.charmap().map(character);
    glyph.is_some_and(|glyph| glyph.to_u32() != 0 && font.outline_glyphs().get(glyph).is_some())
}

fn varies_in_weight(data: &[u8], index: u32) -> bool {
    FontRef::from_index(data, index).is_ok_and(|font| {
        let axes = font.axes();
        font.fvar().is_ok()
            && axes
                .iter()
                .any(|axis| axis.tag() == skrifa::Tag::new(b"wght"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_is_known_by_its_characters() {
        let inter = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
        assert!(covers(inter, 0, 'ß'));
        assert!(!covers(inter, 0, 'ع'));
        assert!(!covers(b"no font", 0, 'a'));
        assert!(!varies_in_weight(inter, 0));
    }

    #[test]
    fn the_best_known_families_come_first() {
        let first = |character, han| {
            let key = FontKey {
                character,
                weight: 400,
                han,
            };
            preferred(key).remove(0)
        };
        assert_eq!(first('ع', None), "Noto Sans Arabic");
        assert_eq!(first('中', None), "Noto Sans CJK SC");
        assert_eq!(first('中', Some(Han::Japanese)), "Noto Sans CJK JP");
        assert_eq!(first('한', None), "Noto Sans CJK KR");
        assert_eq!(first('か', None), "Noto Sans CJK JP");
        assert_eq!(first('。', Some(Han::Japanese)), "Noto Sans CJK JP");
    }
}
