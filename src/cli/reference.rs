//! `docs/reference/command-line.md` is generated from the help texts.

use std::path::Path;
use std::{env, fs};

use clap::{Command, CommandFactory, Parser};
use clap_markdown::{MarkdownOptions, help_markdown_command_custom};

use super::Arguments;

const PAGE: &str = "docs/reference/command-line.md";
const INTRODUCTION: &str = "All commands with their options, as `canopy COMMAND --help` prints them. Results go to standard \
output, everything else to standard error. [Exit codes and JSON](output.md) have a page of their own. Existing files are \
replaced only with `--force`; a file that the command reads is never replaced. This page is generated: change the help \
texts in `src/cli` and run \
`CANOPY_UPDATE=1 cargo test --release -p canopy-cli reference`.";

/// The page as the help texts have it.
fn page() -> String {
    let options = MarkdownOptions::new()
        .title("Command line".to_owned())
        .show_footer(false);
    let text = help_markdown_command_custom(&Arguments::command(), &options);
    // The second usage of a command begins a line.
    let text = text.replace(">\n       ", ">`, `… ");
    let mut page = String::with_capacity(text.len());
    let mut is_code = false;
    let mut follows_sentence = false;
    for line in text.lines() {
        let is_example = line.starts_with("  ") && line.trim_start().starts_with("canopy ");
        let is_example = is_example || line.starts_with("  CANOPY_");
        if is_example != is_code {
            page += if is_example { "\n```sh\n" } else { "```\n" };
            is_code = is_example;
        }
        if follows_sentence && line.starts_with(char::is_uppercase) {
            page.push('\n');
        }
        follows_sentence = line.ends_with('.');
        if line.starts_with("This document contains") {
            page += INTRODUCTION;
        } else if is_example {
            page += line.trim_start();
        } else {
            page += &linked(line);
        }
        page.push('\n');
    }
    let page = page
        .replace("`:\n    ", "`: ")
        .replace("\n\n\n\n", "\n\n")
        .replace("\n\n\n", "\n\n");
    format!("{}\n", page.trim_end())
}

/// A line of text with links to the pages that it names, and without marks of HTML and of emphasis outside code.
fn linked(line: &str) -> String {
    let spans = line.split('`').enumerate().map(|(number, span)| {
        let is_code = number % 2 == 1;
        if is_code {
            return span.to_owned();
        }
        let words: Vec<String> = span.split(' ').map(linked_word).collect();
        words.join(" ")
    });
    spans.collect::<Vec<_>>().join("`")
}

fn linked_word(word: &str) -> String {
    let name = word.trim_end_matches(['.', ',', ':', ';']);
    let rest = &word[name.len()..];
    if let Some(path) = name.strip_prefix("docs/") {
        return format!("[{path}](../{path}){rest}");
    }
    // The generator's own marks, of an item and of a heading.
    if word == "*" || word.contains("**") {
        return word.to_owned();
    }
    word.replace('<', "\\<").replace('*', "\\*")
}

#[test]
fn the_page_about_the_command_line_is_what_the_help_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(PAGE);
    let page = page();
    if env::var_os("CANOPY_UPDATE").is_some() {
        fs::write(&path, &page).expect("a page to write");
    }
    let found = fs::read_to_string(&path).expect("a page");
    let differs = page
        .lines()
        .zip(found.lines())
        .find(|(new, old)| new != old);
    assert!(
        page == found,
        "{PAGE} is not what the help texts say (CANOPY_UPDATE=1 writes it): {differs:?}"
    );
}

#[test]
fn earlier_names_of_options_and_values_are_read() {
    for line in [
        "translate --address commonest --drafts page.html",
        "train --run run --corpus corpus --general news",
        "evaluate --corpus corpus --at-work --project --keep-address soft --address du",
        "sweep score runs --at-work",
        "terms extract --from en --to de --least 2 --most 10 page.html",
        "model shortlist --model model --best 5 --common 30 -o list.bin",
        "sample --run demo",
    ] {
        let arguments = ["canopy"].into_iter().chain(line.split(' '));
        let read = Arguments::try_parse_from(arguments);
        assert!(read.is_ok(), "{line}: {:?}", read.err());
    }
    let command = Arguments::command();
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    assert!(names.contains(&"demo") && !names.contains(&"sample"));
}

#[test]
fn every_command_and_option_is_explained() {
    let mut commands = vec![Arguments::command()];
    while let Some(command) = commands.pop() {
        assert!(command.get_about().is_some(), "{}", command.get_name());
        for argument in command.get_arguments().filter(|it| !it.is_hide_set()) {
            let name = (command.get_name(), argument.get_id());
            assert!(argument.get_help().is_some(), "{name:?} has no help");
        }
        commands.extend(command.get_subcommands().cloned());
    }
}

#[test]
fn pages_are_linked_and_tags_are_escaped() {
    assert_eq!(
        linked("* `<FILE>` — see docs/guide/training.md, with <doc> and documents/*/"),
        "* `<FILE>` — see [guide/training.md](../guide/training.md), with \\<doc> and documents/\\*/"
    );
}
