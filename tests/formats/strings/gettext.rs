//! Catalogues of gettext.

use super::*;

const PO: &str = "# A note\nmsgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n\"Content-Type: text/plain; charset=CHARSET\\n\"\n\"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n\"\n\n#. For the title\n#, c-format\nmsgctxt \"window\"\nmsgid \"100% of %s\"\nmsgstr \"\"\n\nmsgid \"One file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n#, fuzzy\n#| msgid \"Ope\"\nmsgid \"Open\"\nmsgstr \"Zu\"\n\nmsgid \"Close %s\"\nmsgstr \"%s schließen\"\n\n#~ msgid \"Old\"\n#~ msgstr \"Alt\"\n";

#[test]
fn a_template_becomes_a_catalogue_of_its_language() {
    let document = read("a.pot", PO.as_bytes());
    assert_eq!(
        document.paragraphs[0].note.as_deref(),
        Some("For the title\nwindow")
    );
    let close = document.sentences.last().expect("a sentence");
    assert_eq!(
        close.known_text(),
        Some(format!("{} schließen", close.text.replace("Close ", "")).as_str())
    );
    let new: Vec<Option<String>> = document
        .sentences
        .iter()
        .map(|it| it.known.is_none().then(|| format!("Ж{}", it.text)))
        .collect();
    let written = document.written(&new, Some("ru")).expect("written");
    let written = String::from_utf8(written).expect("UTF-8");
    let expected = PO
        .replace("Language: ", "Language: ru")
        .replace("CHARSET", "UTF-8")
        .replace("nplurals=INTEGER; plural=EXPRESSION;", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);")
        .replace("#, c-format", "#, fuzzy, c-format")
        .replace("%s\"\nmsgstr \"\"", "%s\"\nmsgstr \"Ж100% of %s\"")
        .replace("msgid \"One file\"", "#, fuzzy\nmsgid \"One file\"")
        .replace("msgstr[0] \"\"\nmsgstr[1] \"\"", "msgstr[0] \"Ж%d files\"\nmsgstr[1] \"Ж%d files\"\nmsgstr[2] \"Ж%d files\"")
        .replace("\"Zu\"", "\"ЖOpen\"");
    assert_eq!(written, expected);
}

#[test]
fn fuzzy_messages_stay_unless_they_translate_another_or_are_to_be_translated_anew() {
    let file = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n\
                #, fuzzy\nmsgid \"Open\"\nmsgstr \"Auf\"\n\n#, fuzzy\n#| msgid \"Clos\"\nmsgid \"Close\"\nmsgstr \"Zu\"\n";
    let document = read("a.po", file.as_bytes());
    let known = document.sentences[0].known.as_ref().expect("a draft");
    assert_eq!((known.text.as_str(), known.is_draft()), ("Auf", true));
    assert_eq!(document.sentences[1].known, None);
    assert_eq!(document.known_pairs().count(), 0);
    let written = document
        .written(&[None, Some("Schließen".to_owned())], Some("de"))
        .expect("written");
    assert_eq!(
        String::from_utf8(written).expect("UTF-8"),
        file.replace("Zu", "Schließen")
    );
    let anew = ReadingOptions {
        drafts: true,
        ..ReadingOptions::default()
    };
    let document = read_with("a.po", file.as_bytes(), &anew);
    assert_eq!(document.sentences[0].known, None);
    let written = document
        .written(&[Some("Öffnen".to_owned())], Some("de"))
        .expect("written");
    assert_eq!(
        String::from_utf8(written).expect("UTF-8"),
        file.replace("Auf", "Öffnen")
    );
}

#[test]
fn a_language_that_the_encoding_lacks_makes_a_catalogue_utf8() {
    let file = b"msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\nmsgid \"Open\"\nmsgstr \"\"\n\nmsgid \"Close\"\nmsgstr \"Schlie\xDFen\"\n";
    let document = read("a.po", file);
    let keeps = document
        .written(&[Some("Öffnen".to_owned())], Some("de"))
        .expect("written");
    assert!(keeps.ends_with(b"msgstr \"\xD6ffnen\"\n\nmsgid \"Close\"\nmsgstr \"Schlie\xDFen\"\n"));
    let other = document
        .written(&[Some("Открыть".to_owned())], Some("ru"))
        .expect("written");
    let other = String::from_utf8(other).expect("UTF-8");
    assert!(
        other.contains("charset=UTF-8") && other.contains("\"Schließen\""),
        "{other}"
    );
}

/// gettext itself finds nothing wrong with what is written.
#[test]
#[cfg_attr(not(has_msgfmt), ignore = "needs msgfmt")]
fn gettext_accepts_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let values: Vec<String> = (0..200).map(|_| text(&mut random, &[&PIECES])).collect();
    let header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
    let document = read("a.po", format!("{header}{}", po(&values)).as_bytes());
    let new: Vec<Option<String>> = document
        .sentences
        .iter()
        .map(|it| Some(translation("a.po", &it.text, &mut random)))
        .collect();
    let written = document.written(&new, Some("pl")).expect("written");
    let path = folder.path().join("a.po");
    std::fs::write(&path, written).expect("written");
    let checked = std::process::Command::new("msgfmt")
        .arg("--use-fuzzy")
        .arg("-o")
        .arg("/dev/null")
        .arg(&path)
        .output()
        .expect("msgfmt");
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stderr)
    );
}

#[test]
fn a_catalogue_that_ends_within_a_plural_form_is_refused() {
    let file = "msgid \"One\"\nmsgid_plural \"Many\"\nmsgstr[0";
    let format = Format::from_content("a.po".as_ref(), file.as_bytes()).expect("a catalogue");
    let options = ReadingOptions::default();
    let message = Document::from_bytes_with("a.po", format, file.as_bytes().to_vec(), &options);
    let message = message.expect_err("it is cut off").to_string();
    assert!(message.contains("plural form"), "{message}");
}
