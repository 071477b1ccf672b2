//! `docs/command-line.md` names every command and option of the program, and no other.

use std::collections::{BTreeMap, BTreeSet};

use crate::command_line::desk::{canopy, stdout};
use crate::command_line::usage::subcommands;

/// Long options by command, such as `canopy corpus import tmx`.
type Commands = BTreeMap<String, BTreeSet<String>>;

/// The long options that a text names.
fn options(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let options = words.filter(|word| word.starts_with("--") && word.len() > 2);
    options.map(str::to_owned).collect()
}

/// Those that a help text explains: each begins a line, alone or behind its letter; descriptions stand further right.
fn explained(help: &str) -> BTreeSet<String> {
    let lines = help.lines();
    let firsts = lines.filter_map(|line| {
        let text = line.trim_start();
        let is_option = text.starts_with('-') && line.len() - text.len() <= 6;
        let (name, _) = text.split_once("  ").unwrap_or((text, ""));
        is_option
            .then(|| options(name))
            .into_iter()
            .flatten()
            .next()
    });
    firsts.filter(|option| option != "--help").collect()
}

/// Options of every command, which the page explains once, for the window.
const OF_ALL: [&str; 1] = ["--verbose"];

/// The window and the commands without subcommands, with what their help texts explain.
fn of_program() -> Commands {
    let (mut commands, mut names) = (Commands::new(), vec!["canopy".to_owned()]);
    while let Some(name) = names.pop() {
        let arguments: Vec<&str> = name.split(' ').skip(1).chain(["--help"]).collect();
        let help = stdout(&canopy(&arguments));
        let below = subcommands(&help);
        names.extend(below.iter().map(|sub| format!("{name} {sub}")));
        let takes_more = help.contains("\nArguments:\n");
        if below.is_empty() || arguments.len() == 1 || takes_more {
            let mut options = explained(&help);
            if arguments.len() > 1 {
                options.retain(|option| !OF_ALL.contains(&option.as_str()));
            }
            commands.insert(name, options);
        }
    }
    commands
}

/// The same from the headings of the page and the left columns of its tables.
fn of_page(page: &str) -> Commands {
    let section = |text: &str| {
        let (name, text) = text.split_once('\n').expect("more than a heading");
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let names = rows.filter_map(|row| row.split(" | ").next());
        (name.to_owned(), names.flat_map(options).collect())
    };
    page.split("\n## ").skip(1).map(section).collect()
}

#[test]
fn the_page_about_the_command_line_is_complete() {
    let page = of_page(include_str!("../../../docs/command-line.md"));
    let program = of_program();
    let names = |commands: &Commands| commands.keys().cloned().collect::<BTreeSet<_>>();
    let (there, told) = (names(&program), names(&page));
    let (untold, gone) = (&there - &told, &told - &there);
    assert!(
        untold.is_empty() && gone.is_empty(),
        "docs/command-line.md lacks sections of {untold:?} and has those of {gone:?}, which are no commands"
    );
    for (command, there) in &program {
        let told = &page[command];
        let (untold, gone) = (there - told, told - there);
        assert!(
            untold.is_empty() && gone.is_empty(),
            "docs/command-line.md lacks {untold:?} of `{command}` and names {gone:?}, which it does not have"
        );
    }
}
