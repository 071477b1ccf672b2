//! Attention to the states of BERT in addition to a layer's own attention, and three ways to join the two.
//!
//! - Cardinality residuals: CATSBY 2022, Eq. 13-18. Each attention has a residual connection, and the norm of the layer's own
//!   attention, or one of its own; the layer's input is added once more to their mean. The authors' program shares the norm;
//!   Eq. 17-18 leave it out.
//! - The mean with drop-net: Zhu et al., "Incorporating BERT into Neural Machine Translation", ICLR 2020, §4.
//! - A gate in place of the mean: Maruf et al. 2019, Eq. 8-9, between the two attentions of Zhu et al.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use crate::model::attention::MultiHeadAttention;
use crate::model::config::ModelConfig;
use crate::model::context::{ContextGate, ContextGateConfig};
use crate::model::context_config::Fusion;
use crate::model::linear::Linear;
use crate::model::norm::Norm;
use crate::model::prepared::{Memory, PreparedMemory};
use crate::model::warm_start::neutral;
use canopy_kernels::DropoutSource;

/// Attention to BERT's states. Its residuals are those of CATSBY, or with a gate it is gated, else averaged.
#[derive(Module, Debug)]
pub struct BertFusion {
    /// Keys and values come from BERT's width.
    pub attention: MultiHeadAttention,
    /// Norm of the residuals of CATSBY, where these do not share the own attention's.
    pub norm: Option<Norm>,
    /// Whether both residuals of CATSBY go through the norm of the own attention.
    pub shares_norm: bool,
    /// The gate that joins both attentions.
    pub gate: Option<ContextGate>,
}

impl BertFusion {
    /// None if the model does not read BERT.
    pub(in crate::model) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        let (fusion, _) = config.context?.bert()?;
        let bert = config.bert.as_ref()?;
        let (d_model, d_bert) = (config.d_model, bert.sizes.d_model);
        let gate = ContextGateConfig::new(d_model).with_warm(config.warm_gate);
        Some(Self {
            attention: MultiHeadAttention {
                query: Linear::without_bias(d_model, d_model, device),
                key: Linear::without_bias(d_bert, d_model, device),
                value: Linear::without_bias(d_bert, d_model, device),
                output: Linear::without_bias(d_model, d_model, device),
                num_heads: config.num_heads,
                causal: false,
            },
            norm: (fusion == Fusion::Cardinality).then(|| Norm::new(d_model, device)),
            shares_norm: fusion == Fusion::SharedCardinality,
            gate: (fusion == Fusion::Gate).then(|| gate.init(device)),
        })
    }

    /// Keys and values of BERT's states of each sentence and its context, which do not depend on who reads.
    pub fn prepare(&self, states: &Memory) -> PreparedMemory {
        PreparedMemory::new(&self.attention, states)
    }

    /// The state `x` with what its two attentions, `own` and `bert`, have read; `norm` is that of the own one.
    ///
    /// # Shapes
    /// - x, own, bert, output: `[rows, d_model]`
    pub fn join(
        &self,
        norm: &Norm,
        x: Tensor<2>,
        own: Tensor<2>,
        bert: Tensor<2>,
        drop: &DropoutSource,
    ) -> Tensor<2> {
        let norm_bert = self.shares_norm.then_some(norm);
        match (self.norm.as_ref().or(norm_bert), &self.gate) {
            (Some(norm_bert), _) => {
                let own = norm.add(x.clone(), own, drop.next());
                let bert = norm_bert.add(x.clone(), bert, drop.next());
                (own + bert) / 2.0 + x
            }
            (None, Some(gate)) => norm.add(x, gate.forward(own, bert), drop.next()),
            (None, None) => norm.add(x, averaged(own, bert, drop), drop.next()),
        }
    }
}

impl BertFusion {
    /// Makes a layer with this fusion do about what it did without, where it has a norm of its own: the branches, added to
    /// the input that the norm `before` gave, come to what the own one did. All others begin as they are drawn, so that
    /// none has a better start than another.
    pub(in crate::model) fn zero_init(&mut self, own: &mut Norm, before: &Norm) {
        let Some(norm) = &mut self.norm else { return };
        let output = &mut self.attention.output;
        output.weight = Param::from_tensor(output.weight.val().zeros_like());
        let scaled = |param: &Param<Tensor<1>>, factor: f64| {
            Param::from_tensor((param.val() * factor).detach())
        };
        let passing = neutral(before);
        norm.gamma = scaled(&passing.gamma, -2.0);
        norm.beta = scaled(&passing.beta, -2.0);
        own.gamma = scaled(&own.gamma, 2.0);
        own.beta = scaled(&own.beta, 2.0);
    }
}

/// The mean of both; in training one of them, drop-net of Zhu et al. 2020, §4.2.
fn averaged(own: Tensor<2>, bert: Tensor<2>, drop: &DropoutSource) -> Tensor<2> {
    match drop.next() {
        None => (own + bert) / 2.0,
        Some(mask) if mask.stream >> 63 == 0 => own,
        Some(_) => bert,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::loops::{normed, read, times, values};
    use crate::model::query_spans::QuerySpan;

    const D: usize = 4;

    fn rows(seed: u64, rows: usize) -> Tensor<2> {
        let device = Device::flex();
        device.seed(seed);
        Tensor::random(
            [rows, D],
            burn::tensor::Distribution::Normal(0.0, 1.0),
            &device,
        )
    }

    fn fusion(gate: bool) -> BertFusion {
        let device = Device::flex();
        device.seed(5);
        let linear = || Linear::without_bias(D, D, &device);
        BertFusion {
            attention: MultiHeadAttention {
                query: linear(),
                key: linear(),
                value: linear(),
                output: linear(),
                num_heads: 1,
                causal: false,
            },
            norm: None,
            shares_norm: false,
            gate: gate.then(|| ContextGateConfig::new(D).init(&device)),
        }
    }

    /// Zhu et al. 2020, §4.1: `LN(h + (attn_S + attn_B) / 2)`, and with the gate in place of the halves.
    #[test]
    fn average_and_gate_are_what_loops_compute() {
        let (x, own, memory) = (rows(1, 3), rows(2, 3), rows(3, 5));
        // The first two tokens belong to the first sentence, the third to the second.
        let states = Memory::from_states(
            memory.clone(),
            crate::model::Documents::one(vec![0..3, 3..5]),
        );
        let query_spans =
            [(0..2, 0), (2..3, 1)].map(|(rows, sentence)| QuerySpan { rows, sentence });
        let norm = Norm::new(D, &Device::flex());
        for gated in [false, true] {
            let layer = fusion(gated);
            let bert = layer.prepare(&states).attend(x.clone(), &query_spans, None);
            let none = DropoutSource::none();
            let got = values(&layer.join(&norm, x.clone(), own.clone(), bert, &none));
            let (memory, own) = (values(&memory), values(&own));
            for (row, h) in values(&x).iter().enumerate() {
                let keys = if row < 2 { &memory[..3] } else { &memory[3..] };
                let (own, bert) = (&own[row], read(&layer.attention, h, keys));
                let mut sum = h.clone();
                let gate = layer.gate.as_ref().map(|gate| {
                    let [own_map, bert_map] =
                        [&gate.own, &gate.context].map(|linear| values(&linear.weight.val()));
                    let (own, bert) = (times(own, &own_map), times(&bert, &bert_map));
                    let scores = own.iter().zip(&bert).map(|(a, b)| a + b);
                    scores
                        .map(|x| 1.0 / (1.0 + (-x).exp()))
                        .collect::<Vec<f32>>()
                });
                for column in 0..D {
                    let share = gate.as_ref().map_or(0.5, |gate| gate[column]);
                    sum[column] += share * own[column] + (1.0 - share) * bert[column];
                }
                for (got, want) in got[row].iter().zip(normed(&sum)) {
                    assert!((got - want).abs() < 1e-4, "{got} and {want}");
                }
            }
        }
    }

    /// The authors' `S2EncoderLayer` calls one norm for both branches.
    #[test]
    fn branches_of_catsby_share_a_norm() {
        let (x, own, bert) = (rows(1, 3), rows(2, 3), rows(3, 3));
        let layer = BertFusion {
            shares_norm: true,
            ..fusion(false)
        };
        let norm = Norm {
            gamma: Param::from_tensor(rows(4, 1).flatten(0, 1)),
            ..Norm::new(D, &Device::flex())
        };
        let none = DropoutSource::none();
        let found = layer.join(&norm, x.clone(), own.clone(), bert.clone(), &none);
        let [own, bert] = [own, bert].map(|it| norm.forward(x.clone() + it));
        let differs = (found - (own + bert) / 2.0 - x).abs().max();
        assert!(differs.into_scalar::<f32>() < 1e-5);
    }

    #[test]
    fn drop_net_takes_each_attention_about_as_often() {
        let (own, bert) = (Tensor::<2>::zeros([1, 1], &Device::flex()), rows(1, 1));
        let drop = DropoutSource::new(0.1, 7);
        let taken = (0..200).filter(|_| {
            let taken = averaged(own.clone(), bert.clone().narrow(1, 0, 1), &drop);
            taken.into_scalar::<f32>() == 0.0
        });
        let taken = taken.count();
        assert!((70..130).contains(&taken), "{taken} of 200");
    }
}
