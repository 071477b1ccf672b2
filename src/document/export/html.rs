//! Pages for those who review a translation.

use std::fmt::Write;

use super::{Export, Languages};
use crate::document::{Paragraph, ParagraphKind};
use crate::formats::{escaped, escaped_attribute};

const STYLE: &str = "body{font:16px/1.5 sans-serif;margin:2em auto;max-width:75em;padding:0 1em}\
table{border-collapse:collapse;width:100%}td,th{border:1px solid #bbb;padding:.4em .6em;text-align:start;vertical-align:top;width:50%}\
td:first-child,th:first-child{width:3em;color:#777}.heading td{font-weight:bold}.target{color:#114}\
.source{margin-bottom:0}.target:empty::before{content:\"—\";color:#b00}p.target{margin-top:.2em;padding-inline-start:1em;border-inline-start:3px solid #88a}";

impl Export<'_> {
    /// A table with a row for each sentence.
    pub(super) fn side_by_side(&self) -> String {
        let Languages { source, target } = self.escaped_languages();
        let mut body = format!("<table>\n<tr><th></th><th>{source}</th><th>{target}</th></tr>\n");
        for paragraph in &self.document.paragraphs {
            let class = if is_heading(paragraph) {
                " class=\"heading\""
            } else {
                ""
            };
            for index in paragraph.sentences.clone() {
                let (from, to) = self.pair(index);
                // Writing to a string does not fail.
                let _ = writeln!(
                    body,
                    "<tr{class}><td>{}</td><td lang=\"{source}\" dir=\"auto\">{}</td><td class=\"target\" lang=\"{target}\" dir=\"auto\">{}</td></tr>",
                    index + 1,
                    escaped(&from),
                    escaped(&to)
                );
            }
        }
        body += "</table>\n";
        self.page(&body)
    }

    /// Each paragraph with its translation below it.
    pub(super) fn interleaved(&self) -> String {
        let Languages { source, target } = self.escaped_languages();
        let mut body = String::new();
        for paragraph in &self.document.paragraphs {
            let pairs = paragraph.sentences.clone().map(|index| self.pair(index));
            let (from, to): (Vec<String>, Vec<String>) = pairs.unzip();
            let level = self.document.sections[paragraph.section].level.clamp(1, 6);
            let tag = if is_heading(paragraph) {
                format!("h{level}")
            } else {
                "p".to_owned()
            };
            let _ = writeln!(
                body,
                "<{tag} class=\"source\" lang=\"{source}\" dir=\"auto\">{}</{tag}>\n<p class=\"target\" lang=\"{target}\" dir=\"auto\">{}</p>",
                escaped(&from.join(" ")),
                escaped(to.join(" ").trim())
            );
        }
        self.page(&body)
    }

    fn page(&self, body: &str) -> String {
        let title = escaped(&self.document.name);
        format!(
            "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
             </head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n",
            self.escaped_languages().target
        )
    }

    fn escaped_languages(&self) -> Languages {
        Languages {
            source: escaped_attribute(&self.languages.source),
            target: escaped_attribute(&self.languages.target),
        }
    }
}

fn is_heading(paragraph: &Paragraph) -> bool {
    matches!(
        paragraph.kind,
        ParagraphKind::Heading | ParagraphKind::Title
    )
}
