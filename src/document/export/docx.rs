//! A table with source and target in a Word document.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::Export;
use crate::error::{Error, Result};
use crate::formats::{escaped, escaped_attribute, is_right_to_left};

const TYPES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
<Default Extension=\"xml\" ContentType=\"application/xml\"/>\
<Override PartName=\"/word/document.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/>\
</Types>";
const RELATIONSHIPS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/>\
</Relationships>";
const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>\
<w:tbl><w:tblPr><w:tblW w:w=\"5000\" w:type=\"pct\"/><w:tblBorders>\
<w:top w:val=\"single\" w:sz=\"4\"/><w:left w:val=\"single\" w:sz=\"4\"/><w:bottom w:val=\"single\" w:sz=\"4\"/>\
<w:right w:val=\"single\" w:sz=\"4\"/><w:insideH w:val=\"single\" w:sz=\"4\"/><w:insideV w:val=\"single\" w:sz=\"4\"/>\
</w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w=\"700\"/><w:gridCol w:w=\"6800\"/><w:gridCol w:w=\"6800\"/></w:tblGrid>";
const END: &str = "</w:tbl><w:p/><w:sectPr><w:pgSz w:w=\"16838\" w:h=\"11906\" w:orient=\"landscape\"/>\
<w:pgMar w:top=\"1134\" w:right=\"1134\" w:bottom=\"1134\" w:left=\"1134\" w:header=\"709\" w:footer=\"709\" w:gutter=\"0\"/>\
</w:sectPr></w:body></w:document>";

impl Export<'_> {
    /// A row for each sentence.
    pub(super) fn docx(&self) -> Result<Vec<u8>> {
        let mut body = BEGIN.to_owned();
        let (source, target) = (&self.languages.source, &self.languages.target);
        row(&mut body, "", (source, source), (target, target));
        for index in 0..self.document.sentences.len() {
            let (from, to) = self.pair(index);
            row(
                &mut body,
                &(index + 1).to_string(),
                (&from, source),
                (&to, target),
            );
        }
        body += END;
        let entries = [
            ("[Content_Types].xml", TYPES),
            ("_rels/.rels", RELATIONSHIPS),
            ("word/document.xml", &body),
        ];
        packed(&entries).map_err(Error::write("word/document.xml"))
    }
}

fn packed(entries: &[(&str, &str)]) -> std::io::Result<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer.start_file(*name, SimpleFileOptions::default())?;
        writer.write_all(text.as_bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}

/// A row with a number, and two texts with their languages.
fn row(body: &mut String, number: &str, source: (&str, &str), target: (&str, &str)) {
    *body += "<w:tr>";
    for (text, language) in [(number, "en"), source, target] {
        let (paragraph, run, attribute) = if is_right_to_left(language) {
            ("<w:pPr><w:bidi/></w:pPr>", "<w:rtl/>", "bidi")
        } else {
            ("", "", "val")
        };
        // Writing to a string does not fail.
        let _ = write!(
            body,
            "<w:tc><w:p>{paragraph}<w:r><w:rPr>{run}<w:lang w:{attribute}=\"{}\"/></w:rPr><w:t xml:space=\"preserve\">{}</w:t></w:r></w:p></w:tc>",
            escaped_attribute(language),
            escaped(text)
        );
    }
    *body += "</w:tr>";
}
