use canopy_kernels::gpu::{BlockNumbers, Grouped};
use serde::Deserialize;

use super::super::tests::{IDS, distance, folder, network, numbers, tiny};
use super::super::{Cache, Network};
use super::*;
use crate::blocks::{Kind, f16_to_f32};
use crate::fixture::Fixture;

fn gpu() -> Arc<Gpu> {
    Gpu::on_first_adapter().expect("an adapter, Mesa's lavapipe at least")
}

#[derive(Deserialize)]
struct Row {
    kind: String,
    block: String,
}

/// The numbers that a shader makes of words.
fn unpacked(numbers: &BlockNumbers) -> Vec<f32> {
    let grouped = |grouped: &Grouped, bits: u32| -> Vec<f32> {
        let per_word = 32 / bits;
        let integers = grouped.words.iter().flat_map(|word| {
            (0..per_word).map(move |place| (word >> (place * bits)) & ((1 << bits) - 1))
        });
        let number = |(place, integer): (usize, u32)| {
            let [scale, minimum] = grouped.scales[place / grouped.group];
            scale * f32::from(u8::try_from(integer).expect("a byte")) + minimum
        };
        integers.enumerate().map(number).collect()
    };
    let halves = |words: &[u32]| -> Vec<u16> { bytemuck::cast_slice(words).to_vec() };
    match numbers {
        BlockNumbers::Nibbles(it) => grouped(it, 4),
        BlockNumbers::Bytes(it) => grouped(it, 8),
        BlockNumbers::Halves(words) => halves(words).into_iter().map(f16_to_f32).collect(),
        BlockNumbers::UpperHalves(words) => {
            let halves = halves(words).into_iter();
            halves
                .map(|half| f32::from_bits(u32::from(half) << 16))
                .collect()
        }
        BlockNumbers::Floats(words) => words.iter().map(|word| f32::from_bits(*word)).collect(),
    }
}

#[test]
fn words_of_every_kind_are_the_numbers_of_its_blocks() {
    let rows = include_str!("../../tests/data/dequantised.json");
    let rows: Vec<Row> = serde_json::from_str(rows).expect("rows");
    for row in rows {
        let kind = (0..31).filter_map(Kind::from_code);
        let mut kinds = kind.filter(|kind| format!("{kind:?}") == row.kind);
        let kind = kinds.next().expect("a kind");
        let hexadecimal = |place: usize| u8::from_str_radix(&row.block[place..place + 2], 16);
        let block: Result<Vec<u8>, _> = (0..row.block.len()).step_by(2).map(hexadecimal).collect();
        let block = block.expect("bytes");
        let mut expected = vec![0.0; block.len() / kind.bytes() * kind.numbers()];
        kind.dequantise(&block, &mut expected);
        let found = unpacked(&blocks::numbers(kind, &block));
        assert_eq!(found.len(), expected.len(), "{kind:?}");
        let largest = expected.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        let far = distance(&found, &expected);
        assert!(far <= 1e-5 * largest, "{kind:?}: {far} of {largest}");
    }
}

/// A network twice: on the CPU and on the GPU.
fn both(make: impl Fn() -> Network) -> [Network; 2] {
    let mut there = make();
    there.move_to(&gpu()).expect("a GPU takes it");
    [make(), there]
}

/// The largest difference between what both compute: a prompt, the same token by token, and behind a prefix.
fn largest_difference([here, there]: &[Network; 2]) -> f32 {
    let all = repeated(45);
    let mut most = 0.0_f32;
    let [mut one, mut other] = [here.new_cache(), there.new_cache()];
    for ids in [&all[..9], &all[9..10], &all[10..], &all[..1]] {
        let logits = [
            here.read_tokens(ids, &mut one),
            there.read_tokens(ids, &mut other),
        ];
        assert!(logits.iter().flatten().all(|it| it.is_finite()));
        most = most.max(distance(&logits[0], &logits[1]));
    }
    for cache in [&mut one, &mut other] {
        cache.truncate(20);
    }
    let forced = [
        here.read_forced(&all[..20], &all[1..21], &mut one),
        there.read_forced(&all[..20], &all[1..21], &mut other),
    ];
    assert_eq!(other.len(), 40);
    most.max(distance(&forced[0], &forced[1]))
}

#[test]
fn a_gpu_computes_what_the_cpu_does_for_every_family() {
    for family in [
        "llama",
        "qwen2",
        "qwen3",
        "gemma2",
        "gemma3",
        "hunyuan-dense",
    ] {
        let key = |rest: &str| format!("{family}.{rest}");
        let bias = numbers(32, 99, 1.0);
        let whole = || tiny(family).count(&key("context_length"), 64);
        let varied = || {
            whole()
                .count(&key("attention.sliding_window"), 5)
                .float(&key("attn_logit_softcapping"), 2.0)
                .float(&key("final_logit_softcapping"), 3.0)
                .tensor("blk.0.attn_q.bias", &[32], &bias)
                .tensor("blk.1.attn_q_norm.weight", &[8], &bias[..8])
                .tensor("blk.1.attn_k_norm.weight", &[8], &bias[8..16])
                .tensor("blk.1.post_attention_norm.weight", &[32], &bias)
                .tensor("blk.0.post_ffw_norm.weight", &[32], &bias)
                .tensor("rope_freqs.weight", &[4], &[1.0, 2.0, 4.0, 8.0])
        };
        let make: [&dyn Fn() -> Fixture; 2] = [&whole, &varied];
        for make in make {
            let far = largest_difference(&both(|| network(make())));
            // The CPU rounds queries and weights of attention to half floats, and GELU as llama.cpp does.
            assert!(far < 0.02, "{family}: {far}");
        }
    }
}

#[test]
fn in_32_bits_both_are_the_same() {
    for family in ["llama", "gemma3", "qwen3", "hunyuan"] {
        let make = || Network::from_folder(&folder(family)).expect("a network");
        let far = largest_difference(&both(make));
        assert!(far < 2e-4, "{family}: {far}");
    }
}

#[test]
fn the_attention_of_both_is_the_same() {
    let [here, there] =
        both(|| network(tiny("gemma3").count("gemma3.attention.sliding_window", 7)));
    let ids = repeated(40);
    let [one, other] = [here, there].map(|network| {
        let mut cache = network.new_cache();
        network.read_context(&ids[..3], &mut cache);
        let mut all = Vec::new();
        network.read_recorded(&[], &ids[3..], &mut cache, &mut |it| {
            let place = (it.layer, it.position, it.head, it.first);
            all.push((place, it.weights.to_vec()));
        });
        assert_eq!(cache.len(), ids.len());
        all.sort_by_key(|(place, _)| *place);
        all
    });
    assert_eq!(one.len(), 2 * 37 * 4);
    for ((place, weights), (other_place, others)) in one.iter().zip(&other) {
        assert_eq!(place, other_place);
        assert_eq!(weights.len(), others.len());
        let sum: f32 = others.iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{place:?}: {sum}");
        assert!(distance(weights, others) < 0.01, "{place:?}");
    }
}

/// Tokens of a text without sense.
fn repeated(count: usize) -> Vec<u32> {
    IDS.into_iter().cycle().take(count).collect()
}

/// Logits and attention of an answer to a source of `length` tokens.
fn answered(network: &Network, cache: &mut Cache, length: usize) -> [Vec<f32>; 2] {
    let (source, answer) = (repeated(length), repeated(24));
    let mut logits = network.read_prompt(&source, cache);
    for ids in [&answer[..1], &answer[1..6]] {
        logits.extend(network.read_tokens(ids, cache));
    }
    cache.truncate(1);
    logits.extend(network.read_forced(&answer[..20], &answer[1..21], cache));
    cache.truncate(3);
    let mut weights = Vec::new();
    network.read_recorded(&answer[2..4], &answer[4..], cache, &mut |it| {
        assert_eq!((it.first, it.weights.len()), (0, length));
        let place = (it.layer, it.position, it.head);
        weights.push((place, it.weights.to_vec()));
    });
    weights.sort_by_key(|(place, _)| *place);
    assert_eq!(
        weights.len(),
        20 * network.num_layers() * network.num_heads()
    );
    let weights = weights.into_iter().flat_map(|(_, weights)| weights);
    [logits, weights.collect()]
}

#[test]
fn an_encoder_and_its_decoder_compute_what_the_cpu_does() {
    for family in ["t5", "madlad"] {
        let [here, there] = both(|| Network::from_folder(&folder(family)).expect("a network"));
        let [mut one, mut other] = [here.new_cache(), there.new_cache()];
        // Sources of other lengths in one cache; the last has more positions than there is room for at first.
        for length in [9, 130, 1, 1_100] {
            let [logits, weights] = answered(&here, &mut one, length);
            let [other_logits, other_weights] = answered(&there, &mut other, length);
            let far = distance(&logits, &other_logits);
            assert!(far < 2e-4, "{family}, {length}: {far}");
            let far = distance(&weights, &other_weights);
            assert!(far < 1e-4, "{family}, {length}: {far} of attention");
        }
    }
}

#[test]
fn a_decoder_goes_on_where_it_has_more_positions_than_room() {
    let [here, there] = both(|| Network::from_folder(&folder("madlad")).expect("a network"));
    let all = repeated(1_060);
    let [one, other] = [here, there].map(|network| {
        let mut cache = network.new_cache();
        network.read_source(&IDS, &mut cache);
        network.read_tokens(&all, &mut cache)
    });
    let far = distance(&one, &other);
    assert!(far < 5e-4, "{far}");
}
