//! Rooms stand on floors: none uses one that stands above it, and no rooms use each other in a circle.

mod house;
mod licences;
mod pages;
mod paths;
mod tokens;

use std::collections::BTreeSet;
use std::path::Path;

use house::{Arrow, House, circles};

/// The rooms from the ground up; ARCHITECTURE.md shows them in this order. A room may stand here before it is built.
const FLOORS: &[&str] = &[
    "error",
    "text",
    "typesetting",
    "tokenizers",
    "charts",
    "corpus",
    "metrics",
    "judgement",
    "contrastive",
    "similarity",
    "trace",
    "explain",
    "kernels",
    "memory",
    "terms",
    "checks",
    "llm",
    "model",
    "weights",
    "interchange",
    "search",
    "remote",
    "inference",
    "catalogue",
    "training",
    "evaluation",
    "results",
    "jobs",
    "app",
    "gui",
    "server",
    "cli",
];

/// Rooms whose files form no circle either.
const WITHOUT_CIRCLES: &[&str] = &["model", "app", "cli", "corpus", "explain"];

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn house() -> House {
    House::open(&repository().join("src"))
}

/// Arrows to a room that stands above, or to none that has a floor.
fn upward(arrows: &[Arrow], floors: &[&str]) -> Vec<Arrow> {
    let floor = |room: &str| floors.iter().position(|other| *other == room);
    let points_up = |arrow: &&Arrow| match (floor(&arrow.from), floor(&arrow.to)) {
        (Some(from), Some(to)) => to > from,
        _ => true,
    };
    arrows.iter().filter(points_up).cloned().collect()
}

fn listed(arrows: &[Arrow]) -> String {
    let lines = arrows.iter().map(|arrow| {
        let Arrow {
            from,
            to,
            file,
            line,
        } = arrow;
        format!("{file}, line {line}: {from} → {to}\n")
    });
    lines.collect()
}

#[test]
fn no_arrow_points_up_the_floors() {
    let upward = upward(&house().room_arrows(), FLOORS);
    assert!(
        upward.is_empty(),
        "these use a room above their own, or crate:: names no room:\n{}",
        listed(&upward)
    );
}

#[test]
fn no_rooms_use_each_other_in_a_circle() {
    let circles = circles(&house().room_arrows());
    assert!(circles.is_empty(), "{circles:?}");
}

#[test]
fn the_files_of_some_rooms_form_no_circle() {
    for room in WITHOUT_CIRCLES {
        let arrows = house().file_arrows(room);
        assert!(arrows.len() > 20, "{room} has {} arrows", arrows.len());
        let circles = circles(&arrows);
        let inside = |arrow: &&Arrow| {
            let both = [&arrow.from, &arrow.to];
            circles
                .iter()
                .any(|circle| both.iter().all(|file| circle.contains(file)))
        };
        let ties: Vec<Arrow> = arrows.iter().filter(inside).cloned().collect();
        assert!(circles.is_empty(), "{circles:?}\n{}", listed(&ties));
    }
}

#[test]
fn every_room_has_a_floor() {
    let floors: BTreeSet<String> = FLOORS.iter().map(|&room| room.to_owned()).collect();
    let rooms = house().rooms();
    let homeless: Vec<&String> = rooms.difference(&floors).collect();
    assert!(homeless.is_empty(), "give them a floor: {homeless:?}");
    assert!(rooms.len() > 20, "{rooms:?}");
}

#[test]
fn the_page_shows_the_floors() {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("a page");
    let (_, section) = page
        .split_once("\n## Floors\n")
        .expect("a section about floors");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(
        rows.collect::<Vec<_>>(),
        FLOORS,
        "the rooms of ARCHITECTURE.md, in order"
    );
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let broken = pages::broken_links(repository());
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_begins_with_what_the_reader_wants() {
    for entry in std::fs::read_dir(repository().join("docs")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let page = std::fs::read_to_string(&path).expect("a page");
        let first = page.split("\n\n").nth(1).unwrap_or_default();
        assert!(first.starts_with("You "), "{}: {first}", path.display());
    }
    let front = std::fs::read_to_string(repository().join("README.md")).expect("a page");
    assert!(front.lines().count() <= 120, "the front page has grown");
}

#[test]
fn an_arrow_up_and_a_circle_are_found() {
    let source = |name: &str, source: &str| {
        let module = name.split('/').map(str::to_owned).collect();
        (module, source.to_owned())
    };
    let house = House::of([
        source("text", "use crate::{error::Error, model::{Model, Norm}};"),
        source(
            "model",
            "mod a;\nmod b;\npub use b::B;\nuse crate::text::Text;",
        ),
        source("model/a", "fn f() -> super::B { crate::nowhere::g() }"),
        source(
            "model/b",
            "use super::a::f;\n#[cfg(test)]\nmod tests { use crate::text::T; }",
        ),
        source(
            "error",
            "// use crate::text\npub(in crate::model) fn f() {}",
        ),
    ]);
    let arrows = house.room_arrows();
    let upward = upward(&arrows, &["error", "text", "model"]);
    let places: Vec<String> = upward
        .iter()
        .map(|it| format!("{}:{}→{}", it.file, it.line, it.to))
        .collect();
    assert_eq!(
        places,
        [
            "src/model/a:1→nowhere",
            "src/text:1→model",
            "src/text:1→model"
        ]
    );
    assert_eq!(circles(&arrows), [["model", "text"]]);
    let files = house.file_arrows("model");
    assert_eq!(circles(&files), [["src/model/a", "src/model/b"]]);
}
