//! One run of a mechanism: inputs on the device, outputs and gradients collected and compared.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use burn::module::Param;
use burn::tensor::{Bool, Device, Gradients, Tensor, TensorData};

use super::file::{Array, Golden};

/// Reads the gradient of one input or weight.
type GradientOf = Box<dyn Fn(&Gradients) -> Option<Vec<f64>>>;

pub struct Case<'a> {
    golden: &'a Golden,
    device: &'a Device,
    leaves: RefCell<BTreeMap<String, GradientOf>>,
    outputs: RefCell<BTreeMap<String, Vec<f64>>>,
    gradients: RefCell<BTreeMap<String, Vec<f64>>>,
}

impl<'a> Case<'a> {
    pub fn new(golden: &'a Golden, device: &'a Device) -> Self {
        Self {
            golden,
            device,
            leaves: RefCell::default(),
            outputs: RefCell::default(),
            gradients: RefCell::default(),
        }
    }

    pub fn device(&self) -> &Device {
        self.device
    }

    /// A whole number of the configuration.
    pub fn size(&self, name: &str) -> usize {
        let value = self.golden.config[name].as_u64().expect("a whole number");
        usize::try_from(value).expect("a size")
    }

    /// A text of the configuration.
    pub fn text(&self, name: &str) -> &str {
        self.golden.config[name].as_str().expect("a text")
    }

    pub fn number(&self, name: &str) -> f64 {
        self.golden.config[name].as_f64().expect("a number")
    }

    pub fn shape(&self, input: &str) -> &[usize] {
        &self.golden.inputs[input].shape
    }

    /// Whole numbers among the inputs.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small counts and ids"
    )]
    pub fn sizes(&self, input: &str) -> Vec<usize> {
        self.golden.inputs[input]
            .data
            .iter()
            .map(|&number| number as usize)
            .collect()
    }

    /// The expected numbers of an output.
    pub fn expected(&self, output: &str) -> &[f64] {
        &self.golden.outputs[output].data
    }

    pub fn has_weight(&self, name: &str) -> bool {
        self.golden.weights.contains_key(name)
    }

    /// An input with a gradient.
    pub fn input<const D: usize>(&self, name: &str) -> Tensor<D> {
        self.leaf(name, &self.golden.inputs[name])
    }

    /// An input without a gradient.
    pub fn constant<const D: usize>(&self, name: &str) -> Tensor<D> {
        tensor(&self.golden.inputs[name], self.device)
    }

    /// An input `[n, m, d]` as the matrix `[n · m, d]`.
    pub fn rows(&self, name: &str) -> Tensor<2> {
        let [n, m, d] = self.shape(name) else {
            panic!("{name} is {:?}", self.shape(name))
        };
        self.input::<3>(name).reshape([n * m, *d])
    }

    /// Rows of the sentences of `[n · m, d]`, from the mask `[n, m]`.
    pub fn sentences(&self, mask: &str) -> Vec<Range<usize>> {
        let (mask, longest) = (self.sizes(mask), self.shape(mask)[1]);
        let sentences = mask.chunks_exact(longest).enumerate();
        sentences
            .map(|(number, mask)| number * longest..number * longest + mask.iter().sum::<usize>())
            .collect()
    }

    /// A weight as the parameter of a layer.
    pub fn weight<const D: usize>(&self, name: &str) -> Param<Tensor<D>> {
        Param::from_tensor(self.leaf(name, &self.golden.weights[name]))
    }

    fn leaf<const D: usize>(&self, name: &str, array: &Array) -> Tensor<D> {
        let leaf = tensor::<D>(array, self.device).require_grad();
        let tracked = leaf.clone();
        let gradient_of = move |gradients: &Gradients| tracked.grad(gradients).map(numbers);
        self.leaves
            .borrow_mut()
            .insert(name.to_owned(), Box::new(gradient_of));
        leaf
    }

    /// Records an output.
    pub fn output<const D: usize>(&self, name: &str, tensor: Tensor<D>) {
        self.output_numbers(name, numbers(tensor));
    }

    /// Records an output `[n · m, ..]`, with zeros where a row belongs to no sentence.
    pub fn output_rows(&self, name: &str, tensor: Tensor<2>, sentences: &[Range<usize>]) {
        let [_, columns] = tensor.dims();
        let mut numbers = numbers(tensor);
        for (row, numbers) in numbers.chunks_exact_mut(columns).enumerate() {
            if !sentences.iter().any(|sentence| sentence.contains(&row)) {
                numbers.fill(0.0);
            }
        }
        self.output_numbers(name, numbers);
    }

    /// Records an output `[.., columns]`, with zeros up to the number of columns in the file.
    pub fn output_padded<const D: usize>(&self, name: &str, tensor: Tensor<D>) {
        let columns = tensor.dims()[D - 1];
        let wanted = *self.golden.outputs[name].shape.last().expect("columns");
        let rows = numbers(tensor);
        let padded = rows.chunks_exact(columns).flat_map(|row| {
            let row = row.iter().copied();
            row.chain(std::iter::repeat_n(0.0, wanted - columns))
        });
        self.output_numbers(name, padded.collect());
    }

    pub fn output_numbers(&self, name: &str, numbers: Vec<f64>) {
        self.outputs.borrow_mut().insert(name.to_owned(), numbers);
    }

    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    pub fn output_sizes(&self, name: &str, sizes: impl IntoIterator<Item = usize>) {
        self.output_numbers(name, sizes.into_iter().map(|size| size as f64).collect());
    }

    /// Finds the gradients of `sum(output * cotangent)`; the file may have split the axes of `output`.
    pub fn differentiate<const D: usize>(&self, name: &str, output: Tensor<D>) {
        assert_eq!(self.text("gradient_of"), name, "the differentiated output");
        let shape = output.dims();
        let hidden = self.golden.outputs[name]
            .data
            .iter()
            .map(|number| number.is_infinite());
        let hidden = TensorData::new(hidden.collect::<Vec<bool>>(), shape);
        let output = output.mask_fill(Tensor::<D, Bool>::from_data(hidden, self.device), 0.0);
        let cotangent = tensor_shaped(&self.golden.inputs["cotangent"], shape, self.device);
        let gradients = (output * cotangent).sum().backward();
        for (name, gradient_of) in self.leaves.borrow().iter() {
            // What an output does not depend on has no gradient in the graph.
            let array = self
                .golden
                .inputs
                .get(name)
                .unwrap_or_else(|| &self.golden.weights[name]);
            let gradient = gradient_of(&gradients).unwrap_or_else(|| vec![0.0; array.data.len()]);
            self.gradients.borrow_mut().insert(name.clone(), gradient);
        }
    }

    /// Compares all outputs and gradients of the file with what was recorded.
    pub fn compare(&self) -> Result<(), String> {
        let (outputs, gradients) = (self.outputs.borrow(), self.gradients.borrow());
        let wanted = [
            ("output", &self.golden.outputs, &*outputs),
            ("gradient of", &self.golden.gradients, &*gradients),
        ];
        let problems = wanted.into_iter().flat_map(|(what, wanted, got)| {
            wanted.iter().filter_map(move |(name, wanted)| {
                let difference = got.get(name).map_or_else(
                    || Some("is not computed".to_owned()),
                    |got| differs(got, wanted),
                );
                difference.map(|difference| format!("{what} {name} {difference}"))
            })
        });
        let problems: Vec<String> = problems.collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems.join("; "))
        }
    }
}

/// `|got - want| <= 1e-4 |want| + 1e-5 max(1, largest |want|)`; integers equal; minus infinity may be any large negative.
fn differs(got: &[f64], wanted: &Array) -> Option<String> {
    if got.len() != wanted.data.len() {
        return Some(format!(
            "has {} numbers instead of {:?}",
            got.len(),
            wanted.shape
        ));
    }
    let finite = wanted.data.iter().filter(|number| number.is_finite());
    let largest = finite.fold(1.0_f64, |largest, number| largest.max(number.abs()));
    let mut pairs = got.iter().zip(&wanted.data).enumerate();
    let (place, (got, want)) = pairs.find(|(_, (got, want))| {
        let (got, want) = (**got, **want);
        let close = if want.is_infinite() {
            got < -1e4
        } else if wanted.integers {
            (got - want).abs() < 1e-9
        } else {
            (got - want).abs() <= 1e-4 * want.abs() + 1e-5 * largest
        };
        !close
    })?;
    Some(format!(
        "is {got} instead of {want} at {place} of {:?}",
        wanted.shape
    ))
}

pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().iter::<f32>().map(f64::from).collect()
}

fn tensor<const D: usize>(array: &Array, device: &Device) -> Tensor<D> {
    let shape = array
        .shape
        .as_slice()
        .try_into()
        .expect("the rank of the file");
    tensor_shaped(array, shape, device)
}

#[expect(clippy::cast_possible_truncation, reason = "exact in float32")]
fn tensor_shaped<const D: usize>(array: &Array, shape: [usize; D], device: &Device) -> Tensor<D> {
    let data: Vec<f32> = array.data.iter().map(|&number| number as f32).collect();
    Tensor::from_data(TensorData::new(data, shape), device)
}
