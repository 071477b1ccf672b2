//! A trace says what a model attended to while it translated, for every system there is.

mod tiny;

use std::ops::ControlFlow;
use std::path::Path;

use burn::tensor::{Distribution, Tensor};
use canopy::inference::{
    DeviceChoice, Flag, Reads, SearchOptions, Translation, Translator, starter_model,
};
use canopy::kernels::WordNormaliser;
use canopy::model::{
    Architecture, ConditionalAttentionConfig, Context, ContextAttention, Documents, FlatLevel,
    HierarchicalConditionalAttentionConfig, Keep, Memory, MergeKind, ModelConfig, Placement, Reach,
    Reading, Side, TraversalRule,
};
use canopy::text::document::{Document, Format};
use canopy::trace::{AttentionMap, MapKind, MapRow, Normaliser, Trace, open, save};
use canopy::weights::{ModelFolder, Precision};

/// Every kind of context on every side, and models without one.
fn systems() -> Vec<(&'static str, ModelConfig)> {
    let context = |context| ModelConfig {
        context: Some(context),
        ..tiny::config()
    };
    let tree = |placement| {
        context(Context::HierarchicalConditional {
            top_t: 2,
            merge: MergeKind::Source2Token,
            rule: TraversalRule::ByNode,
            placement,
        })
    };
    let conditional = |placement| {
        context(Context::Conditional {
            top_t: 2,
            placement,
        })
    };
    let selective = |words, reach, side| context(Context::Selective { words, reach, side });
    let flat = |level, reach| {
        context(Context::Flat {
            level,
            reach,
            side: Side::Both,
        })
    };
    let encoding =
        |placement, decoder| context(Context::HierarchicalEncoding { placement, decoder });
    let recurrent = ModelConfig {
        architecture: Architecture::RnnSearch,
        num_decoder_layers: 2,
        ..tiny::config()
    };
    vec![
        ("sentence", tiny::config()),
        ("rnnsearch", recurrent),
        (
            "concatenation",
            context(Context::Concatenation { previous: 2 }),
        ),
        ("encoding in layers", encoding(Placement::Sublayer, true)),
        ("encoding after layers", encoding(Placement::Gate, false)),
        ("conditional in layers", conditional(Placement::Sublayer)),
        ("conditional as heads", conditional(Placement::Heads)),
        ("tree in layers", tree(Placement::Sublayer)),
        ("tree after layers", tree(Placement::Gate)),
        (
            "selective, sparse",
            selective(WordNormaliser::Sparsemax, Reach::Offline, Side::Both),
        ),
        (
            "selective, soft",
            selective(WordNormaliser::Softmax, Reach::Online, Side::Encoder),
        ),
        ("flat over words", flat(FlatLevel::Word, Reach::Offline)),
        (
            "flat over sentences",
            flat(FlatLevel::Sentence, Reach::Online),
        ),
        (
            "han",
            context(Context::Han {
                previous: 2,
                side: Side::Both,
            }),
        ),
        ("zhang", context(Context::Zhang { previous: 2 })),
    ]
}

fn translator(config: ModelConfig) -> Translator {
    let folder = tempfile::tempdir().expect("a folder");
    let model = tiny::model(&config, 7, &tiny::device());
    let description = ModelFolder {
        model: config,
        ..tiny::description()
    };
    description
        .save(folder.path(), &model, &tiny::vocabulary(), Precision::Full)
        .expect("saves");
    Translator::open(folder.path(), DeviceChoice::Cpu).expect("opens")
}

/// With a sentence that is copied and one that is too long for the model.
fn document() -> Document {
    let long =
        "Open the file, close the window, copy the image, print the page and save the table.";
    let text = format!(
        "Open the file. Close it.\n\n{long}\n\n1 2 3\n\nSave the table. Print the page. Delete the cell.\n"
    );
    Document::from_bytes("page.txt", Format::Text, text.into_bytes()).expect("a document")
}

fn translated(translator: &Translator, document: &Document) -> Vec<Option<Translation>> {
    let options = SearchOptions {
        beam_size: 2,
        ..SearchOptions::default()
    };
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let mut translations = vec![None; all.len()];
    translator
        .translate(document, &all, &options, &mut |index, translation| {
            translations[index] = Some(translation);
            ControlFlow::Continue(())
        })
        .expect("translates");
    translations
}

fn traced(config: ModelConfig) -> (Document, Vec<Option<Translation>>, Trace) {
    let (translator, document) = (translator(config), document());
    let translations = translated(&translator, &document);
    let trace = translator.trace(&document, &translations);
    let again = translated(&translator, &document);
    assert_eq!(
        again, translations,
        "tracing leaves the translation as it is"
    );
    (document, translations, trace)
}

fn mass(map: &AttentionMap, row: &MapRow) -> f32 {
    let words = row.words.iter().map(|&(_, weight)| weight);
    let sentences = row.sentences.iter().map(|sentence| sentence.weight);
    row.rest
        + if map.info.keys.are_words() {
            words.sum::<f32>()
        } else {
            sentences.sum()
        }
}

/// Sentence that a row of a map asks for.
fn asks_for(trace: &Trace, map: &AttentionMap, row: usize) -> usize {
    let queries = map.info.queries;
    if queries.are_words() {
        let words = trace.overview.words(queries.side());
        words.place(row).expect("a word").0
    } else {
        row
    }
}

/// Every query puts a mass of 1 on what it may see, or sees nothing.
fn check_map(name: &str, document: &Document, trace: &Trace, map: &AttentionMap) {
    let (info, title) = (&map.info, format!("{name}: {}", map.info.title()));
    let keys = trace.overview.words(info.keys.side());
    for (number, row) in map.rows.iter().enumerate() {
        let own = asks_for(trace, map, number);
        let mass = mass(map, row);
        assert!(
            mass == 0.0 || (mass - 1.0).abs() < 1e-3,
            "{title}, row {number}: {mass}"
        );
        let first = own == 0;
        let copied = document.sentences[own].text == "1 2 3";
        if !first && !copied {
            assert!(mass > 0.0, "{title}, row {number} reads nothing");
        }
        let words = row.words.iter().map(|&(word, _)| {
            let place = keys.place(usize::try_from(word).expect("small"));
            place.expect("a word").0
        });
        let sentences = row
            .sentences
            .iter()
            .map(|read| usize::try_from(read.sentence).expect("small"));
        for read in words.chain(sentences) {
            // Parts of one sentence are others to each other.
            let part = read == own && own == 2;
            assert!(
                part || info.visible.includes(own, read),
                "{title}: sentence {own} reads {read}"
            );
        }
        if info.normaliser == Normaliser::Sparsemax {
            assert!(row.rest < 1e-6, "{title}, row {number}");
        }
        for sentence in &row.sentences {
            if info.keys.are_words() {
                let own = keys.rows(usize::try_from(sentence.sentence).expect("small"));
                let kept = row
                    .words
                    .iter()
                    .filter(|(word, _)| own.contains(&usize::try_from(*word).expect("small")));
                let kept: f32 = kept.map(|&(_, weight)| weight).sum();
                assert!(
                    kept <= sentence.weight + 1e-4 && sentence.weight <= kept + row.rest + 1e-4,
                    "{title}, row {number}"
                );
            }
        }
    }
}

#[test]
fn every_system_leaves_a_trace_that_comes_back_from_disk() {
    for (name, config) in systems() {
        let num_heads = config.num_heads;
        let context = config.context;
        let (document, translations, trace) = traced(config);
        assert!(trace.overview.is_of(&document), "{name}");
        for (sentence, translation) in trace.overview.target.iter().zip(&translations) {
            let parts = &translation.as_ref().expect("all are translated").parts;
            let ids: usize = parts.iter().map(|part| part.len() + 1).sum();
            let bilingual = context.is_some_and(|context| context.is_bilingual());
            if ids > 0 || !bilingual {
                assert_eq!(sentence.tokens.len(), ids, "{name}");
            }
        }
        for map in &trace.maps {
            check_map(name, &document, &trace, map);
        }
        let found = |kind| {
            trace
                .maps
                .iter()
                .filter(|map| map.info.kind == kind)
                .count()
        };
        assert!(found(MapKind::Cross) >= 1, "{name}");
        let beyond = found(MapKind::Context) + found(MapKind::DecoderContext);
        match context {
            None => assert_eq!(beyond, 0, "{name}"),
            Some(Context::Concatenation { .. }) => {
                let beyond = trace.maps.iter().filter(|map| {
                    let reads = |(row, read): (usize, &MapRow)| {
                        let own = trace.overview.words(map.info.keys.side());
                        let own = own.rows(asks_for(&trace, map, row));
                        read.words
                            .iter()
                            .any(|(word, _)| !own.contains(&usize::try_from(*word).expect("small")))
                    };
                    map.rows.iter().enumerate().any(reads)
                });
                assert_eq!(beyond.count(), num_heads, "{name}");
            }
            Some(_) => assert!(beyond >= num_heads, "{name}"),
        }
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["a.json", "a.trace"] {
            let path = folder.path().join(file);
            save(&trace, &path, false).unwrap_or_else(|error| panic!("{name}: {error}"));
            let source = open(&path).expect("opens");
            assert_eq!(*source.trace().expect("reads"), trace, "{name}, {file}");
        }
    }
}

/// What the search says of a translation, the words of it say together.
#[test]
fn words_are_as_probable_as_their_search_found_and_only_context_makes_a_difference() {
    let options = SearchOptions {
        beam_size: 2,
        ..SearchOptions::default()
    };
    for (name, config) in systems() {
        let translator = translator(config);
        let bilingual = translator.info().reads == Reads::Translations;
        let document = document();
        let translations = translated(&translator, &document);
        for sentence in [0, 5] {
            let difference = translator
                .context_difference(&document, &translations, sentence, &options)
                .expect("the device computes");
            let found = translations[sentence].as_ref().expect("it is translated");
            // The search of an untrained model seldom comes to an end by itself.
            let is_cut = found.flags.contains(&Flag::CutOff);
            let words = difference.words.iter();
            let words = words.filter(|word| !is_cut || word.label != "<eos>");
            let sum: f32 = words.map(|word| word.in_document).sum();
            let same = (sum - found.log_prob).abs() < 1e-3 * found.log_prob.abs().max(1.0);
            // The search of a bilingual model has read drafts, not these translations.
            assert!(same || bilingual, "{name}: {sum}, not {}", found.log_prob);
            if ["sentence", "rnnsearch"].contains(&name) {
                assert!(
                    difference.gain().abs() < 1e-3,
                    "{name}: there is no context"
                );
                assert_eq!(difference.written[0].1, difference.written[1].1);
            }
        }
    }
}

#[test]
fn gates_and_sentence_encodings_are_told() {
    for (name, config) in systems() {
        let gated = [
            "encoding after layers",
            "tree after layers",
            "selective, sparse",
            "han",
            "zhang",
        ];
        let encoded = [
            "encoding in layers",
            "conditional in layers",
            "tree in layers",
        ];
        let (_, _, trace) = traced(config);
        if gated.contains(&name) {
            let gate = trace.overview.gates.first().expect(name);
            let ordered = gate.min.iter().zip(&gate.mean).zip(&gate.max);
            assert!(
                ordered
                    .clone()
                    .all(|((min, mean), max)| min <= mean && mean <= max),
                "{name}"
            );
            assert!(gate.mean.iter().any(|&mean| mean > 0.0), "{name}");
        }
        if encoded.contains(&name) {
            let place = trace.find(MapKind::SentenceEncoding, 0, 0).expect(name);
            let rows = &trace.maps[place].rows;
            assert_eq!(rows.len(), trace.overview.source.len());
            assert!(rows.iter().all(|row| !row.words.is_empty()), "{name}");
        }
    }
}

#[test]
fn the_way_down_the_tree_ends_at_the_sentences_that_are_read() {
    let tree = |name: &str| systems().into_iter().find(|system| system.0 == name);
    for name in ["tree in layers", "tree after layers"] {
        let (_, _, trace) = traced(tree(name).expect("there").1);
        let tree = trace.overview.trees.first().expect("a tree");
        let maps = trace.maps.iter();
        for map in maps.filter(|map| map.info.kind == MapKind::Context) {
            for row in &map.rows {
                let visit = |level: u8, node: u32| {
                    row.visits
                        .iter()
                        .find(|visit| (visit.level, visit.node) == (level, node))
                };
                for step in &row.visits {
                    let above = visit(step.level + 1, step.node / 2);
                    let above = above.map_or(0.0, |parent| {
                        assert!(parent.kept, "children of kept nodes are looked at");
                        parent.cumulative
                    });
                    assert!((above + step.relevance - step.cumulative).abs() < 1e-5);
                }
                let leaves = row
                    .visits
                    .iter()
                    .filter(|visit| visit.level == 0 && visit.kept);
                let mut kept: Vec<u32> = leaves
                    .map(|leaf| tree.leaves[usize::try_from(leaf.node).expect("small")])
                    .collect();
                kept.dedup();
                let read: Vec<u32> = row.sentences.iter().map(|read| read.sentence).collect();
                assert_eq!(kept, read);
            }
        }
    }
}

fn reads(reading: &Reading) -> Vec<usize> {
    reading.sentences.iter().map(|read| read.sentence).collect()
}

#[test]
fn traced_sentences_are_those_that_the_layers_choose() {
    let device = tiny::device();
    let _alone = tiny::random_numbers();
    device.seed(3);
    let documents = Documents::one(vec![0..4, 4..5, 5..9, 9..12, 12..16]);
    let words = Tensor::<2>::random([16, 8], Distribution::Normal(0.0, 1.0), &device);
    let readers = documents.readers();
    let memory = Memory::of(words.clone(), documents.clone());
    let conditional = ConditionalAttentionConfig::new(8, 2, 2).init(&device);
    let tree = HierarchicalConditionalAttentionConfig::new(8, 2, 2).init(&device);
    let encode = |encoder: &canopy::model::Source2Token| {
        encoder.forward(words.clone(), &documents.sentences)
    };
    let projected = conditional.heads.project(
        words.clone(),
        words.clone(),
        encode(&conditional.source2token),
    );
    let chosen = conditional.heads.choose(&projected, &readers, &documents);
    let by_tree = tree.tree.choose(
        words.clone(),
        &readers,
        words.clone(),
        encode(&tree.source2token),
        &documents,
    );
    for (attention, choice) in [
        (ContextAttention::Conditional(conditional), chosen),
        (ContextAttention::Tree(tree), by_tree.choice),
    ] {
        let prepared = attention.prepare(&memory);
        let (read, readings) = attention.readings(words.clone(), &readers, &prepared, &Keep::all());
        let plain = attention.attend(words.clone(), &readers, &prepared);
        assert_eq!(read.to_data(), plain.to_data(), "looking changes nothing");
        assert_eq!(readings.rows.len(), choice.len());
        for (reading, kept) in readings.rows.iter().zip(&choice) {
            assert_eq!(reads(reading), kept.sentences);
        }
    }
}

#[test]
fn a_trace_from_the_shipped_model_aligns_every_word_of_the_translation() {
    let folder = starter_model().expect("shipped");
    let translator = Translator::open(&folder, DeviceChoice::Cpu).expect("opens");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/sorting-a-table.md");
    let document = Document::open(&sample, None).expect("a sample");
    let translations = translated(&translator, &document);
    let trace = translator.trace(&document, &translations);
    let words = trace.overview.words(canopy::trace::Side::Target);
    assert!(words.num_words() > 50);
    let cross = trace
        .maps
        .iter()
        .filter(|map| map.info.kind == MapKind::Cross);
    for map in cross {
        assert_eq!(map.rows.len(), words.num_words());
        assert!(map.rows.iter().all(|row| !row.words.is_empty()));
        check_map("starter", &document, &trace, map);
    }
}

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
        let trace = translator.trace(&document, &translations);
        times[1] += begun.elapsed().as_secs_f64();
        assert!(!trace.maps.is_empty());
    }
    let [translating, tracing] = times;
    println!("translating {translating:.2} s, tracing {tracing:.2} s");
    assert!(tracing < translating / 5.0);
}
