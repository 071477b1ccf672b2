//! The cost of tracing compared with translating.

use std::ops::ControlFlow;

use canopy::inference::{DeviceChoice, SearchOptions, Translator, starter_model};
use canopy::text::document::Document;

/// Seconds of both on the pages of a folder, to be run by hand: `CANOPY_PAGES` names it, `CANOPY_MODEL` the model.
#[test]
#[ignore = "measures time"]
fn tracing_costs_less_than_a_fifth_of_translating() {
    let folder = |name| std::env::var_os(name).map(std::path::PathBuf::from);
    let model = folder("CANOPY_MODEL").unwrap_or_else(|| starter_model().expect("shipped"));
    let translator = Translator::open(&model, DeviceChoice::Cpu).expect("opens");
    let mut times = [0.0; 2];
    for page in std::fs::read_dir(folder("CANOPY_PAGES").expect("named")).expect("a folder") {
        let document = Document::open(page.expect("a page").path(), None).expect("a page");
        let all: Vec<usize> = (0..document.sentences.len()).collect();
        let mut translations = vec![None; all.len()];
        let begun = std::time::Instant::now();
        let options = SearchOptions::default();
        translator
            .translate(&document, &all, &options, &mut |index, translation| {
                translations[index] = Some(translation);
                ControlFlow::Continue(())
            })
            .expect("translates");
        times[0] += begun.elapsed().as_secs_f64();
        let begun = std::time::Instant::now();
        let trace = translator.trace(&document, &translations).expect("traces");
        times[1] += begun.elapsed().as_secs_f64();
        assert!(!trace.maps.is_empty());
    }
    let [translating, tracing] = times;
    println!("translating {translating:.2} s, tracing {tracing:.2} s");
    assert!(tracing < translating / 5.0);
}
