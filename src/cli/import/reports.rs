//! Reports of imports.

use canopy_corpus::document_folders::FolderReport;
use canopy_corpus::gettext::PoReport;
use canopy_corpus::iwslt::IwsltReport;
use canopy_corpus::libreoffice_help::HelpReport;
use canopy_corpus::parallel_text::TextReport;
use canopy_corpus::tmx::TmxReport;
use canopy_corpus::tsv::TsvReport;

pub(super) fn text_report(report: &TextReport) -> String {
    const SHOWN: usize = 5;
    let lines = |numbers: &[usize]| {
        let shown: Vec<String> = numbers.iter().take(SHOWN).map(usize::to_string).collect();
        let more = if numbers.len() > SHOWN { ", …" } else { "" };
        match numbers {
            [] => String::new(),
            _ => format!(" (lines {}{more})", shown.join(", ")),
        }
    };
    format!(
        "{} pairs of lines; left out: {} only in the source{}, {} only in the target{}, {} empty on both sides\n",
        report.pairs,
        report.without_target.len(),
        lines(&report.without_target),
        report.without_source.len(),
        lines(&report.without_source),
        report.empty
    )
}

pub(super) fn iwslt_text(report: &IwsltReport) -> String {
    format!(
        "{} talks; {} only in the source language, {} only in the target language\n\
         {} pairs of segments; {} only in the source, {} only in the target; {} without an end tag\n",
        report.talks,
        report.unpaired_sources.len(),
        report.unpaired_targets.len(),
        report.pairs,
        report.unpaired_source_segments,
        report.unpaired_target_segments,
        report.unclosed_segments
    )
}

pub(super) fn help_text(report: &HelpReport) -> String {
    format!(
        "{} pages, {} of them only in the source language\n\
         {} paragraphs divided into sentences, {} kept whole, {} only in the source language\n\
         markup without a partner taken out of {} units: {} in the source, {} in the target\n",
        report.pages,
        report.unpaired_pages,
        report.divided_paragraphs,
        report.whole_paragraphs,
        report.unpaired_paragraphs,
        report.units_with_dropped_markup,
        report.dropped_source_markup,
        report.dropped_target_markup
    )
}

pub(super) fn folder_text(report: &FolderReport) -> String {
    let mut text = format!(
        "{} pairs of documents; {} documents only in the source language, {} only in the target language\n\
         {} pairs of sentences, {} of them doubtful: context only\n\
         {} sentences only in the source, {} only in the target; {:.2} characters of the target for one of the source\n",
        report.documents,
        report.unpaired_sources.len(),
        report.unpaired_targets.len(),
        report.pairs,
        report.doubtful,
        report.unpaired_source_sentences,
        report.unpaired_target_sentences,
        report.length_ratio
    );
    text += &listed("only in the source language", &report.unpaired_sources);
    text += &listed("only in the target language", &report.unpaired_targets);
    let left_out = report.left_out.iter();
    text.extend(left_out.map(|pair| format!("left out: {}: {}\n", pair.source, pair.reason)));
    text
}

/// The first names of a list; all of them are in the JSON.
fn listed(what: &str, names: &[String]) -> String {
    const SHOWN: usize = 5;
    if names.is_empty() {
        return String::new();
    }
    let first = names
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{what}: {}{more}\n", first.join(", "))
}

pub(super) fn po_text(report: &PoReport) -> String {
    let text = format!(
        "{} catalogues, and {} of other languages; {} messages without a translation, {} obsolete\n\
         {} pairs in {} documents; {} fuzzy: context only, {} in an unnamed place\n",
        report.catalogues,
        report.other_languages,
        report.untranslated,
        report.obsolete,
        report.pairs,
        report.documents,
        report.fuzzy,
        report.without_place
    );
    text + &listed("names of no document", &report.unknown_names)
}

pub(super) fn tsv_text(report: &TsvReport) -> String {
    format!(
        "{} pairs in {} documents; {} lines have text on one side only\n",
        report.pairs, report.documents, report.incomplete
    )
}

pub(super) fn tmx_text(report: &TmxReport) -> String {
    let languages = report
        .languages
        .iter()
        .map(|(language, units)| format!("{language} {units}"));
    format!(
        "{} units ({}), {} of them without text in both languages\n\
         {} pairs in {} documents, {} of which the file names; {} pairs repeat earlier ones\n\
         markup of one side only, taken out: {}\n",
        report.units,
        languages.collect::<Vec<_>>().join(", "),
        report.incomplete,
        report.pairs,
        report.documents,
        report.named_documents,
        report.repeated,
        report.dropped_markup
    )
}
