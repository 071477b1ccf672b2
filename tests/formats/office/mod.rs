//! Word documents, presentations and workbooks.

mod bookmarks;
mod direction;
mod slides_and_sheets;
mod word;

use canopy::text::document::{Document, Format, ParagraphKind, ReadingOptions};
use canopy::text::placeholder::{CLOSE, open, point};

use super::properties::Inline;
use super::{entry, package, read, texts, translated};

const TYPES: &str =
    "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A list of relationships: id, kind and target.
fn relationships(all: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        format!("<Relationship Id=\"{id}\" Type=\"{RELATIONSHIPS}/{kind}\" Target=\"{target}\"/>")
    };
    let all: String = all.iter().map(one).collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
    )
}

/// A Word document with this body, and more parts.
fn word(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
         xmlns:r=\"{RELATIONSHIPS}\" xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
         xmlns:wps=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\" xmlns:v=\"urn:schemas-microsoft-com:vml\">\
         <w:body>{body}<w:sectPr/></w:body></w:document>"
    );
    let main = relationships(&[("rId1", "officeDocument", "word/document.xml")]);
    let named: Vec<_> = parts
        .iter()
        .map(|(kind, name, _)| (*name, *kind, *name))
        .collect();
    let related = relationships(&named);
    let paths: Vec<String> = parts
        .iter()
        .map(|(_, name, _)| format!("word/{name}"))
        .collect();
    let mut entries = vec![
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", &main),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &related),
    ];
    entries.extend(
        paths
            .iter()
            .zip(parts)
            .map(|(path, (_, _, text))| (path.as_str(), *text)),
    );
    package(&entries)
}

fn run(properties: &str, text: &str) -> String {
    format!(
        "<w:r w:rsidR=\"00AB\">{properties}<w:t xml:space=\"preserve\">{}</w:t></w:r>",
        escaped(text)
    )
}

pub fn docx(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => run("", text),
        Inline::Marked(text) => run("<w:rPr><w:b/></w:rPr>", text),
        Inline::Code => {
            "<w:bookmarkStart w:id=\"1\" w:name=\"x\"/><w:bookmarkEnd w:id=\"1\"/>".to_owned()
        }
    };
    let paragraph =
        |it: &Vec<Inline>| format!("<w:p>{}</w:p>", it.iter().map(inline).collect::<String>());
    word(&paragraphs.iter().map(paragraph).collect::<String>(), &[])
}

pub fn pptx(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => format!(
            "<a:r><a:rPr lang=\"en-US\"/><a:t>{}</a:t></a:r>",
            escaped(text)
        ),
        Inline::Marked(text) => format!(
            "<a:r><a:rPr lang=\"en-US\" b=\"1\"/><a:t>{}</a:t></a:r>",
            escaped(text)
        ),
        Inline::Code => "<a:br/>".to_owned(),
    };
    let paragraph = |it: &Vec<Inline>| {
        format!(
            "<a:p><a:pPr/>{}<a:endParaRPr lang=\"en-US\"/></a:p>",
            it.iter().map(inline).collect::<String>()
        )
    };
    let text: String = paragraphs.iter().map(paragraph).collect();
    slides(&text)
}

/// A presentation of one slide with the body `text`.
fn slides(text: &str) -> Vec<u8> {
    slide_with(text, &[])
}

/// A presentation of one slide with the body `text` and further parts, each by its path and its text.
fn slide_with(text: &str, further: &[(&str, &str)]) -> Vec<u8> {
    let spaces = slide_spaces();
    let presentation = format!(
        "<p:presentation {spaces}><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId7\"/></p:sldIdLst></p:presentation>"
    );
    let slide = format!("<p:sld {spaces}>{}</p:sld>", slide_body(text));
    let to_presentation = relationships(&[("rId1", "officeDocument", "ppt/presentation.xml")]);
    let to_slide = relationships(&[("rId7", "slide", "slides/slide1.xml")]);
    let mut parts = vec![
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", &to_presentation),
        ("ppt/presentation.xml", &presentation),
        ("ppt/_rels/presentation.xml.rels", &to_slide),
        ("ppt/slides/slide1.xml", &slide),
    ];
    parts.extend(further);
    package(&parts)
}

/// Name spaces of PresentationML.
fn slide_spaces() -> String {
    format!(
        "xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" xmlns:r=\"{RELATIONSHIPS}\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\""
    )
}

/// A shape with `text`, of a slide or of its notes.
fn slide_body(text: &str) -> String {
    format!("<p:cSld><p:spTree><p:sp><p:txBody>{text}</p:txBody></p:sp></p:spTree></p:cSld>")
}

pub fn xlsx(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => format!("<r><t xml:space=\"preserve\">{}</t></r>", escaped(text)),
        Inline::Marked(text) => format!(
            "<r><rPr><b/></rPr><t xml:space=\"preserve\">{}</t></r>",
            escaped(text)
        ),
        Inline::Code => "<r><t xml:space=\"preserve\">\n</t></r>".to_owned(),
    };
    let item = |it: &Vec<Inline>| match it.as_slice() {
        [Inline::Text(text)] => format!("<si><t xml:space=\"preserve\">{}</t></si>", escaped(text)),
        it => format!("<si>{}</si>", it.iter().map(inline).collect::<String>()),
    };
    let cell = |number: usize| {
        format!(
            "<row r=\"{0}\"><c r=\"A{0}\" t=\"s\"><v>{number}</v></c><c r=\"B{0}\"><v>7</v></c></row>",
            number + 1
        )
    };
    let strings: String = paragraphs.iter().map(item).collect();
    workbook(
        &strings,
        &(0..paragraphs.len()).map(cell).collect::<String>(),
        None,
    )
}

/// A workbook with these shared strings, these rows, and perhaps a table.
fn workbook(strings: &str, rows: &str, table: Option<&str>) -> Vec<u8> {
    const SPACE: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let book = format!(
        "<workbook {SPACE} xmlns:r=\"{RELATIONSHIPS}\"><sheets><sheet name=\"One\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let strings = format!("<sst {SPACE}>{strings}</sst>");
    let sheet = format!(
        "<worksheet {SPACE}><sheetViews><sheetView workbookViewId=\"0\"/></sheetViews>\
         <sheetData>{rows}</sheetData></worksheet>"
    );
    let of_book = relationships(&[
        ("rId1", "worksheet", "worksheets/sheet1.xml"),
        ("rId2", "sharedStrings", "sharedStrings.xml"),
    ]);
    let main = relationships(&[("rId1", "officeDocument", "xl/workbook.xml")]);
    let of_sheet = relationships(&[("rId1", "table", "../tables/table1.xml")]);
    let mut entries = vec![
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", main.as_str()),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &of_book),
        ("xl/worksheets/sheet1.xml", &sheet),
        ("xl/sharedStrings.xml", &strings),
    ];
    if let Some(table) = table {
        entries.push(("xl/worksheets/_rels/sheet1.xml.rels", &of_sheet));
        entries.push(("xl/tables/table1.xml", table));
    }
    package(&entries)
}
