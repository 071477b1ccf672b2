//! PDFs: their text, as a page of HTML. tests/data/pdf/make.py makes the files.

use std::path::{Path, PathBuf};

use canopy::text::document::{Document, Format, ParagraphKind};
use canopy::text::error::Error;

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.join("tests/data/pdf").join(name)
}

#[test]
fn columns_pages_and_hyphens_become_paragraphs() {
    let document = Document::open(file("report.pdf"), None).expect("readable");
    assert_eq!(document.format, Format::Pdf);
    let paragraphs = document.paragraphs.iter();
    let paragraphs: Vec<(ParagraphKind, String)> = paragraphs
        .map(|paragraph| {
            let sentences = document.sentences[paragraph.sentences.clone()].iter();
            let texts: Vec<&str> = sentences.map(|sentence| sentence.text.as_str()).collect();
            (paragraph.kind, texts.join(" "))
        })
        .collect();
    let texts: Vec<&str> = paragraphs.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "report",
            "How documents are read",
            "Relevance decides which sentences a model reads, and the others are left out. A",
            "second column is read after the first one. It ends here.",
            "Another paragraph.",
            "Lists & <marks>",
            "• The first item goes on in a line that hangs below its text.",
            "• The second one is short.",
            "A paragraph ends on the next page, where it goes on.",
            "In the margin",
            "The end.",
        ]
    );
    let headings = paragraphs
        .iter()
        .filter(|(kind, _)| *kind == ParagraphKind::Heading);
    assert_eq!(headings.count(), 2);
    assert_eq!(document.sections.len(), 3, "{:?}", document.sections);
}

#[test]
fn a_translation_is_a_page_and_may_not_be_named_a_pdf() {
    let document = Document::open(file("report.pdf"), None).expect("readable");
    let translations: Vec<Option<String>> = document
        .sentences
        .iter()
        .map(|sentence| Some(sentence.text.to_uppercase()))
        .collect();
    let written = document.written(&translations, Some("de")).expect("a page");
    let page = Document::from_bytes("page.html", Format::Html, written).expect("a page");
    let texts = |document: &Document| -> Vec<String> {
        let sentences = document.sentences.iter();
        sentences.map(|sentence| sentence.text.clone()).collect()
    };
    let wanted = texts(&document).into_iter().map(|text| text.to_uppercase());
    assert_eq!(texts(&page), wanted.collect::<Vec<_>>());
    assert_eq!(Format::Pdf.written_extension(), "html");
    let check = |name: &str| Format::Pdf.check_written_name(Path::new(name));
    assert!(check("report.de.html").is_ok() && check("report").is_ok());
    let error = check("report.de.pdf").expect_err("no PDF is written");
    assert!(error.to_string().contains(".html"), "{error}");
}

#[test]
fn pictures_passwords_and_damage_are_reported() {
    let error = |name: &str| Document::open(file(name), None).expect_err("refused");
    assert!(matches!(error("locked.pdf"), Error::Encrypted { .. }));
    assert!(error("picture.pdf").to_string().contains("OCR"));
    let whole = std::fs::read(file("report.pdf")).expect("a file");
    let mut refused = 0;
    for cut in (0..whole.len()).step_by(97) {
        let mut turned = whole.clone();
        turned[cut] ^= 0x15;
        for bytes in [whole[..cut].to_vec(), turned] {
            refused += usize::from(Document::from_bytes("x.pdf", Format::Pdf, bytes).is_err());
        }
    }
    assert!(refused > 10, "{refused}");
    // Even an empty or foreign file under this name is an error, not a panic.
    assert!(Document::from_bytes("x.pdf", Format::Pdf, b"no PDF".to_vec()).is_err());
}

#[test]
fn a_drawing_without_end_is_left() {
    // Each form draws the next one sixteen times.
    let mut pdf = String::from(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>endobj\n4 0 obj<</Length 5>>stream\n/F Do\nendstream endobj\n",
    );
    let again = "/F Do ".repeat(16);
    for number in 5..13 {
        let next = number + 1;
        let form = format!(
            "{number} 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F {next} 0 R>>>>/Length {}>>stream\n{again}\nendstream endobj\n",
            again.len()
        );
        pdf.push_str(&form);
    }
    pdf += "13 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 12>>stream\n0 0 1 1 re f\nendstream endobj\ntrailer<</Root 1 0 R>>\n";
    let opened = Document::from_bytes("bomb.pdf", Format::Pdf, pdf.into_bytes());
    assert!(matches!(opened, Err(Error::Damaged { .. })), "{opened:?}");
}
