//! LaTeX, reStructuredText and AsciiDoc.

use canopy::text::document::ParagraphKind;
use canopy::text::placeholder::{CLOSE, open, point};

use super::properties::Inline;
use super::{read, texts, translated};

fn joined(paragraphs: &[Vec<Inline>], inline: fn(&Inline) -> String) -> String {
    let paragraph = |it: &Vec<Inline>| it.iter().map(inline).collect::<String>();
    paragraphs
        .iter()
        .map(paragraph)
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

pub fn html(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => escaped(text),
        Inline::Marked(text) => format!("<b>{}</b>", escaped(text)),
        Inline::Code => "<img src=\"a.png\">".to_owned(),
    };
    let paragraph =
        |it: &Vec<Inline>| format!("<p>{}</p>\n", it.iter().map(inline).collect::<String>());
    let body: String = paragraphs.iter().map(paragraph).collect();
    format!("<!DOCTYPE html>\n<html lang=\"en\"><body>{body}</body></html>").into_bytes()
}

pub fn markdown(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let spelt = |text: &str| {
        let spell = |c: char| {
            let mark = if c.is_ascii_punctuation() { "\\" } else { "" };
            format!("{mark}{c}")
        };
        text.chars().map(spell).collect::<String>()
    };
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) => spelt(text),
        Inline::Marked(text) => format!("<b>{}</b>", spelt(text)),
        Inline::Code => "<img src=\"a.png\">".to_owned(),
    };
    let paragraph =
        |it: &Vec<Inline>| format!("{}\n\n", it.iter().map(inline).collect::<String>().trim());
    paragraphs
        .iter()
        .map(paragraph)
        .collect::<String>()
        .into_bytes()
}

pub fn plain(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    let inline = |inline: &Inline| match inline {
        Inline::Text(text) | Inline::Marked(text) => text.clone(),
        Inline::Code => String::new(),
    };
    let paragraph = |it: &Vec<Inline>| format!("{}\n\n", it.iter().map(inline).collect::<String>());
    paragraphs
        .iter()
        .map(paragraph)
        .collect::<String>()
        .into_bytes()
}

pub fn latex(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    fn escaped(text: &str) -> String {
        let mut written = String::new();
        for character in text.chars() {
            match character {
                '\\' => written += "\\textbackslash{}",
                '~' => written += "\\textasciitilde{}",
                '^' => written += "\\textasciicircum{}",
                '{' | '}' | '%' | '&' | '#' | '_' | '$' => written.extend(['\\', character]),
                '-' | '\'' => written.extend([character, '{', '}']),
                other => written.push(other),
            }
        }
        written
    }
    let body = joined(paragraphs, |inline| match inline {
        Inline::Text(text) => escaped(text),
        Inline::Marked(text) => format!("\\textbf{{{}}}", escaped(text)),
        Inline::Code => "\\label{x}".to_owned(),
    });
    format!("% none of this\n\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n").into_bytes()
}

pub fn rst(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    fn escaped(text: &str) -> String {
        let escape = |c: char| {
            if c.is_ascii_punctuation() {
                format!("\\{c}")
            } else {
                c.to_string()
            }
        };
        text.chars().map(escape).collect()
    }
    joined(paragraphs, |inline| match inline {
        Inline::Text(text) => escaped(text),
        Inline::Marked(text) => format!("\\ **{}**\\ ", escaped(text.trim())),
        Inline::Code => "\\ [1]_\\ ".to_owned(),
    })
    .into_bytes()
}

pub fn asciidoc(paragraphs: &[Vec<Inline>]) -> Vec<u8> {
    fn escaped(text: &str) -> String {
        let escape = |c: char| {
            if c.is_ascii_punctuation() {
                format!("&#{};", u32::from(c))
            } else {
                c.to_string()
            }
        };
        text.chars().map(escape).collect()
    }
    joined(paragraphs, |inline| match inline {
        Inline::Text(text) => escaped(text),
        Inline::Marked(text) => format!("**{}**", escaped(text.trim())),
        Inline::Code => "(((x)))".to_owned(),
    })
    .into_bytes()
}

#[test]
fn latex_keeps_its_commands() {
    let text = r#"\documentclass{article}
\title{A \emph{small} title}
\newcommand{\foo}[1]{Not this}
\begin{document}
\maketitle
\section{Open files}\label{sec:open}
See~Section~\ref{sec:open} and \cite{x}, where $x^2$ is 5\,\%. % a comment
Use \textbf{bold words}\footnote{A note with \emph{text}.} and G\"odel's {\em own} ``words''.

\begin{verbatim}
Not $ this %
\end{verbatim}
\begin{itemize}
\item[First] One thing
\item Another
\end{itemize}
\begin{tabular}{ll}
Name & Place \\ \hline
An \& Bo & here\\
\end{tabular}
\end{document}
Not this
"#;
    let document = read("a.tex", text.as_bytes());
    let (o, p) = (open, point);
    assert_eq!(
        texts(&document),
        [
            &format!("A {}small{CLOSE} title", o(0)),
            "Open files",
            &format!(
                "See\u{A0}Section\u{A0}{} and {}, where {} is 5\u{202F}%.",
                p(0),
                p(1),
                p(2)
            ),
            &format!(
                "Use {}bold words{CLOSE}{} and Gödel's {}own{CLOSE} “words”.",
                o(0),
                p(1),
                o(2)
            ),
            &format!("A note with {}text{CLOSE}.", o(0)),
            "First",
            "One thing",
            "Another",
            "Name",
            "Place",
            "An & Bo",
            "here",
        ]
        .map(str::to_owned)
    );
    assert_eq!(document.paragraphs[1].kind, ParagraphKind::Heading);
    let mut translations = texts(&document);
    let note = format!("Eine Anmerkung: {}100 %{CLOSE} & [mehr]_x.", o(0));
    let use_it = format!(
        "[Nimm] das{} — {}fette{CLOSE} {}Worte{CLOSE} “x”",
        p(1),
        o(0),
        o(2)
    );
    translations[3] = &use_it;
    translations[4] = &note;
    let written = String::from_utf8(translated(&document, &translations, None)).expect("text");
    assert!(
        written.contains(
            "[Nimm] das\\footnote{Eine Anmerkung: \\emph{100 \\%} \\& [mehr]\\_x.} — \\textbf{fette} {\\em Worte} ``x''\n\n\\begin{verbatim}"
        ),
        "{written}"
    );
    // The rest of the paragraph is as it was.
    assert!(
        written.contains(
            "See~Section~\\ref{sec:open} and \\cite{x}, where $x^2$ is 5\\,\\%. % a comment\n"
        ),
        "{written}"
    );
    let again = read("a.tex", written.as_bytes());
    assert_eq!(
        super::seen(&texts(&again).concat()),
        super::seen(&translations.concat())
    );
}

#[test]
fn latex_in_a_declared_encoding_stays_in_it() {
    let text = "\\documentclass{article}\\usepackage[latin1]{inputenc}\\begin{document}\nHello.\n\\end{document}\n";
    let document = read("a.tex", text.as_bytes());
    let written = translated(&document, &["Größe ő."], None);
    let body = written.windows(2).any(|pair| pair == b"\xF6\xDF");
    assert!(
        body && String::from_utf8_lossy(&written).contains("\\H{o}"),
        "{written:?}"
    );
}

#[test]
fn an_environment_without_its_end_is_refused() {
    let text = "\\begin{document}\nText\n\\begin{verbatim}\nmore\n\\end{document}\n";
    let format = canopy::text::document::Format::Latex;
    let error = canopy::text::document::Document::from_bytes("a.tex", format, text.into());
    let message = error.expect_err("damaged").to_string();
    assert!(
        message.contains("line 3") && message.contains("verbatim"),
        "{message}"
    );
}

const MANUAL: &str = "\
=====
Title
=====

Intro with *emphasis*, ``code``, a `link <https://x.org>`_, a `Named target`_ and
|subst|. See :ref:`the label <lab>` and :py:func:`f`. Code follows::

    not this

Open
----

.. note:: Mind the
   gap.

.. code-block:: python

   not_this()

.. comment

#. First
#. Second

   With more

term
    Its meaning.

:field: Its text

.. _Named target: https://x.org
.. |subst| replace:: Some text
.. [1] A footnote.

| A line
| Another

+--------+---------+
| Head   | Other   |
+========+=========+
| A cell | * list  |
| of two |         |
+--------+---------+

=====  ========
Col a  Col b
=====  ========
x      Some text
y      More
       of it
=====  ========
";

#[test]
fn rst_keeps_its_structure() {
    let document = read("a.rst", MANUAL.as_bytes());
    let (o, p) = (open, point);
    assert_eq!(
        texts(&document),
        [
            "Title",
            &format!("Intro with {}emphasis{CLOSE}, {}, a {}link{CLOSE}, a {}Named target{CLOSE} and {}.", o(0), p(1), o(2), o(3), p(4)),
            &format!("See {}the label{CLOSE} and {}.", o(0), p(1)),
            "Code follows",
            "Open",
            "Mind the gap.",
            "First",
            "Second",
            "With more",
            "term",
            "Its meaning.",
            "Its text",
            "Some text",
            "A footnote.",
            "A line",
            "Another",
            "Head",
            "Other",
            "A cell of two",
            "Col a",
            "Col b",
            "x",
            "Some text",
            "y",
            "More of it",
        ]
        .map(str::to_owned)
    );
    let levels: Vec<u8> = document
        .sections
        .iter()
        .map(|section| section.level)
        .collect();
    assert_eq!(levels, [0, 1, 2]);
    let mut translations: Vec<String> = texts(&document)
        .iter()
        .map(|text| (*text).to_owned())
        .collect();
    translations[0] = "Ein längerer Titel".to_owned();
    translations[1] = translations[1].replace("Named target", "Ziel* mit Namen_");
    translations[4] = "Öffnen und schließen".to_owned();
    translations[18] = "Eine Zelle mit zwei Zeilen".to_owned();
    translations[21] = "Eine lange Zelle".to_owned();
    let given: Vec<&str> = translations.iter().map(String::as_str).collect();
    let written = String::from_utf8(translated(&document, &given, None)).expect("text");
    let row = "=".repeat("Ein längerer Titel".chars().count());
    for part in [
        format!("{row}\nEin längerer Titel\n{row}\n"),
        "`Ziel\\* mit Namen\\_ <Named target_>`_".to_owned(),
        format!("Öffnen und schließen\n{}\n", "-".repeat(20)),
        "    not this\n".to_owned(),
        "\
+----------------+---------+
| Head           | Other   |
+================+=========+
| Eine Zelle mit | * list  |
| zwei Zeilen    |         |
+----------------+---------+
"
        .to_owned(),
        "\
================  ========
Col a             Col b
================  ========
Eine lange Zelle  Some text
y                 More
                  of it
================  ========
"
        .to_owned(),
    ] {
        assert!(written.contains(&part), "{part}\nis not in\n{written}");
    }
    assert_eq!(texts(&read("a.rst", written.as_bytes())), given);
}

#[test]
fn asciidoc_keeps_its_structure() {
    let text = "\
= Document Title
Jane Doe <jane@example.org>
:author: Jane

First *bold*, _italic_, `mono`, https://example.com[Example Site], {author} and <<id,text>>.footnote:[A note.]

== Section

.A list
* First item
continued
** Nested *item*
. Numbered

term:: Its meaning

NOTE: Mind this.

[source,ruby]
----
puts \"not this\"
----

// a comment

====
An example.
====

|===
| Name | Role
| Alice a| * x
|===

image::a.png[Not this]
";
    let document = read("a.adoc", text.as_bytes());
    let (o, p) = (open, point);
    assert_eq!(
        texts(&document),
        [
            "Document Title",
            &format!(
                "First {}bold{CLOSE}, {}italic{CLOSE}, {}, {}Example Site{CLOSE}, {} and {}text{CLOSE}.",
                o(0),
                o(1),
                p(2),
                o(3),
                p(4),
                o(5)
            ),
            "A note.",
            "Section",
            "A list",
            "First item continued",
            &format!("Nested {}item{CLOSE}", o(0)),
            "Numbered",
            "term",
            "Its meaning",
            "Mind this.",
            "An example.",
            "Name",
            "Role",
            "Alice",
            "x",
        ]
        .map(str::to_owned)
    );
    let mut translations = texts(&document);
    translations[3] = "[Ein] *Abschnitt*";
    translations[14] = "A|B";
    let written = String::from_utf8(translated(&document, &translations, None)).expect("text");
    assert!(
        written.contains("== [Ein] &#42;Abschnitt&#42;\n"),
        "{written}"
    );
    assert!(written.contains("| A&#124;B a| * x\n"), "{written}");
    assert_eq!(texts(&read("a.adoc", written.as_bytes())), translations);
    let open = "= Title\n\n----\nnever closed\n";
    let format = canopy::text::document::Format::AsciiDoc;
    let error = canopy::text::document::Document::from_bytes("a.adoc", format, open.into());
    assert!(error.expect_err("damaged").to_string().contains("line 3"));
}

#[test]
fn quotation_marks_of_asciidoc_are_pairs() {
    let text = "He said \"`now`\" and '`then`'.\n";
    let document = read("a.adoc", text.as_bytes());
    assert_eq!(texts(&document), ["He said “now” and ‘then’."]);
    let written = translated(&document, &["Er sagte „jetzt“ und ‚dann‘."], None);
    assert_eq!(written, "Er sagte „jetzt“ und ‚dann‘.\n".as_bytes());
}

#[test]
fn single_marks_of_asciidoc_hold_within_words() {
    let document = read("a.adoc", b"Text *bold* word.\n");
    let new = format!("字{}太{CLOSE}字", open(0));
    let written = translated(&document, &[&new], None);
    let expected = "字&#8203;*太*&#8203;字\n";
    assert_eq!(String::from_utf8_lossy(&written), expected);
    assert_eq!(
        texts(&read("a.adoc", &written))[0].matches(open(0)).count(),
        1
    );
}
