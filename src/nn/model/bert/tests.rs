use burn::tensor::Distribution;

use super::*;

fn tiny() -> Bert {
    let config = BertConfig {
        vocab_size: 9,
        d_model: 8,
        num_layers: 2,
        num_heads: 2,
        d_ff: 12,
        max_tokens: 6,
        num_types: 2,
        norm_epsilon: 1e-12,
    };
    config.validate().expect("sizes");
    let device = Device::flex();
    device.seed(3);
    let mut bert = Bert::new(&config, &device);
    for table in [&mut bert.words, &mut bert.positions, &mut bert.types] {
        let random = table.val().random_like(Distribution::Normal(0.0, 1.0));
        *table = Param::from_tensor(random);
    }
    bert
}

fn values(states: Tensor<2>) -> Vec<f32> {
    states.into_data().try_into_vec().expect("floats")
}

#[test]
fn a_sequence_does_not_know_its_neighbours() {
    let bert = tiny();
    let (mut both, mut alone) = (BertBatch::default(), BertBatch::default());
    both.push(&[2, 5, 6, 3]);
    both.push_pair(&[2, 7, 3, 8, 3], 3);
    alone.push_pair(&[2, 7, 3, 8, 3], 3);
    let both = values(bert.forward(&both).slice([4..9, 0..8]));
    let alone = values(bert.forward(&alone));
    for (both, alone) in both.iter().zip(&alone) {
        assert!((both - alone).abs() < 1e-5, "{both} {alone}");
    }
}

#[test]
fn the_second_text_is_distinguished_from_the_first() {
    let bert = tiny();
    let states = |of_first| {
        let mut batch = BertBatch::default();
        batch.push_pair(&[2, 7, 3, 8, 3], of_first);
        values(bert.forward(&batch))
    };
    assert_ne!(states(3), states(5));
}

#[test]
fn the_last_of_all_states_is_the_result() {
    let bert = tiny();
    let mut batch = BertBatch::default();
    batch.push(&[2, 5, 6, 3]);
    let states = bert.hidden_states(&batch);
    assert_eq!(states.len(), 3);
    let last = states.into_iter().next_back().expect("three");
    assert_eq!(values(last), values(bert.forward(&batch)));
}
