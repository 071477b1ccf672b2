//! What texts with markup have beside words: dialects, commands, names of headings, lines that stay lines.

use canopy::text::document::Document;
use canopy::text::placeholder::Placeholder;
use canopy::text::pseudo::Pseudo;

use super::{pseudo, read, seen, texts, translated};

/// The file with brackets around each of its sentences, as a pseudo-translation has them, and without its placeholders'
/// numbers.
fn upper(name: &str, text: &str) -> String {
    let document = read(name, text.as_bytes());
    let sentences = document.sentences.iter();
    let upper: Vec<String> = sentences.map(|it| it.text.to_uppercase()).collect();
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    String::from_utf8(translated(&document, &upper, None)).expect("text")
}

/// The file as it is, and with every sentence in capitals.
#[track_caller]
fn assert_upper(name: &str, text: &str, expected: &str) {
    let document = read(name, text.as_bytes());
    let same = document.written(&pseudo(&document, Pseudo::Identity), None);
    assert!(same.expect("written") == text.as_bytes(), "{text}");
    assert_eq!(upper(name, text), expected);
}

#[test]
fn blocks_of_markdown_dialects_stay_blocks() {
    for (text, expected) in [
        (
            ":::note\nThis is saved.\n:::\n",
            ":::note\nTHIS IS SAVED.\n:::\n",
        ),
        (
            ":::info Important things\nSave it.\n:::\n\n:::warning[Old]\n\nMoved.\n\n:::\n",
            ":::info IMPORTANT THINGS\nSAVE IT.\n:::\n\n:::warning[OLD]\n\nMOVED.\n\n:::\n",
        ),
        (
            "::: {.tip #x}\nSave it.\n:::\n",
            "::: {.tip #x}\nSAVE IT.\n:::\n",
        ),
        (
            "1. Item\n\n   :::info\n   Try it.\n   :::\n",
            "1. ITEM\n\n   :::info\n   TRY IT.\n   :::\n",
        ),
        (
            "!!! note \"Save first\"\n    Save the file.\n\n    Second one.\n\nText.\n",
            "!!! note \"SAVE FIRST\"\n    SAVE THE FILE.\n\n    SECOND ONE.\n\nTEXT.\n",
        ),
        (
            "??? warning\n    Folded body.\n",
            "??? warning\n    FOLDED BODY.\n",
        ),
        (
            "=== \"Windows\"\n\n    Open it.\n\n=== \"Linux\"\n\n    Run `x`.\n",
            "=== \"WINDOWS\"\n\n    OPEN IT.\n\n=== \"LINUX\"\n\n    RUN `x`.\n",
        ),
        (
            "/// caption | A title\nA table.\n///\n",
            "/// caption | A TITLE\nA TABLE.\n///\n",
        ),
        (
            "Apple\n:   A red fruit\n:   A company\n",
            "APPLE\n:   A RED FRUIT\n:   A COMPANY\n",
        ),
        (
            "+-----+-----+\n| one | two |\n+-----+-----+\n\nText.\n",
            "+-----+-----+\n| ONE | TWO |\n+-----+-----+\n\nTEXT.\n",
        ),
        (
            "| But can a *bee*\n|    be said to be\n",
            "| BUT CAN A *BEE*\n|    BE SAID TO BE\n",
        ),
        (
            "% The title\n% The author\n\nText.\n",
            "% THE TITLE\n% The author\n\nTEXT.\n",
        ),
        (
            "(@) First one\n(@) Second one\n",
            "(@) FIRST ONE\n(@) SECOND ONE\n",
        ),
        (
            "*[HTML]: Hyper text\n*[W3C]: A group\n",
            "*[HTML]: HYPER TEXT\n*[W3C]: A GROUP\n",
        ),
        (
            "[TOC]\n\n[[_TOC_]]\n\nText.\n",
            "[TOC]\n\n[[_TOC_]]\n\nTEXT.\n",
        ),
        (
            "import Tabs from '@theme/Tabs';\nimport 'x.css';\n\nexport const a = 1;\n\n<Tabs>\n<Tab v=\"a\">\nSave it.\n</Tab>\n</Tabs>\n",
            "import Tabs from '@theme/Tabs';\nimport 'x.css';\n\nexport const a = 1;\n\n<Tabs>\n<Tab v=\"a\">\nSAVE IT.\n</Tab>\n</Tabs>\n",
        ),
        (
            "{% if a %}\nSave it.\n{% endif %}\n\n{{< figure src=\"a.png\" caption=\"A\" >}}\n",
            "{% if a %}\nSAVE IT.\n{% endif %}\n\n{{< figure src=\"a.png\" caption=\"A\" >}}\n",
        ),
        (
            "Let $E = m_a c^2$ and\n$$\nx \\\\\n- y\n$$\nbe so.\n",
            "LET $E = m_a c^2$ AND \n$$\nx \\\\\n- y\n$$\n BE SO.\n",
        ),
        (
            "- Let it be\n  $$x$$\n- Next one\n",
            "- LET IT BE \n  $$x$$\n- NEXT ONE\n",
        ),
        (
            "See {{< ref \"a.md\" >}} and [[Wiki page]] or {% link a %} and ==marked== x^2^ :smile:.\n",
            "SEE {{< ref \"a.md\" >}} AND [[Wiki page]] OR {% link a %} AND ==MARKED== X^2^ :smile:.\n",
        ),
        (
            "```\n::: note\nimport a from 'b';\n$x$\n```\n\n> ::: tip\n> Save it.\n> :::\n",
            "```\n::: note\nimport a from 'b';\n$x$\n```\n\n> ::: tip\n> SAVE IT.\n> :::\n",
        ),
    ] {
        assert_upper("a.md", text, expected);
    }
}

#[test]
fn headings_are_translated_for_pages_bookmarks_and_contents() {
    for (text, expected) in [
        (
            "\\section{On \\texorpdfstring{the \\emph{new} $x$}{the new x}}\n\nText.",
            "\\section{ON \\texorpdfstring{THE \\emph{NEW} $x$}{THE NEW X}}\n\nTEXT.",
        ),
        (
            "\\section{\\texorpdfstring {Big $x$} % here\n  {Big x} once}\n\nText.",
            "\\section{\\texorpdfstring {BIG $x$} % here\n  {BIG X} ONCE}\n\nTEXT.",
        ),
        (
            "\\section*{Preface}\n\\addcontentsline{toc}{section}{Preface}\nText.",
            "\\section*{PREFACE}\n\\addcontentsline{toc}{section}{PREFACE}\nTEXT.",
        ),
        (
            "\\pdfbookmark[1]{Contents}{toc}\n\\markboth{Left}{Right side}\nText.",
            "\\pdfbookmark[1]{CONTENTS}{toc}\n\\markboth{LEFT}{RIGHT SIDE}\nTEXT.",
        ),
    ] {
        assert_upper("a.tex", &latex(text), &latex(expected));
    }
}

#[test]
fn drawn_tables_of_markdown_are_drawn_again() {
    let file = "> +:----+------+\n> | One | Two  |\n> +=====+======+\n> | a 1 | `b`  |\n> +-----+------+\n> |     | Last |\n> +-----+------+\n\n\
        +---+------+\n| a | one  |\n|   | cell |\n+---+------+\n";
    let document = read("a.md", file.as_bytes());
    assert_eq!(texts(&document), ["One", "Two", "a 1", "Last"]);
    let given = ["- Einzeln", "# 二つ", "a | 1", "Letzte"];
    let written = translated(&document, &given, Some("de"));
    let written = String::from_utf8(written).expect("UTF-8");
    let wanted = "> +:-----------+---------+\n> | \\- Einzeln | \\# 二つ |\n> +============+=========+\n> | a \\| 1     | `b`     |\n> +------------+---------+\n> |            | Letzte  |\n> +------------+---------+\n\n\
        +---+------+\n| a | one  |\n|   | cell |\n+---+------+\n";
    assert_eq!(written, wanted);
    check_again("a.md", &document, &given);
}

#[test]
fn escaped_dollars_stay_escaped() {
    for (text, expected) in [
        (
            "It is $x_1$ and costs 23\\$ here.\n",
            "IT IS $x_1$ AND COSTS 23\\$ HERE.\n",
        ),
        ("Costs \\$5 and \\$6.\n", "COSTS \\$5 AND \\$6.\n"),
        (
            "Costs $5 and 23\\$ *now*.\n",
            "COSTS \\$5 AND 23\\$ *NOW*.\n",
        ),
        ("Costs $5 and 23 $ now.\n", "COSTS $5 AND 23 $ NOW.\n"),
    ] {
        assert_upper("a.md", text, expected);
    }
}

#[test]
fn links_to_headings_arrive() {
    let text = "# User guide\n\n[Start](#getting-started), [names](#names), [new][n].\n\n## Getting started\n\n## Names {#names}\n\n## Not linked\n\n## What's *new*?\n\n[n]: #whats-new\n";
    let written = upper("a.md", text);
    assert!(
        written.contains("## GETTING STARTED {#getting-started}\n"),
        "{written}"
    );
    assert!(
        written.contains("## WHAT'S *NEW*? {#whats-new}\n"),
        "{written}"
    );
    assert!(
        written.contains("## NAMES {#names}\n\n## NOT LINKED\n"),
        "{written}"
    );
    let text = "[Start](#getting-started)\n\nGetting started\n---------------\n";
    let expected = "[START](#getting-started)\n\n<a id=\"getting-started\"></a>GETTING STARTED\n---------------\n";
    assert_upper("a.md", text, expected);
    // Without a translation there is nothing to keep.
    let document = read("a.md", text.as_bytes());
    let same = document.written(&pseudo(&document, Pseudo::Identity), None);
    assert_eq!(same.expect("written"), text.as_bytes());

    let text = "See `Safety first`_ and Details_ and `here <Safety first_>`_.\n\nSafety first\n============\n\nDetails\n-------\n\nOther\n-----\n";
    let expected = "SEE `SAFETY FIRST <Safety first_>`_ AND Details_ AND `HERE <Safety first_>`_.\n\n.. _Safety first:\n\nSAFETY FIRST\n============\n\n.. _Details:\n\nDETAILS\n-------\n\nOTHER\n-----\n";
    assert_eq!(upper("a.rst", text), expected);
    let text = "=====\nTitle\n=====\n\nSee Title_.\n";
    assert_eq!(
        upper("a.rst", text),
        ".. _Title:\n\n=====\nTITLE\n=====\n\nSEE Title_.\n"
    );

    let text = "= Guide\n\n<<_getting_started>>, <<Other part>>, xref:_names[them].\n\n== Getting started\n\n[#own]\n== Names\n\n== Other part\n\n== Alone\n";
    let expected = "= GUIDE\n\n<<_getting_started>>, <<_other_part>>, xref:_names[THEM].\n\n[[_getting_started]]\n== GETTING STARTED\n\n[#own]\n== NAMES\n\n[[_other_part]]\n== OTHER PART\n\n== ALONE\n";
    assert_eq!(upper("a.adoc", text), expected);
}

#[test]
fn asciidoc_links_notes_cells_and_verses_stay() {
    for (text, expected) in [
        (
            "Read {docs}[the manual], {docs}b.adoc[that] and {docs}/a-b.adoc[this], {docs}/[all], {name} [x].\n",
            "READ {docs}[THE MANUAL], {docs}b.adoc[THAT] AND {docs}/a-b.adoc[THIS], {docs}/[ALL], {name} [X].\n",
        ),
        (
            "Five levels: doublefootnote:[It tingles.], and more.footnote:a[Old.] And.footnote:a[]\n",
            "FIVE LEVELS: DOUBLEfootnote:[IT TINGLES.], AND MORE.footnote:a[OLD.] AND.footnote:a[]\n",
        ),
        (
            "One.footnoteref:[ab,The text of it.] Two.footnoteref:[ab]\n",
            "ONE.footnoteref:[ab,THE TEXT OF IT.] TWO.footnoteref:[ab]\n",
        ),
        (
            "|===\n|one \\| two |`a \\| b` here\n\n|First one.\n\nSecond one. |Right\n|===\n",
            "|===\n|ONE &#124; TWO |`a \\| b` HERE\n\n|FIRST ONE.\n\nSECOND ONE. |RIGHT\n|===\n",
        ),
        (
            "[cols=\"1,2a\"]\n|===\n|Name\n|Opens it.\n\n* first\n* second\n\n|Other a|\n----\ncode\n----\n|===\n",
            "[cols=\"1,2a\"]\n|===\n|NAME\n|OPENS IT.\n\n* FIRST\n* SECOND\n\n|OTHER a|\n----\ncode\n----\n|===\n",
        ),
        (
            "Roses are red, +\nviolets are blue.\n",
            "ROSES ARE RED, +\nVIOLETS ARE BLUE.\n",
        ),
        (
            "[verse, Sandburg]\nThe fog comes\non little feet.\n\n[verse]\n____\nIt sits\n\nlooking *over*\n____\n\n[%hardbreaks]\nOne line\ntwo lines\n",
            "[verse, Sandburg]\nTHE FOG COMES\nON LITTLE FEET.\n\n[verse]\n____\nIT SITS\n\nLOOKING *OVER*\n____\n\n[%hardbreaks]\nONE LINE\nTWO LINES\n",
        ),
    ] {
        assert_upper("a.adoc", text, expected);
    }
}

#[test]
fn rst_links_without_a_text_stay() {
    for text in [
        "Go to `<page.html>`_ for more.\n",
        "Write to `<mailto:me@example.com>`__ today.\n",
        "Go to `<other page_>`_ now.\n",
    ] {
        let [before, rest] = text.split_once('`').map(<[_; 2]>::from).expect("a link");
        let (link, after) = rest.rsplit_once("_ ").expect("a link");
        let expected = format!("{}`{link}_ {}", before.to_uppercase(), after.to_uppercase());
        assert_upper("a.rst", text, &expected);
    }
}

fn latex(body: &str) -> String {
    format!("\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n")
}

#[test]
fn latex_commands_are_apart_from_their_arguments() {
    for (text, expected) in [
        (
            "\\begin {quote}\nQuoted.\n\\end {quote}\n\nSee \\cite {k} and \\ref {s}.",
            "\\begin {quote}\nQUOTED.\n\\end {quote}\n\nSEE \\cite {k} AND \\ref {s}.",
        ),
        (
            "\\begin\n{quote}\nQuoted.\n\\end{quote}\n\\section {A title}\nText \\label {x} in it.",
            "\\begin\n{quote}\nQUOTED.\n\\end{quote}\n\\section {A TITLE}\nTEXT \\label {x} IN IT.",
        ),
        (
            "Words \\includegraphics [width=1cm] {a.png} and \\url {http://a.b/c} {\\em here}.",
            "WORDS \\includegraphics [width=1cm] {a.png} AND \\url {http://a.b/c} {\\em HERE}.",
        ),
        (
            "\\begin {equation}\na < b\n\\end {equation}\n\\begin{verbatim}\nx\n\\end{verbatim}\nText.",
            "\\begin {equation}\na < b\n\\end {equation}\n\\begin{verbatim}\nx\n\\end{verbatim}\nTEXT.",
        ),
        (
            "Over a\\^{}b and \\~{}user.",
            "OVER A\\textasciicircum{}B AND \\textasciitilde{}USER.",
        ),
        (
            "\\begin{obeylines}\nFirst line\nSecond line\n\\end{obeylines}\n{\\obeylines\nThird one\nFourth one\n}\nNo line\nof its own.",
            "\\begin{obeylines}\nFIRST LINE\nSECOND LINE\n\\end{obeylines}\n{\\obeylines\nTHIRD ONE\nFOURTH ONE\n}\nNO LINE OF ITS OWN.",
        ),
    ] {
        assert_upper("a.tex", &latex(text), &latex(expected));
    }
}

#[test]
fn formulas_between_commands_of_the_author_stay() {
    let head = "\\def\\be{\\begin{equation}}\n\\def\\ee{\\end{equation}}\n\\newcommand{\\bi}{\\begin{itemize}}\n\\newcommand{\\ei}{\\end{itemize}}\n\\newcommand{\\eq}[1]{\\begin{align}#1\\end{align}}\n\\newtheorem{thm}{Theorem}\n\\newenvironment{own}{\\begin{gather}}{\\end{gather}}\n";
    let body = |text: &str| format!("{head}{}", latex(text));
    let text = "It is\n\\be\nE = m c^2 \\text{for all } m\n\\ee\nso. And \\eq{a &= b} it is.\n\\bi\n\\item One\n\\item Two\n\\ei\n\\begin{thm}[Main result]\nEvery mill.\n\\end{thm}\n\\begin{own}\na b c\n\\end{own}";
    let expected = "IT IS \\be\nE = m c^2 \\text{for all } m\n\\ee{} SO.\nAND \\eq{a &= b} IT IS.\n\\bi\n\\item ONE\n\\item TWO\n\\ei\n\\begin{thm}[MAIN RESULT]\nEVERY MILL.\n\\end{thm}\n\\begin{own}\na b c\n\\end{own}";
    let document = read("a.tex", body(text).as_bytes());
    let same = document.written(&pseudo(&document, Pseudo::Identity), None);
    assert_eq!(
        String::from_utf8(same.expect("written")).expect("text"),
        body(text)
    );
    let written = upper("a.tex", &body(text));
    let written = written.replace("SO. AND", "SO.\nAND");
    assert_eq!(written, body(expected));
}

/// Beginnings of lines that mean something in one of the formats.
const SIGNS: [&str; 66] = [
    "# x",
    "- x",
    "* x",
    "+ x",
    "1. x",
    "1) x",
    "a. x",
    "ii) x",
    "> x",
    "| x",
    "|x|y|",
    "|---|",
    "|===",
    ": x",
    ":: x",
    "::: note",
    ":name: x",
    "=== x",
    "====",
    "= x",
    "== x",
    "----",
    "....",
    "____",
    "****",
    "++++",
    "////",
    "// x",
    "/// x",
    "[x]",
    "[source]",
    "[ ] x",
    "(@) x",
    "{x}",
    "{:x}",
    "$x$",
    "$$x$$",
    "==x==",
    "^x^",
    "%x",
    "% x",
    "%% x %%",
    "!!! x",
    "??? x",
    "![x](y)",
    "<b>x",
    "<!-- x",
    "<<x>>",
    "<1> x",
    "``` x",
    "~~~ x",
    "*[x]: y",
    ".. x",
    ".x",
    "__ x",
    ">>> x",
    "NOTE: x",
    "\\x",
    "• x",
    ",===",
    "x:: y",
    "&amp; x",
    "image::x[]",
    "toc::[]",
    "include::x[y]",
    "image:x[y]",
];

/// What a sentence begins with, wherever its line stands, it is text when the file is read again.
#[test]
fn signs_of_a_format_in_a_translation_are_text() {
    let sentences = "The first one is here.\nThe second one is there.\nThe last one ends it.";
    let files = [
        (
            "a.md",
            format!(
                "{sentences}\n\n* {sentences}\n\n# Title\n\n+----+----+\n| Aa | Bb |\n+----+----+\n\n> {}\n",
                sentences.replace('\n', "\n> ")
            ),
        ),
        (
            "a.adoc",
            format!("{sentences}\n\n* {sentences}\n\n== Title\n\n|===\n|{sentences}\n|===\n"),
        ),
        (
            "a.rst",
            format!(
                "{sentences}\n\n* {}\n\nTitle\n=====\n\n",
                sentences.replace('\n', "\n  ")
            ),
        ),
        (
            "a.tex",
            latex(&format!(
                "{sentences}\n\n\\begin{{itemize}}\n\\item {sentences}\n\\end{{itemize}}\n\\section{{Title}}\n"
            )),
        ),
        (
            "a.html",
            format!("<p>{sentences}</p><ul><li>{sentences}</li></ul>"),
        ),
    ];
    for (name, text) in files {
        let document = read(name, text.as_bytes());
        for sign in SIGNS {
            let given = vec![sign; document.sentences.len()];
            check_again(name, &document, &given);
            for index in 0..document.sentences.len() {
                let mut given = texts(&document);
                given[index] = sign;
                check_again(name, &document, &given);
            }
        }
    }
}

#[track_caller]
fn check_again(name: &str, document: &Document, given: &[&str]) {
    let written = translated(document, given, None);
    let again = read(name, &written);
    let shown = |text: &str| {
        // A placeholder would be markup.
        assert!(
            !text.chars().any(|c| Placeholder::from_char(c).is_some()),
            "{text:?} in {}",
            String::from_utf8_lossy(&written)
        );
        seen(text)
    };
    let of_paragraphs = |document: &Document, texts: &[&str]| {
        let paragraphs = document.paragraphs.iter();
        let text =
            |range: std::ops::Range<usize>| texts[range].iter().map(|it| shown(it)).collect();
        paragraphs
            .map(|it| text(it.sentences.clone()))
            .collect::<Vec<String>>()
    };
    // What holds no letter is no sentence.
    let found = of_paragraphs(&again, &texts(&again)).concat();
    let expected: String = of_paragraphs(document, given).concat();
    let letters = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphabetic())
            .collect::<String>()
    };
    let is_there = if given.iter().all(|it| it.contains(char::is_alphabetic)) {
        found == expected
    } else {
        letters(&found) == letters(&expected)
    };
    assert!(
        is_there,
        "{name} {given:?}: {found} in\n{}",
        String::from_utf8_lossy(&written)
    );
}
