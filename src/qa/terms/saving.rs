//! Termbases to files.

use std::fmt::Write;
use std::path::Path;

use super::tables::{BETWEEN, appended};
use super::termbase::{Kind, Term, Termbase};
use crate::error::Result;
use canopy_base::file::write_atomically;
use canopy_document::csv::field;

impl Termbase {
    /// Writes the file whose ending says what it is, see [`Termbase::read`]; TBX becomes TBX-Basic 3 in DCA style.
    ///
    /// # Errors
    /// If it cannot be written, or exists and may not be replaced.
    pub fn save(&self, path: &Path, replace: bool) -> Result<()> {
        let text = match Kind::from_path(path)? {
            Kind::Tbx => self.tbx(),
            Kind::Csv => self.table(','),
            Kind::Tsv => self.table('\t'),
            Kind::Glossary => self.glossary(),
        };
        Ok(write_atomically(path, text.as_bytes(), replace)?)
    }

    /// Writes a term that was added to the file: a line more of a table, whose other lines stay as they are; other files anew.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn save_added(&self, path: &Path, term: &Term) -> Result<()> {
        let languages = (self.source_language.as_str(), self.target_language.as_str());
        let kind = Kind::from_path(path)?;
        let text = std::fs::read_to_string(path);
        let (Ok(text), false) = (text, kind == Kind::Tbx) else {
            return self.save(path, true);
        };
        let text = match kind {
            Kind::Csv => appended(path, &text, &[',', ';', '\t', '|'], languages, term)?,
            Kind::Tsv => appended(path, &text, &['\t'], languages, term)?,
            Kind::Glossary | Kind::Tbx => {
                let end = if text.is_empty() || text.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                let lines = term.targets.iter().map(|target| {
                    let [source, target] = [&term.source, target].map(|cell| one_line(cell));
                    format!("{source}\t{target}\n")
                });
                format!("{text}{end}{}", lines.collect::<String>())
            }
        };
        Ok(write_atomically(path, text.as_bytes(), true)?)
    }

    fn table(&self, separator: char) -> String {
        let mut text = [
            "source",
            "target",
            "forbidden",
            "case-sensitive",
            "domain",
            "note",
        ]
        .join(&separator.to_string());
        text.push('\n');
        for term in &self.terms {
            let several = |targets: &[String]| targets.join(&BETWEEN.to_string());
            let cells = [
                term.source.clone(),
                several(&term.targets),
                several(&term.forbidden),
                if term.case_sensitive { "yes" } else { "" }.to_owned(),
                term.domain.clone().unwrap_or_default(),
                term.note.clone().unwrap_or_default(),
            ];
            let cells = cells.map(|cell| match separator {
                '\t' => one_line(&cell),
                _ => field(&cell),
            });
            text += &cells.join(&separator.to_string());
            text.push('\n');
        }
        text
    }

    /// A line for each translation; forbidden ones have no place there.
    fn glossary(&self) -> String {
        let mut text = String::from("# Glossary in tab-separated format\n");
        for term in &self.terms {
            for target in &term.targets {
                let cells = [
                    &term.source,
                    target,
                    term.note.as_ref().unwrap_or(&String::new()),
                ]
                .map(|cell| one_line(cell));
                text += cells.join("\t").trim_end();
                text.push('\n');
            }
        }
        text
    }

    fn tbx(&self) -> String {
        let mut text = String::new();
        let language = |code: &str| escaped(code);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <tbx type=\"TBX-Basic\" style=\"dca\" xml:lang=\"{}\" xmlns=\"urn:iso:std:iso:30042:ed-2\">\n\
             <tbxHeader><fileDesc><sourceDesc><p>Written by Canopy</p></sourceDesc></fileDesc></tbxHeader>\n\
             <text><body>\n",
            language(&self.source_language)
        );
        for (number, term) in self.terms.iter().enumerate() {
            let _ = writeln!(text, "<conceptEntry id=\"c{}\">", number + 1);
            self.tbx_entry(term, &mut text);
            text += "</conceptEntry>\n";
        }
        text += "</body></text>\n</tbx>\n";
        text
    }

    fn tbx_entry(&self, term: &Term, text: &mut String) {
        if let Some(domain) = &term.domain {
            let _ = writeln!(
                text,
                "<descrip type=\"subjectField\">{}</descrip>",
                escaped(domain)
            );
        }
        if let Some(note) = &term.note {
            let _ = writeln!(text, "<note>{}</note>", escaped(note));
        }
        let case = if term.case_sensitive {
            "<termNote type=\"caseSensitive\">yes</termNote>"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "<langSec xml:lang=\"{}\"><termSec><term>{}</term>{case}</termSec></langSec>",
            escaped(&self.source_language),
            escaped(&term.source)
        );
        let _ = write!(
            text,
            "<langSec xml:lang=\"{}\">",
            escaped(&self.target_language)
        );
        let preferred = term
            .targets
            .iter()
            .take(1)
            .map(|it| (it, "preferredTerm-admn-sts"));
        let admitted = term
            .targets
            .iter()
            .skip(1)
            .map(|it| (it, "admittedTerm-admn-sts"));
        let forbidden = term
            .forbidden
            .iter()
            .map(|it| (it, "deprecatedTerm-admn-sts"));
        for (target, status) in preferred.chain(admitted).chain(forbidden) {
            let _ = write!(
                text,
                "<termSec><term>{}</term><termNote type=\"administrativeStatus\">{status}</termNote></termSec>",
                escaped(target)
            );
        }
        text.push_str("</langSec>\n");
    }
}

fn one_line(cell: &str) -> String {
    cell.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}
