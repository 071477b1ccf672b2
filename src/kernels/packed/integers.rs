//! Matrices that are packed of the 8-bit integers of a file, which stay what they are.

#[cfg(target_arch = "x86_64")]
use super::bytes::{BytePanels, Instructions};
use super::floats::FloatPanels;
use super::{Column, PackedMatrix, Panels, Table, Weights};

/// Integers `[inputs, outputs]` next to others that read the same rows.
struct Part<'a> {
    weights: Weights<'a, i8>,
    outputs: usize,
    multiplier: f32,
    activations: Option<f32>,
    bias: Option<&'a [f32]>,
}

impl<'a> Part<'a> {
    /// Integers of a table, or of its transpose; none if it has other numbers.
    fn from_table(table: &'a Table, transposed: bool, bias: Option<&'a [f32]>) -> Option<Self> {
        let integers = table.integers()?;
        let [rows, columns] = [table.rows(), table.columns()];
        let bytes = integers.bytes.as_slice();
        Some(Self {
            weights: match (integers.is_turned, transposed) {
                (false, false) => Weights::by_rows(bytes, columns),
                (true, false) => Weights::transposed(bytes, rows),
                (false, true) => Weights::transposed(bytes, columns),
                (true, true) => Weights::by_rows(bytes, rows),
            },
            outputs: if transposed { rows } else { columns },
            multiplier: integers.multiplier,
            activations: integers.activations,
            bias,
        })
    }
}

impl PackedMatrix {
    /// Packs the integers of tables `[inputs, outputs]` side by side, each with its bias `[outputs]` or none; none if a table has
    /// other numbers.
    pub fn from_integers(parts: &[(&Table, Option<&[f32]>)]) -> Option<Self> {
        let inputs = parts.first()?.0.rows();
        let parts = parts
            .iter()
            .map(|&(table, bias)| Part::from_table(table, false, bias));
        Some(Self::from_parts(
            inputs,
            &parts.collect::<Option<Vec<_>>>()?,
        ))
    }

    /// Packs the integers of the transpose of `table` `[outputs, inputs]`; none if it has other numbers.
    pub(super) fn from_transposed_integers(table: &Table, bias: Option<&[f32]>) -> Option<Self> {
        let part = Part::from_table(table, true, bias)?;
        Some(Self::from_parts(table.columns(), &[part]))
    }

    fn from_parts(inputs: usize, parts: &[Part<'_>]) -> Self {
        let outputs = parts.iter().map(|part| part.outputs).sum();
        let mut bias = vec![0.0; outputs];
        let mut columns: Vec<Column<'_, i8>> = Vec::with_capacity(outputs);
        let mut multipliers = Vec::with_capacity(outputs);
        for part in parts {
            if let Some(own) = part.bias {
                bias[columns.len()..][..part.outputs].copy_from_slice(own);
            }
            columns.extend((0..part.outputs).map(|column| part.weights.column(column)));
            multipliers.resize(columns.len(), part.multiplier);
        }
        // A row is rounded once for all parts.
        let activations = parts.first().and_then(|part| part.activations);
        let activations =
            activations.filter(|first| parts.iter().all(|part| part.activations == Some(*first)));
        Self {
            inputs,
            outputs,
            activations,
            panels: panels(inputs, &columns, &multipliers, (&bias, activations)),
        }
    }
}

/// Panels of columns, each with its multiplier.
fn panels(
    inputs: usize,
    columns: &[Column<'_, i8>],
    multipliers: &[f32],
    (bias, activations): (&[f32], Option<f32>),
) -> Panels {
    let sizes = [inputs, columns.len()];
    #[cfg(target_arch = "x86_64")]
    if let Some(instructions) = Instructions::here() {
        let mut panels = BytePanels::new(instructions, sizes, bias);
        panels.push_integers(columns, multipliers, activations);
        return Panels::Bytes(panels);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = activations;
    let values = columns
        .iter()
        .zip(multipliers)
        .flat_map(|(column, multiplier)| {
            let step = 1.0 / multiplier;
            let bytes = column.iter().take(inputs);
            bytes.map(move |byte| f32::from(byte) * step)
        });
    let values: Vec<f32> = values.collect();
    let columns = values.chunks_exact(inputs.max(1));
    let columns = columns.map(|values| Column { values, stride: 1 });
    let mut panels = FloatPanels::new(sizes, bias);
    panels.push(&columns.collect::<Vec<_>>());
    Panels::Floats(panels)
}

/// Rows as the integers of which there are 127 on both sides of 0, divided by their multiplier again.
pub(super) fn rounded_rows(x: &[f32], multiplier: f32) -> Vec<f32> {
    let step = 1.0 / multiplier;
    let rounded = |x: &f32| (x * multiplier).clamp(-127.0, 127.0).round_ties_even() * step;
    x.iter().map(rounded).collect()
}
