//! Sound files that are to be damaged: our own of every kind, and real ones where they are.

use std::fs;
use std::path::{Path, PathBuf};

use canopy::memory::Shortlist;

use super::number_from_env;
use super::office::archive;

/// Files in a folder; the reader gets the first one.
pub struct Seed {
    pub files: Vec<(String, Vec<u8>)>,
    /// Number of the first ones that are damaged, one at a time.
    pub damaged: usize,
    /// Whether it may be refused as it is.
    pub is_doubtful: bool,
}

impl Seed {
    pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::folder(vec![(name.to_owned(), bytes.as_ref().to_vec())])
    }

    pub fn folder(files: Vec<(String, Vec<u8>)>) -> Self {
        let damaged = files.len();
        Self {
            files,
            damaged,
            is_doubtful: false,
        }
    }
}

/// Bytes of the largest real file, if `CANOPY_LARGEST` says nothing else: larger ones take more time than they find.
const LARGEST: u64 = 24_000;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files below our own data and, where they are, below those of other programs.
pub fn real(endings: &[&str]) -> Vec<Seed> {
    let mut folders = vec![
        root().join("tests/data"),
        root().join("../shared/documents"),
    ];
    let largest = number_from_env("CANOPY_LARGEST", LARGEST);
    let mut seeds = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            let ending = path
                .extension()
                .and_then(|it| it.to_str())
                .unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending)
                && fs::metadata(&path).is_ok_and(|it| it.len() <= largest)
            {
                let name = format!("a.{ending}");
                let bytes = fs::read(&path).expect("readable");
                seeds.push(Seed {
                    is_doubtful: true,
                    ..Seed::file(&name, bytes)
                });
            }
        }
    }
    seeds
}

fn with(own: &[(&str, &str)], endings: &[&str]) -> Vec<Seed> {
    let own = own.iter().map(|(name, text)| Seed::file(name, text));
    own.chain(real(endings)).collect()
}

pub fn html() -> Vec<Seed> {
    with(
        &[(
            "a.html",
            "<!DOCTYPE html><html lang=en><head><title>A title</title></head><body><p>One <b>word</b>, <a href=x>two</a>.<br>\
                      Three<img src=a alt='a picture'>.<table><tr><td>cell<td>other</table><pre>  kept  </pre><script>if (a < b) {}</script>\
                      <ul><li>item<li>item &amp; <code>x &lt; y</code></ul><svg><text>t</text></svg></body></html>",
        )],
        &["html"],
    )
}

pub fn markdown() -> Vec<Seed> {
    with(
        &[(
            "a.md",
            "---\ntitle: A title\n---\n# Head\n\nOne *word*, **two** and `code`, [a link](x \"title\") ![alt](y).\n\n- item\n  - item\n\
                    1. one\n\n> quoted\n> > twice\n\n| a | b |\n|---|---|\n| c | d `|` |\n\n```rust\nfn main() {}\n```\n\n<div>html</div>\n\n[^1]: note\n",
        )],
        &["md"],
    )
}

pub fn text() -> Vec<Seed> {
    with(
        &[(
            "a.txt",
            "A paragraph. Of two sentences!\nAnd a line.\n\n  Another one: 3.5 e.g. Mr. Smith.\n",
        )],
        &["txt"],
    )
}

pub fn pdf() -> Vec<Seed> {
    real(&["pdf"])
}

pub fn idml() -> Vec<Seed> {
    let story = "<?xml version=\"1.0\"?><idPkg:Story xmlns:idPkg=\"http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging\"><Story Self=\"u1\">\
                 <ParagraphStyleRange AppliedParagraphStyle=\"p\"><CharacterStyleRange AppliedCharacterStyle=\"c\"><Content>One word. Two.</Content>\
                 <Br/><Content>Three</Content></CharacterStyleRange><CharacterStyleRange AppliedCharacterStyle=\"d\"><Content>four</Content>\
                 <Footnote><ParagraphStyleRange><CharacterStyleRange><Content>note</Content></CharacterStyleRange></ParagraphStyleRange></Footnote>\
                 </CharacterStyleRange></ParagraphStyleRange></Story></idPkg:Story>";
    let map = "<?xml version=\"1.0\"?><Document xmlns:idPkg=\"http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging\" StoryList=\"u1\">\
               <idPkg:Spread src=\"Spreads/Spread_s.xml\"/><idPkg:Story src=\"Stories/Story_u1.xml\"/></Document>";
    let spread = "<?xml version=\"1.0\"?><idPkg:Spread xmlns:idPkg=\"http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging\"><Spread Self=\"s\">\
                  <Page Self=\"p\"/><TextFrame Self=\"t\" ParentStory=\"u1\" ItemTransform=\"1 0 0 1 0 0\"/></Spread></idPkg:Spread>";
    let bytes = archive(&[
        ("mimetype", "application/vnd.adobe.indesign-idml-package"),
        ("designmap.xml", map),
        ("Spreads/Spread_s.xml", spread),
        ("Stories/Story_u1.xml", story),
    ]);
    vec![Seed::file("a.idml", bytes)]
}

pub fn xliff() -> Vec<Seed> {
    with(
        &[
            (
                "a.xlf",
                "<?xml version=\"1.0\"?><xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"><file source-language=\"en\" target-language=\"de\" \
                       datatype=\"x\" original=\"a\"><body><group><trans-unit id=\"1\"><source>One <g id=\"1\">word</g><x id=\"2\"/>.</source><target state=\"translated\">\
                       Ein <g id=\"1\">Wort</g><x id=\"2\"/>.</target><note>n</note></trans-unit></group><trans-unit id=\"2\"><source>Two<bpt id=\"1\">&lt;b&gt;</bpt>b\
                       <ept id=\"1\">&lt;/b&gt;</ept></source><seg-source><mrk mtype=\"seg\" mid=\"0\">Two</mrk></seg-source></trans-unit></body></file></xliff>",
            ),
            (
                "a.xlf",
                "<?xml version=\"1.0\"?><xliff version=\"2.0\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\">\
                       <originalData><data id=\"d\">&lt;b&gt;</data></originalData><segment state=\"translated\"><source>One <pc id=\"1\" dataRefStart=\"d\">word</pc> <ph id=\"2\"/>\
                       <sc id=\"3\"/>x<ec startRef=\"3\"/>.</source><target>Ein.</target></segment><ignorable><source> </source></ignorable></unit></file></xliff>",
            ),
        ],
        &["xlf", "xliff", "sdlxliff"],
    )
}

pub fn dita() -> Vec<Seed> {
    with(
        &[(
            "a.dita",
            "<?xml version=\"1.0\"?><!DOCTYPE topic PUBLIC \"-//OASIS//DTD DITA Topic//EN\" \"topic.dtd\"><topic id=\"t\"><title>A <b>title</b></title><body><p>One \
                      <xref href=\"x\">two</xref> <image href=\"y\"/>.</p><ul><li>three</li></ul><codeblock>x</codeblock></body></topic>",
        )],
        &["dita"],
    )
}

pub fn docbook() -> Vec<Seed> {
    with(
        &[(
            "a.dbk",
            "<?xml version=\"1.0\"?><article xmlns=\"http://docbook.org/ns/docbook\" version=\"5.0\"><title>A title</title><para>One <emphasis>word</emphasis> \
                     <anchor xml:id=\"a\"/>.</para><programlisting>x</programlisting><itemizedlist><listitem><para>two</para></listitem></itemizedlist></article>",
        )],
        &["dbk"],
    )
}

pub fn mallard() -> Vec<Seed> {
    with(
        &[(
            "a.page",
            "<page xmlns=\"http://projectmallard.org/1.0/\" id=\"a\"><info><desc>A <gui>word</gui></desc></info><title>A title</title><steps><item><p>Press \
                     <keyseq><key>Ctrl</key><key>Q</key></keyseq><media src=\"x\"><p>two</p></media>.</p></item></steps><screen>x</screen></page>",
        )],
        &["page"],
    )
}

pub fn srt() -> Vec<Seed> {
    with(
        &[(
            "a.srt",
            "1\n00:00:01,000 --> 00:00:02,500\nOne <i>word</i>\nand two.\n\n2\n00:00:03,000 --> 00:00:04,000 X1:1\n- Three?\n- Four.\n",
        )],
        &["srt"],
    )
}

pub fn vtt() -> Vec<Seed> {
    with(
        &[(
            "a.vtt",
            "WEBVTT - title\n\nSTYLE\n::cue { color: red }\n\nNOTE a note\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann>One <b>word</b></v>\n<00:01.500>two\n\n",
        )],
        &["vtt"],
    )
}

pub fn ass() -> Vec<Seed> {
    with(
        &[(
            "a.ass",
            "[Script Info]\nTitle: t\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n[Events]\nFormat: Layer, Start, End, Style, Text\n\
                     Dialogue: 0,0:00:01.00,0:00:02.00,Default,One {\\i1}word{\\i0}\\Ntwo, three\nComment: 0,0:00:02.00,0:00:03.00,Default,no\n",
        )],
        &["ass"],
    )
}

pub fn latex() -> Vec<Seed> {
    with(
        &[(
            "a.tex",
            "\\documentclass{article}\n\\newcommand{\\x}[2]{#1 #2}\n\\begin{document}\n\\section{One \\emph{word}}\nText $x^2$ \\cite{a} % comment\nand \\x{a}{b}~more.\n\
                     \\begin{itemize}\n\\item two\n\\end{itemize}\n\\begin{verbatim}\nkept\n\\end{verbatim}\n\\[ a \\]\n\\end{document}\n",
        )],
        &["tex"],
    )
}

pub fn rst() -> Vec<Seed> {
    with(
        &[(
            "a.rst",
            "Title\n=====\n\nOne *word* and ``code``, `link <x>`_ |s| [1]_.\n\n- item\n\n  more\n\n.. note:: Text\n   here\n\n.. code-block:: c\n\n   kept\n\n\
                     === ===\na   b\n=== ===\nc   d\n=== ===\n\n+---+---+\n| a | b |\n+---+---+\n\n.. [1] note\n",
        )],
        &["rst"],
    )
}

pub fn asciidoc() -> Vec<Seed> {
    with(
        &[(
            "a.adoc",
            "= Title\n:attr: value\n\n== Section\n\nOne *word*, _two_ and `code`, link:x[text] <<a>> {attr}.\n\n* item\n** item\n. one\n\nNOTE: text\n\n|===\n|a |b\n|===\n\n----\nkept\n----\n",
        )],
        &["adoc"],
    )
}

pub fn po() -> Vec<Seed> {
    with(
        &[(
            "a.po",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n#: a.c:1\n#, fuzzy, c-format\n\
                    msgctxt \"c\"\nmsgid \"One %d\"\nmsgid_plural \"Many %d\"\nmsgstr[0] \"Ein %d\"\nmsgstr[1] \"\"\n\n#~ msgid \"old\"\n#~ msgstr \"alt\"\n",
        )],
        &["po"],
    )
}

pub fn json() -> Vec<Seed> {
    with(
        &[(
            "a.json",
            "{\n  \"a\": \"One {name} word\",\n  \"b\": {\"c\": [\"two\", 3, null, true, \"\\u00e4\\n\"]}\n}\n",
        )],
        &["json"],
    )
}

pub fn arb() -> Vec<Seed> {
    with(
        &[(
            "a.arb",
            "{\"@@locale\": \"en\", \"n\": \"{count, plural, =0{none} one{one {x}} other{# many}}\", \"@n\": {\"placeholders\": {\"count\": {}}}}",
        )],
        &["arb"],
    )
}

pub fn xcstrings() -> Vec<Seed> {
    with(
        &[(
            "a.xcstrings",
            "{\"sourceLanguage\": \"en\", \"strings\": {\"Hello %@\": {\"comment\": \"c\", \"localizations\": {\"en\": {\"variations\": {\"plural\": {\"one\": \
                           {\"stringUnit\": {\"state\": \"new\", \"value\": \"one\"}}, \"other\": {\"stringUnit\": {\"state\": \"new\", \"value\": \"%d\"}}}}}}}}, \"version\": \"1.0\"}",
        )],
        &["xcstrings"],
    )
}

pub fn strings() -> Vec<Seed> {
    with(
        &[(
            "a.strings",
            "/* note */\n\"a\" = \"One \\\"word\\\" %@\";\nb = 'two';\n// c\n\"\\U00e4\" = \"three\";\n",
        )],
        &["strings"],
    )
}

pub fn strings_dict() -> Vec<Seed> {
    with(
        &[(
            "a.stringsdict",
            "<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\"><plist version=\"1.0\"><dict><key>n</key><dict>\
                             <key>NSStringLocalizedFormatKey</key><string>%#@v@</string><key>v</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>\
                             <key>one</key><string>one</string><key>other</key><string>%d many</string></dict></dict></dict></plist>",
        )],
        &["stringsdict"],
    )
}

pub fn resx() -> Vec<Seed> {
    with(
        &[(
            "a.resx",
            "<?xml version=\"1.0\"?><root><resheader name=\"version\"><value>2.0</value></resheader><data name=\"a\" xml:space=\"preserve\"><value>One {0} word</value>\
                      <comment>c</comment></data><data name=\"b\" type=\"x\"><value>AAAA</value></data></root>",
        )],
        &["resx"],
    )
}

pub fn properties() -> Vec<Seed> {
    with(
        &[(
            "a.properties",
            "# note\na = One {0} word\\\n   goes on\nb:t\\u00e4 ''x''\n! c\nd\\ e   f\n",
        )],
        &["properties"],
    )
}

pub fn fluent() -> Vec<Seed> {
    with(
        &[(
            "a.ftl",
            "# note\na = One { $x } word\n    goes { \"on\" }\n    .label = two { -t(c: \"x\") }\n-t = { $n ->\n    [one] a { NUMBER($n, m: 1) }\n   *[other] { { b } }\n}\nb = c\n",
        )],
        &["ftl"],
    )
}

pub fn yaml() -> Vec<Seed> {
    with(
        &[(
            "a.yml",
            "en:\n  a: One %{name} word # note\n  b: \"two\\n\"\n  c: >\n    folded\n    text\n  d: |-\n    kept\n  e: &x 'it''s'\n  f: *x\n  g: [one, {h: two}]\n",
        )],
        &["yml", "yaml"],
    )
}

pub fn android() -> Vec<Seed> {
    with(
        &[(
            "strings.xml",
            "<?xml version=\"1.0\"?><resources xmlns:xliff=\"urn:oasis:names:tc:xliff:document:1.2\"><string name=\"a\">One <b>word</b> %1$s \\'x\\' <xliff:g id=\"i\">y</xliff:g></string>\
                           <plurals name=\"p\"><item quantity=\"one\">one</item><item quantity=\"other\">%d</item></plurals><string-array name=\"s\"><item>two</item></string-array></resources>",
        )],
        &[],
    )
}

pub fn qt() -> Vec<Seed> {
    with(
        &[(
            "a.ts",
            "<?xml version=\"1.0\"?><!DOCTYPE TS><TS version=\"2.1\" language=\"de\" sourcelanguage=\"en\"><context><name>c</name><message numerus=\"yes\"><location filename=\"a\" line=\"1\"/>\
                    <source>%n word(s) &amp;x</source><translation type=\"unfinished\"><numerusform>ein</numerusform><numerusform></numerusform></translation></message></context></TS>",
        )],
        &["ts"],
    )
}

pub fn csv() -> Vec<Seed> {
    with(
        &[(
            "a.csv",
            "key,English,German\na,\"One \"\"word\"\"\",Ein\nb,\"two\nlines\",\n\"c;d\",three,drei\n",
        )],
        &["csv"],
    )
}

pub fn tsv() -> Vec<Seed> {
    with(
        &[("a.tsv", "en\tde\nOne word.\tEin Wort.\nTwo.\t\n\tdrei\n")],
        &["tsv"],
    )
}

pub fn tmx() -> Vec<Seed> {
    with(
        &[(
            "a.tmx",
            "<?xml version=\"1.0\"?><!DOCTYPE tmx SYSTEM \"tmx14.dtd\"><tmx version=\"1.4\"><header srclang=\"en\" segtype=\"sentence\" adminlang=\"en\" datatype=\"x\" creationtool=\"c\" creationtoolversion=\"1\" \
                     o-tmf=\"x\"/><body><tu creationdate=\"20260101T000000Z\"><prop type=\"p\">v</prop><tuv xml:lang=\"en\"><seg>One <bpt i=\"1\">&lt;b&gt;</bpt>word<ept i=\"1\">&lt;/b&gt;</ept>.</seg></tuv>\
                     <tuv xml:lang=\"de-DE\"><seg>Ein Wort.</seg></tuv></tu></body></tmx>",
        )],
        &["tmx"],
    )
}

pub fn shortlist() -> Vec<Seed> {
    let list = Shortlist::from_lists([vec![], vec![7, 4], vec![8], vec![5, 6, 7]]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.bin");
    list.save(&path, false).expect("a file");
    vec![Seed::file("a.bin", fs::read(path).expect("a file"))]
}

pub fn lexical_table() -> Vec<Seed> {
    let table = "▁die ▁the 0.5\n▁Datei ▁file 0.25\nNULL ▁the 0.1\nunbekannt ▁the 1e-3\n";
    vec![Seed::file("lex.s2t", table)]
}

pub fn termbase() -> Vec<Seed> {
    with(
        &[
            (
                "a.tbx",
                "<?xml version=\"1.0\"?><martif type=\"TBX\" xml:lang=\"en\"><text><body><termEntry id=\"1\"><descrip type=\"subjectField\">f</descrip><langSet xml:lang=\"en\"><tig><term>cell</term>\
                       </tig></langSet><langSet xml:lang=\"de\"><ntig><termGrp><term>Zelle</term><termNote type=\"administrativeStatus\">preferredTerm-admn-sts</termNote></termGrp></ntig></langSet></termEntry></body></text></martif>",
            ),
            (
                "a.tbx",
                "<?xml version=\"1.0\"?><tbx type=\"TBX-Basic\" style=\"dca\" xml:lang=\"en\" xmlns=\"urn:iso:std:iso:30042:ed-2\"><text><body><conceptEntry id=\"1\"><langSec xml:lang=\"en\"><termSec><term>row</term>\
                       </termSec></langSec><langSec xml:lang=\"de\"><termSec><term>Zeile</term></termSec></langSec></conceptEntry></body></text></tbx>",
            ),
            (
                "a.csv",
                "en,de,forbidden,domain\ncell,Zelle,no,x\n\"row, line\",Zeile,yes,\n",
            ),
            ("a.txt", "# OmegaT\ncell\tZelle\tnote\nrow\tZeile\n"),
        ],
        &["tbx"],
    )
}
