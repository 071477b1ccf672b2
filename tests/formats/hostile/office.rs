//! Small sound files of Office, OpenDocument and EPUB, with what their readers look at.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::readers::document;
use super::seeds::{Seed, real};

/// These entries as an archive; its first one says what it is.
pub fn archive(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .expect("an entry");
        writer.write_all(text.as_bytes()).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

/// The small file, and real ones where they are.
fn with(ending: &'static str, entries: &[(&str, &str)]) -> Vec<Seed> {
    let own = Seed::file(&format!("a.{ending}"), archive(entries));
    let mut seeds = vec![own];
    seeds.extend(real(&[ending]));
    seeds
}

/// `[Content_Types].xml` and `_rels/.rels` of a package whose main part is this.
fn package(part: &str, kind: &str) -> [String; 2] {
    [
        format!(
            "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" \
             ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/>\
             <Override PartName=\"/{part}\" ContentType=\"application/vnd.openxmlformats-officedocument.{kind}.main+xml\"/></Types>"
        ),
        relations(&[("officeDocument", part)]),
    ]
}

fn relations(of: &[(&str, &str)]) -> String {
    let each = of.iter().enumerate().map(|(number, (kind, target))| {
        format!(
            "<Relationship Id=\"rId{}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/>",
            number + 1
        )
    });
    format!(
        "<?xml version=\"1.0\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{}</Relationships>",
        each.collect::<String>()
    )
}

const WORDS: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
                     xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
                     xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\"";

pub fn docx() -> Vec<Seed> {
    let part = "word/document.xml";
    let [types, root] = package(part, "wordprocessingml.document");
    let document = format!(
        "<?xml version=\"1.0\"?><w:document {WORDS}><w:body><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>A title</w:t></w:r></w:p>\
         <w:p><w:r><w:t xml:space=\"preserve\">One </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>word</w:t></w:r><w:hyperlink r:id=\"rId1\"><w:r><w:t>link</w:t></w:r>\
         </w:hyperlink><w:r><w:footnoteReference w:id=\"2\"/></w:r><w:r><w:tab/><w:t>two.</w:t><w:br/></w:r><w:ins w:id=\"1\"><w:r><w:t>new</w:t></w:r></w:ins>\
         <w:del w:id=\"2\"><w:r><w:delText>old</w:delText></w:r></w:del></w:p><w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> PAGE </w:instrText>\
         </w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>3</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:drawing><wp:inline>\
         <wp:docPr id=\"1\" name=\"p\" descr=\"a picture\"/></wp:inline></w:drawing></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
         </w:body></w:document>"
    );
    let notes = format!(
        "<?xml version=\"1.0\"?><w:footnotes {WORDS}><w:footnote w:id=\"2\"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    );
    let links = relations(&[("hyperlink", "x"), ("footnotes", "footnotes.xml")]);
    with(
        "docx",
        &[
            ("[Content_Types].xml", &types),
            ("_rels/.rels", &root),
            (part, &document),
            ("word/_rels/document.xml.rels", &links),
            ("word/footnotes.xml", &notes),
        ],
    )
}

pub fn pptx() -> Vec<Seed> {
    let part = "ppt/presentation.xml";
    let [types, root] = package(part, "presentationml.presentation");
    let names = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
                 xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\"";
    let show = format!(
        "<?xml version=\"1.0\"?><p:presentation {names}><p:sldIdLst><p:sldId id=\"256\" r:id=\"rId1\"/></p:sldIdLst></p:presentation>"
    );
    let slide = format!(
        "<?xml version=\"1.0\"?><p:sld {names}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"n\" descr=\"d\"/></p:nvSpPr><p:txBody><a:p><a:r><a:t>One </a:t></a:r>\
         <a:r><a:rPr b=\"1\"/><a:t>word.</a:t></a:r><a:br/><a:fld id=\"f\" type=\"slidenum\"><a:t>1</a:t></a:fld></a:p><a:p><a:r><a:t>Two</a:t></a:r></a:p></p:txBody></p:sp>\
         <p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData>\
         </a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>"
    );
    with(
        "pptx",
        &[
            ("[Content_Types].xml", &types),
            ("_rels/.rels", &root),
            (part, &show),
            (
                "ppt/_rels/presentation.xml.rels",
                &relations(&[("slide", "slides/slide1.xml")]),
            ),
            ("ppt/slides/slide1.xml", &slide),
        ],
    )
}

pub fn xlsx() -> Vec<Seed> {
    let part = "xl/workbook.xml";
    let [types, root] = package(part, "spreadsheetml.sheet");
    let names = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
    let book = format!(
        "<?xml version=\"1.0\"?><workbook {names}><sheets><sheet name=\"First\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let sheet = format!(
        "<?xml version=\"1.0\"?><worksheet {names}><sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c></row><row r=\"2\"><c r=\"A2\"><v>3.5</v></c>\
         <c r=\"B2\" t=\"inlineStr\"><is><t>inside</t></is></c><c r=\"C2\" t=\"str\"><f>A1</f><v>One</v></c></row></sheetData></worksheet>"
    );
    let strings = format!(
        "<?xml version=\"1.0\"?><sst {names} count=\"2\" uniqueCount=\"2\"><si><t>One word.</t></si><si><r><rPr><b/></rPr><t>Two</t></r><r><t xml:space=\"preserve\"> three</t></r>\
         <rPh sb=\"0\" eb=\"1\"><t>p</t></rPh></si></sst>"
    );
    let links = relations(&[
        ("worksheet", "worksheets/sheet1.xml"),
        ("sharedStrings", "sharedStrings.xml"),
    ]);
    with(
        "xlsx",
        &[
            ("[Content_Types].xml", &types),
            ("_rels/.rels", &root),
            (part, &book),
            ("xl/_rels/workbook.xml.rels", &links),
            ("xl/worksheets/sheet1.xml", &sheet),
            ("xl/sharedStrings.xml", &strings),
        ],
    )
}

/// An OpenDocument file of this kind with this body.
fn open_document(ending: &'static str, kind: &str, body: &str) -> Vec<Seed> {
    let media = format!("application/vnd.oasis.opendocument.{kind}");
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
         xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" xmlns:draw=\"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0\" \
         xmlns:svg=\"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" office:version=\"1.3\"><office:body>{body}\
         </office:body></office:document-content>"
    );
    let manifest = format!(
        "<?xml version=\"1.0\"?><manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"><manifest:file-entry manifest:full-path=\"/\" \
         manifest:media-type=\"{media}\"/><manifest:file-entry manifest:full-path=\"content.xml\" manifest:media-type=\"text/xml\"/></manifest:manifest>"
    );
    with(
        ending,
        &[
            ("mimetype", &media),
            ("content.xml", &content),
            ("META-INF/manifest.xml", &manifest),
        ],
    )
}

pub fn odt() -> Vec<Seed> {
    open_document(
        "odt",
        "text",
        "<office:text><text:h text:outline-level=\"1\">A title</text:h><text:p>One <text:span text:style-name=\"b\">word</text:span><text:s text:c=\"2\"/><text:a xlink:href=\"x\">link\
         </text:a><text:note text:note-class=\"footnote\"><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note><text:tab/>two.\
         <text:line-break/><draw:frame><draw:image xlink:href=\"y\"/><svg:title>picture</svg:title></draw:frame></text:p><text:list><text:list-item><text:p>item</text:p></text:list-item>\
         </text:list><table:table><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell></table:table-row></table:table></office:text>",
    )
}

pub fn ods() -> Vec<Seed> {
    open_document(
        "ods",
        "spreadsheet",
        "<office:spreadsheet><table:table table:name=\"First\"><table:table-row><table:table-cell office:value-type=\"string\"><text:p>One word.</text:p></table:table-cell>\
         <table:table-cell office:value-type=\"float\" office:value=\"3\"><text:p>3</text:p></table:table-cell><table:table-cell table:number-columns-repeated=\"3\"/></table:table-row>\
         <table:table-row table:number-rows-repeated=\"2\"><table:table-cell office:value-type=\"string\"><text:p>Two</text:p><text:p>lines</text:p></table:table-cell></table:table-row>\
         </table:table></office:spreadsheet>",
    )
}

pub fn odp() -> Vec<Seed> {
    open_document(
        "odp",
        "presentation",
        "<office:presentation><draw:page draw:name=\"p\"><draw:frame><draw:text-box><text:p>One <text:span>word.</text:span></text:p><text:list><text:list-item><text:p>item</text:p>\
         </text:list-item></text:list></draw:text-box></draw:frame></draw:page></office:presentation>",
    )
}

pub fn epub() -> Vec<Seed> {
    with("epub", &book())
}

fn book() -> [(&'static str, &'static str); 5] {
    let container = "<?xml version=\"1.0\"?><container version=\"1.0\" xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles><rootfile full-path=\"O/p.opf\" \
                     media-type=\"application/oebps-package+xml\"/></rootfiles></container>";
    let package = "<?xml version=\"1.0\"?><package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" unique-identifier=\"i\"><metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\
                   <dc:identifier id=\"i\">x</dc:identifier><dc:title>A title</dc:title><dc:language>en</dc:language></metadata><manifest><item id=\"a\" href=\"a.xhtml\" \
                   media-type=\"application/xhtml+xml\"/><item id=\"n\" href=\"n.ncx\" media-type=\"application/x-dtbncx+xml\"/></manifest><spine toc=\"n\"><itemref idref=\"a\"/></spine></package>";
    let page = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"en\"><head><title>t</title></head><body><h1>Head</h1><p>One <b>word</b>. Two<br/>three\
                <img src=\"x\" alt=\"a picture\"/></p></body></html>";
    let contents = "<?xml version=\"1.0\"?><ncx xmlns=\"http://www.daisy.org/z3986/2005/ncx/\" version=\"2005-1\"><navMap><navPoint id=\"p\" playOrder=\"1\"><navLabel><text>Head</text>\
                    </navLabel><content src=\"a.xhtml\"/></navPoint></navMap></ncx>";
    [
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", container),
        ("O/p.opf", package),
        ("O/a.xhtml", page),
        ("O/n.ncx", contents),
    ]
}

/// Whether the book is read, and written, with this in the place of that.
fn is_read(that: &str, this: &str) -> bool {
    let entries = book().map(|(name, text)| (name, text.replace(that, this)));
    let entries = entries
        .each_ref()
        .map(|(name, text)| (*name, text.as_str()));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.epub");
    std::fs::write(&path, archive(&entries)).expect("written");
    document(&path)
}

#[test]
fn titles_within_titles_and_pages_that_are_too_deep_end_no_reader() {
    assert!(is_read("A title", "A <dc:title>nested</dc:title> title"));
    let deep = "<div>".repeat(600) + "One" + &"</div>".repeat(600);
    assert!(!is_read("One", &deep));
}
