//! Right outputs for single inputs.

/// Parts of the reason for which an input is refused.
const REFUSED: &[(&str, &str)] = &[
    ("02-srt-no-blank-lines/odd-times.srt", "line 10"),
    ("34-corpus-lines/latin.tsv", "is not UTF-8"),
];

/// Parts that a file has with its sentences in capitals.
const PARTS: &[(&str, &[&str])] = &[
    (
        "01-srt-irregular/stray-number.srt",
        &["FIRST TEXT.\n\n2\n\n2\n00:00:04,000", "SECOND TEXT."],
    ),
    (
        "01-srt-irregular/vary/a.srt",
        &["FIRST TEXT.\n\n7\n\n2\n", "SECOND TEXT."],
    ),
    (
        "04-vtt-hls-header/regions.vtt",
        &[
            "Do not translate me.",
            "<v Ann>HELLO, I AM <c.loud>ANN</c></v>",
            "WELCOME, 5 &lt; 6.&lrm;",
        ],
    ),
    (
        "05-docx-special-hyphens/vary.docx",
        &["<w:t>SEND AN E</w:t><w:noBreakHyphen/><w:t>MAIL "],
    ),
    (
        "07-docx-breaks-and-split-runs/breaks.docx",
        &[
            "<w:t>READY?</w:t><w:br/><w:t>THEN START.</w:t>",
            "<w:t>12 MILL LANE</w:t><w:br/>",
        ],
    ),
    (
        "13-android-apostrophe/strings.xml",
        &[
            "<b>WATER</b> IS COUNTED IN THE USER\\'S GOAL.",
            "\\@USER SENT",
            "\\u0020\\u0020KEEP THE SPACES \\u0020",
        ],
    ),
    (
        "16-webext-placeholders/messages.json",
        &[
            "$URL$ HAS BEEN READ BY $NAME$.",
            "IT COSTS $$5 FOR $1 AND $2.",
        ],
    ),
    (
        "17-i18next-nesting/en.json",
        &[
            "$t(girl, { \\\"count\\\": {{girls}} })",
            "WRITE {{- html}} HERE",
            "{{date, datetime(weekday: long)}}",
        ],
    ),
    (
        "17-i18next-nesting/templates.html",
        &[
            "{% if user %}SAVE THE FILE{% endif %} OR {{#each items}}OPEN {{this}}{{/each}}.",
            "<%= name %>, SAVE",
        ],
    ),
    (
        "20-csv-cells/semicolon.csv",
        &[
            ";\"CANNOT LOAD THE FILE \"\"%ls\"\"\nIT MAY",
            ";  SPACES AROUND  \n",
        ],
    ),
    (
        "22-md-admonitions/doc.md",
        &[
            "import Tabs from '@theme/Tabs';\n",
            "   :::info IMPORTANT CONSIDERATIONS\n   TRY TO",
            ":::warning[DEPRECATED]\n",
            "??? warning\n    FOLDED BODY.\n",
        ],
    ),
    (
        "22-md-admonitions/vary.md",
        &[
            "TERM\n: THE TEXT",
            "| LINE BLOCK ONE\n| LINE BLOCK TWO\n",
            "{% include note.html %}\n",
            "[[Wiki link]] AND ![[embed.png]] AND ==MARKED==",
            "[TOC]\n",
        ],
    ),
    (
        "23-md-anchors/page.md",
        &[
            "## GETTING STARTED {#getting-started}\n",
            "## NAMES {#names}\n",
            "{#whats-new .unnumbered}\n",
        ],
    ),
    (
        "25-adoc-tables/vary.adoc",
        &[
            "DOUBLEfootnote:[THE DOUBLE LEVEL TINGLES.], AND",
            "footnoteref:[ab,THE TEXT OF IT.]",
            "|FIRST PARAGRAPH OF A CELL.\n\nSECOND PARAGRAPH OF IT. |RIGHT",
            "|ESCAPED &#124; PIPE |",
        ],
    ),
    (
        "26-latex-shorthands/paper.tex",
        &[
            "\\be\nE = m c^2 \\quad \\text{for all } m\n\\ee",
            "\\begin{theorem}[MAIN RESULT]\\label{thm:a}",
            "\\verb|raw text| STAYS",
        ],
    ),
    (
        "29-line-separators/vary/t3.txt",
        &["A LONG TITLE OF THE GUIDE\n*************************\n"],
    ),
    (
        "29-line-separators/vary/t7.txt",
        &["NAME:    ANN\nCITY:    ROME\nCOUNTRY: ITALY"],
    ),
    ("29-line-separators/control/07.txt", &["FORM\u{7} FEED"]),
    (
        "documents/01-declared-encoding-ascii/in.xlf",
        &[
            "encoding=\"windows-1252\"",
            "<target state=\"needs-review-translation\">OPEN THE DOOR</target>",
        ],
    ),
    (
        "documents/02-latex-space-before-argument/in.tex",
        &[
            "\\begin {quote}\nQUOTED WORDS",
            "SEE \\cite {knuth} AND \\ref {sec} NOW.",
        ],
    ),
    (
        "documents/04-latex-obeylines/in.tex",
        &["FIRST LINE OF IT\nSECOND LINE OF IT\n"],
    ),
    (
        "documents/05-adoc-attribute-link/in.adoc",
        &[
            "READ {docs}[THE MANUAL] FIRST.",
            "{docs}/guide-one.adoc[THE GUIDE] AND {docs}/[ALL].",
        ],
    ),
    (
        "documents/07-adoc-escaped-bar/in.adoc",
        &["|ONE &#124; TWO |THREE WORDS\n"],
    ),
    (
        "documents/08-adoc-second-line-begins-block/in.adoc",
        &["\n&#91;A REMARK THAT FOLLOWS.]\n"],
    ),
    (
        "documents/10-rst-title-reference/in.rst",
        &[
            ".. _Safety first:\n\nSAFETY FIRST\n============\n",
            "`SAFETY FIRST <Safety first_>`_",
        ],
    ),
    (
        "documents/11-rst-link-without-text/in.rst",
        &["GO TO `<page.html>`_ FOR MORE."],
    ),
    (
        "documents/14-vtt-named-references/in.vtt",
        &["WAIT… IN THE CAFé © US."],
    ),
    (
        "documents/16-markdown-dialect-blocks/in.md",
        &[
            "APPLE\n:   A RED FRUIT\n:   A COMPANY\n",
            "::: warning\nBE CAREFUL HERE\n:::",
        ],
    ),
    (
        "documents/17-markdown-escaped-dollar/in.md",
        &["IT IS $x_1$ AND COSTS 23\\$ HERE."],
    ),
    (
        "documents/22-strings-markdown-link/in.json",
        &["[THE DOCS](https://example.com/docs)"],
    ),
    (
        "documents/23-language-variety/in.xhtml",
        &["lang=\"de\" xml:lang=\"de\""],
    ),
    (
        "documents/26-docx-tracked-formatting/in.docx",
        &["</w:rPrChange></w:rPr><w:t>GO ON.</w:t>"],
    ),
    (
        "documents/28-opc-names/in.docx",
        &["<w:t>WORDS HERE.</w:t>"],
    ),
    (
        "documents/29-xliff-target-language/in.xlf",
        &["<target xml:lang=\"de\" state=\"needs-review-translation\">OPEN THE DOOR</target>"],
    ),
];

/// A part of the reason for which an input is refused; none if it is read.
pub fn refusal(name: &str) -> Option<&'static str> {
    let found = REFUSED.iter().find(|(input, _)| *input == name);
    found.map(|(_, reason)| *reason)
}

/// The content of a file whose sentences are in capitals.
pub fn parts(name: &str) -> &'static [&'static str] {
    let found = PARTS.iter().find(|(input, _)| *input == name);
    found.map_or(&[], |(_, parts)| parts)
}

/// All inputs that something is known of.
pub fn names() -> impl Iterator<Item = &'static str> {
    let refused = REFUSED.iter().map(|(name, _)| *name);
    refused.chain(PARTS.iter().map(|(name, _)| *name))
}
