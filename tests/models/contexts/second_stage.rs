//! A context that is fine-tuned from a trained sentence-level model.

use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;
use canopy::model::{Batch, Context, Model, ModelConfig, Placement};
use canopy::training::Adam;
use canopy::weights::module_tensors;

use crate::contexts::{batch, document, look, numbers, silent, systems, tiny};

fn documents() -> Batch {
    batch(&[document(&[3, 5, 2, 4, 3, 1, 2], 1), document(&[4, 2], 2)])
}

fn updated(model: Model, batch: &Batch, adam: &mut Adam, rate: f64) -> Model {
    let mut gradients = model.loss(batch, 0.1, &silent()).backward();
    adam.update(model, &mut gradients, rate, None).0
}

/// Sentence-level models that have learnt a little: no weight is what it is drawn as.
struct Bases(Vec<(ModelConfig, Model)>);

impl Bases {
    fn new() -> Self {
        Self(Vec::new())
    }

    /// The sentence-level model of a system, and the system that is fine-tuned from it.
    fn taken_up(&mut self, config: &ModelConfig) -> (Model, Model) {
        let device = tiny::device().autodiff();
        let sentence_level = config.sentence_level();
        let known = self
            .0
            .iter()
            .position(|(known, _)| *known == sentence_level);
        let at = known.unwrap_or_else(|| {
            let (mut base, mut adam) = (tiny::model(&sentence_level, 8, &device), Adam::default());
            for _ in 0..20 {
                base = updated(base, &documents(), &mut adam, 1e-2);
            }
            self.0.push((sentence_level.clone(), base));
            self.0.len() - 1
        });
        let base = self.0[at].1.clone();
        let config = config
            .warm_started_from(&sentence_level)
            .expect("its own base");
        let model = Model::warm_start(base.clone(), &config, 9, &device).expect("a valid model");
        (base, model)
    }
}

/// The largest difference of a probability, as a mean over the rows.
fn apart(one: Tensor<2>, other: Tensor<2>) -> f32 {
    let apart = (softmax(one, 1) - softmax(other, 1)).abs().max_dim(1);
    numbers(apart.mean())[0]
}

/// How far a system may be apart from its base at first, as a mean over the rows of the largest difference of a
/// probability.
fn tolerance(context: &Context) -> Option<f32> {
    match context {
        // The sentence stands further back in what is read: there is nothing to zero_init.
        Context::Concatenation { .. } => None,
        Context::HierarchicalEncoding { placement, decoder } => Some(match (placement, decoder) {
            (Placement::Heads, false) => 1e-6,
            (Placement::Gate, _) => GATED,
            _ => SUBLAYER,
        }),
        Context::Conditional { placement, .. }
        | Context::HierarchicalConditional { placement, .. } => Some(match placement {
            Placement::Heads => 1e-6,
            Placement::Sublayer => SUBLAYER,
            Placement::Gate => GATED,
        }),
        context if context.is_bilingual() => Some(BILINGUAL),
        _ => Some(GATED),
    }
}

const SUBLAYER: f32 = 0.01;
/// About one part in eight is the context's.
const GATED: f32 = 0.05;
/// The same in the states that the vocabulary is compared with.
const BILINGUAL: f32 = 0.15;

#[test]
fn a_context_begins_near_what_it_is_put_upon() {
    let (batch, mut bases) = (documents(), Bases::new());
    for config in systems::configs() {
        let (base, model) = bases.taken_up(&config);
        let of = |model: &Model| model.scores(&batch, &silent());
        let apart = apart(of(&base), of(&model));
        let context = config.context.expect("a context");
        if let Some(tolerance) = tolerance(&context) {
            assert!(apart <= tolerance, "{apart} apart: {config:?}");
        }
    }
}

#[test]
fn only_the_context_is_new() {
    let mut bases = Bases::new();
    for config in systems::configs() {
        let (base, model) = bases.taken_up(&config);
        let (base, tensors) = (module_tensors(&base), module_tensors(&model));
        for (name, tensor) in &base {
            assert_eq!(tensors.get(name), Some(tensor), "{name}: {config:?}");
        }
        for (name, tensor) in &tensors {
            if let Some(name) = name.strip_prefix("stage_one.") {
                assert_eq!(base.get(name), Some(tensor), "{name}: {config:?}");
            } else if !base.contains_key(name) {
                let new = ["contexts.", "previous.", "gated.", ".context.", "flat."];
                let known = new.iter().any(|part| name.contains(part));
                assert!(known, "{name}: {config:?}");
            }
        }
        let counted = config
            .warm_started_from(&config.sentence_level())
            .expect("its own base");
        assert_eq!(counted.num_parameters(), model.num_params(), "{config:?}");
    }
}

#[test]
fn training_changes_everything_but_the_first_stage() {
    /// A layer after a silent projection has no gradient before the second step, and moves in the third.
    const STEPS: usize = 3;
    let (batch, mut bases) = (documents(), Bases::new());
    for config in systems::configs() {
        let (_, mut model) = bases.taken_up(&config);
        let before = module_tensors(&model);
        let first_stage = |name: &&String| name.starts_with("stage_one.");
        let parts: Vec<_> = before.keys().filter(first_stage).collect();
        let gradients = model.loss(&batch, 0.1, &silent()).backward();
        let found = look(&model, &gradients);
        let frozen: Vec<_> = found
            .missing
            .iter()
            .filter(|name| name.starts_with("stage_one."))
            .collect();
        assert_eq!(
            frozen.len(),
            parts.len(),
            "gradients of the sentence-level model: {config:?}"
        );
        let mut adam = Adam::default();
        for _ in 0..STEPS {
            model = updated(model, &batch, &mut adam, 1e-3);
        }
        let after = module_tensors(&model);
        let same: Vec<_> = before
            .keys()
            .filter(|&name| before[name] == after[name])
            .collect();
        assert_eq!(same, parts, "what stayed the same: {config:?}");
    }
}
