//! Figures of training runs, drawn by the program from a run's events.

use crate::support::desk;
use std::fs;
use std::path::Path;

use desk::{assert_done, assert_failed, canopy};

/// A run of 60 steps and two validations, the second of them the better one.
fn run_folder(folder: &Path) {
    let step = |step: u32| {
        let loss = 8.0 / f64::from(step).sqrt() + 1.0;
        let (tokens, secs) = (step * 100, step * 2);
        format!(
            "{{\"event\":\"step\",\"step\":{step},\"epoch\":0,\"loss\":{loss},\"learning_rate\":0.001,\
             \"gradient_norm\":1.5,\"target_tokens\":{tokens},\"target_tokens_per_second\":900.0,\
             \"elapsed_secs\":{secs},\"remaining_secs\":null}}\n"
        )
    };
    let validated = |step: u32| {
        let (tokens, secs, bleu) = (step * 100, step * 2, 0.75 * f64::from(step));
        format!(
            "{{\"event\":\"validated\",\"step\":{step},\"target_tokens\":{tokens},\"dev_loss\":2.5,\
             \"dev_bleu\":{bleu},\"best\":true,\"elapsed_secs\":{secs}}}\n"
        )
    };
    let before = (1..=30).map(step).chain([validated(30)]);
    let events = before.chain((31..=60).map(step)).chain([validated(60)]);
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("events.jsonl"), events.collect::<String>()).expect("written");
}

#[test]
fn a_run_becomes_an_svg_figure_with_titles_and_a_star() {
    let folder = tempfile::tempdir().expect("a folder");
    let (run, figure) = (folder.path().join("my run"), folder.path().join("a.svg"));
    run_folder(&run);
    let arguments = |force: &[&'static str]| {
        let paths = [run.to_str(), Some("-o"), figure.to_str()];
        let paths = paths.map(|path| path.expect("UTF-8").to_owned());
        let all = ["run", "plot", "--x", "tokens"].map(str::to_owned);
        let force = force.iter().map(|it| (*it).to_owned());
        all.into_iter()
            .chain(paths)
            .chain(force)
            .collect::<Vec<_>>()
    };
    let plot = |arguments: Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        canopy(&arguments)
    };
    assert_done(&plot(arguments(&[])));
    let svg = fs::read_to_string(&figure).expect("a figure");
    for text in [
        "Training loss",
        "Dev BLEU",
        "my run",
        "target tokens",
        "45.00",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    let corners = |line: &str| line.matches(',').count();
    let is_star = |line: &&str| line.starts_with("<polygon") && corners(line) == 10;
    assert!(svg.lines().any(|line| is_star(&line)));
    assert_failed(&plot(arguments(&[])), &["a.svg", "--force"]);
    assert_done(&plot(arguments(&["--force"])));
}

#[test]
fn a_png_figure_opens_and_is_not_one_colour() {
    let folder = tempfile::tempdir().expect("a folder");
    let (run, figure) = (folder.path().join("run"), folder.path().join("a.png"));
    run_folder(&run);
    let paths = [&run, &figure].map(|path| path.to_str().expect("UTF-8"));
    let options = ["--dark", "--width", "500", "--height", "300"];
    let arguments = [&["run", "plot", paths[0], "-o", paths[1]], &options[..]].concat();
    assert_done(&canopy(&arguments));
    let bytes = fs::read(&figure).expect("a figure");
    let picture = eframe::icon_data::from_png_bytes(&bytes).expect("a picture");
    assert_eq!((picture.width, picture.height), (500, 300));
    let (pixels, _) = picture.rgba.as_chunks::<4>();
    let page = pixels[0];
    let drawn = pixels.iter().filter(|pixel| **pixel != page).count();
    assert_eq!(page, [27, 30, 34, 255]);
    assert!(drawn > 2_000 && drawn < 75_000, "{drawn}");
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (run, none) = (path("run"), path("none"));
    run_folder(Path::new(&run));
    let plot = |run: &str, figure: &str| canopy(&["run", "plot", run, "-o", figure]);
    assert_failed(&plot(&none, &path("a.svg")), &["none", "canopy train"]);
    assert_failed(&plot(&run, &path("a.gif")), &["a.gif", ".svg or .png"]);
    assert_failed(&plot(&run, &path("no/a.svg")), &["a.svg", "cannot write"]);
}
