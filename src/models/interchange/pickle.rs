//! Pickled tensors, read without running anything.
//!
//! A pickle is a program for a stack machine, see Python's `pickletools`. Of its instructions only those are known that
//! build dictionaries, tuples and numbers, and of the functions that it may name only those with which PyTorch rebuilds
//! tensors; they are not called but recognised. Everything else is refused by name.

use std::collections::BTreeMap;

/// Where the numbers of a tensor are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PickledTensor {
    /// The name of its storage.
    pub storage: String,
    /// Kind of a number, as NumPy names it.
    pub kind: &'static str,
    /// Offset of its first number, counted in numbers.
    pub offset: usize,
    pub shape: Vec<usize>,
    /// Numbers from one entry of an axis to the next.
    pub strides: Vec<usize>,
}

/// The tensors of a pickled dictionary by name, and how many bytes the pickle has.
pub(super) fn read_state(bytes: &[u8]) -> Result<(BTreeMap<String, PickledTensor>, usize), String> {
    let mut machine = Machine::new(bytes);
    let top = machine.run()?;
    let read = machine.at;
    let Value::Dict(dict) = top else {
        return Err("it holds no dictionary of tensors".to_owned());
    };
    let mut tensors = BTreeMap::new();
    for &(key, value) in &machine.dicts[dict] {
        if let (Value::Text(name), Value::Tensor(tensor)) = (key, value) {
            let name = machine.texts[name].clone();
            tensors.insert(name, machine.tensors[tensor].clone());
        }
    }
    if tensors.is_empty() {
        return Err("its dictionary holds no tensors; save the state dictionary alone".to_owned());
    }
    Ok((tensors, read))
}

/// Reads a pickle of whole numbers, texts and tuples, and leaves what it says; gives its number of bytes.
pub(super) fn skip(bytes: &[u8]) -> Result<usize, String> {
    let mut machine = Machine::new(bytes);
    machine.run()?;
    Ok(machine.at)
}

/// The texts of a pickled list, and how many bytes the pickle has.
pub(super) fn read_texts(bytes: &[u8]) -> Result<(Vec<String>, usize), String> {
    let mut machine = Machine::new(bytes);
    let top = machine.run()?;
    let Value::List(list) = top else {
        return Err("it holds no list of storages".to_owned());
    };
    let texts = machine.lists[list].iter().map(|&item| match item {
        Value::Text(text) => Ok(machine.texts[text].clone()),
        _ => Err("its list of storages is damaged".to_owned()),
    });
    Ok((texts.collect::<Result<_, _>>()?, machine.at))
}

/// A global that a pickle may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Global {
    OrderedDict,
    RebuildTensor,
    RebuildParameter,
    Size,
    Storage(&'static str),
}

impl Global {
    fn named(module: &str, name: &str) -> Result<Self, String> {
        Ok(match (module, name) {
            ("collections", "OrderedDict") => Self::OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2") => Self::RebuildTensor,
            ("torch._utils", "_rebuild_parameter") => Self::RebuildParameter,
            ("torch", "Size") => Self::Size,
            ("torch", "FloatStorage") => Self::Storage("f4"),
            ("torch", "HalfStorage") => Self::Storage("f2"),
            ("torch", "BFloat16Storage") => Self::Storage("bf16"),
            ("torch", "DoubleStorage") => Self::Storage("f8"),
            ("torch", "LongStorage") => Self::Storage("i8"),
            ("torch", "IntStorage") => Self::Storage("i4"),
            ("torch", "ByteStorage" | "BoolStorage") => Self::Storage("u1"),
            _ => {
                return Err(format!(
                    "it is a pickle that wants to call {module}.{name}; only tensors are read from pickles"
                ));
            }
        })
    }
}

/// Values are numbers of entries of the machine's tables, so that a pickle that nests or repeats them costs no more than
/// its own bytes.
#[derive(Debug, Clone, Copy)]
enum Value {
    Mark,
    None,
    Bool,
    Int(i64),
    Float,
    Text(usize),
    Tuple(usize),
    List(usize),
    Dict(usize),
    Global(Global),
    Storage(usize),
    Tensor(usize),
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Value>,
    memo: BTreeMap<usize, Value>,
    texts: Vec<String>,
    tuples: Vec<Vec<Value>>,
    lists: Vec<Vec<Value>>,
    dicts: Vec<Vec<(Value, Value)>>,
    /// Name and kind.
    storages: Vec<(String, &'static str)>,
    tensors: Vec<PickledTensor>,
}

fn cut_off() -> String {
    "the pickle is cut off".to_owned()
}

fn damaged() -> String {
    "the pickle is damaged".to_owned()
}

impl<'a> Machine<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            stack: Vec::new(),
            memo: BTreeMap::new(),
            texts: Vec::new(),
            tuples: Vec::new(),
            lists: Vec::new(),
            dicts: Vec::new(),
            storages: Vec::new(),
            tensors: Vec::new(),
        }
    }

    fn run(&mut self) -> Result<Value, String> {
        loop {
            let instruction = self.byte()?;
            if instruction == b'.' {
                return self.pop();
            }
            self.step(instruction)?;
        }
    }

    fn step(&mut self, instruction: u8) -> Result<(), String> {
        match instruction {
            // PROTO, FRAME
            0x80 => _ = self.byte()?,
            0x95 => _ = self.take(8)?,
            b'(' => self.stack.push(Value::Mark),
            b'N' => self.stack.push(Value::None),
            0x88 | 0x89 => self.stack.push(Value::Bool),
            b'J' => self.int::<4>(|bytes| i32::from_le_bytes(bytes).into())?,
            b'K' => self.int::<1>(|[byte]| byte.into())?,
            b'M' => self.int::<2>(|bytes| u16::from_le_bytes(bytes).into())?,
            0x8a => self.long()?,
            b'G' => {
                self.take(8)?;
                self.stack.push(Value::Float);
            }
            // BINUNICODE, SHORT_BINUNICODE and the strings of Python 2
            b'X' | b'T' => self.text::<4>()?,
            0x8c | b'U' => self.text::<1>()?,
            b')' => self.tuple(Vec::new()),
            b't' => {
                let items = self.marked()?;
                self.tuple(items);
            }
            0x85..=0x87 => {
                let count = usize::from(instruction - 0x84);
                let from = self.stack.len().checked_sub(count).ok_or_else(damaged)?;
                let items = self.stack.split_off(from);
                self.tuple(items);
            }
            b']' => {
                self.lists.push(Vec::new());
                self.stack.push(Value::List(self.lists.len() - 1));
            }
            b'a' | b'e' => self.append(instruction == b'e')?,
            b'}' => self.dict(),
            b's' | b'u' => self.set(instruction == b'u')?,
            b'q' => self.put::<1>()?,
            b'r' => self.put::<4>()?,
            0x94 => {
                let number = self.memo.len();
                self.remember(number)?;
            }
            b'h' => self.get::<1>()?,
            b'j' => self.get::<4>()?,
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.stack
                    .push(Value::Global(Global::named(&module, &name)?));
            }
            0x93 => {
                let (name, module) = (self.pop_text()?, self.pop_text()?);
                self.stack
                    .push(Value::Global(Global::named(&module, &name)?));
            }
            b'Q' => self.storage()?,
            b'R' => self.reduce()?,
            // BUILD: attributes of a dictionary are not read.
            b'b' => _ = self.pop()?,
            other => {
                return Err(format!(
                    "instruction {other:#04x} of its pickle at byte {} builds no tensors and is not carried out",
                    self.at - 1
                ));
            }
        }
        Ok(())
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).ok_or_else(cut_off)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(cut_off)?;
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().ok().ok_or_else(cut_off)
    }

    /// A number of N bytes, at most four.
    fn number<const N: usize>(&mut self) -> Result<usize, String> {
        let mut wide = [0; 8];
        wide[..N].copy_from_slice(&self.array::<N>()?);
        usize::try_from(u64::from_le_bytes(wide))
            .ok()
            .ok_or_else(damaged)
    }

    fn int<const N: usize>(&mut self, number: impl Fn([u8; N]) -> i64) -> Result<(), String> {
        let value = number(self.array()?);
        self.stack.push(Value::Int(value));
        Ok(())
    }

    fn long(&mut self) -> Result<(), String> {
        let count = usize::from(self.byte()?);
        let bytes = self.take(count)?;
        // Only legacy files have one that is longer: their magic number, which is not used as a number.
        let mut wide = [0; 8];
        let kept = count.min(8);
        wide[..kept].copy_from_slice(&bytes[..kept]);
        self.stack.push(Value::Int(i64::from_le_bytes(wide)));
        Ok(())
    }

    fn text<const N: usize>(&mut self) -> Result<(), String> {
        let count = self.number::<N>()?;
        let text = std::str::from_utf8(self.take(count)?)
            .ok()
            .ok_or_else(damaged)?;
        self.texts.push(text.to_owned());
        self.stack.push(Value::Text(self.texts.len() - 1));
        Ok(())
    }

    fn line(&mut self) -> Result<String, String> {
        let rest = self.bytes.get(self.at..).ok_or_else(cut_off)?;
        let length = rest.iter().position(|&byte| byte == b'\n');
        let length = length.ok_or_else(cut_off)?;
        let line = std::str::from_utf8(self.take(length)?)
            .ok()
            .ok_or_else(damaged)?;
        self.at += 1;
        Ok(line.to_owned())
    }

    fn pop(&mut self) -> Result<Value, String> {
        self.stack.pop().ok_or_else(damaged)
    }

    fn pop_text(&mut self) -> Result<String, String> {
        match self.pop()? {
            Value::Text(text) => Ok(self.texts[text].clone()),
            _ => Err(damaged()),
        }
    }

    /// Pops everything above the last mark.
    fn marked(&mut self) -> Result<Vec<Value>, String> {
        let mark = self
            .stack
            .iter()
            .rposition(|value| matches!(value, Value::Mark));
        let items = self.stack.split_off(mark.ok_or_else(damaged)? + 1);
        self.stack.pop();
        Ok(items)
    }

    fn tuple(&mut self, items: Vec<Value>) {
        self.tuples.push(items);
        self.stack.push(Value::Tuple(self.tuples.len() - 1));
    }

    fn dict(&mut self) {
        self.dicts.push(Vec::new());
        self.stack.push(Value::Dict(self.dicts.len() - 1));
    }

    fn append(&mut self, many: bool) -> Result<(), String> {
        let items = if many {
            self.marked()?
        } else {
            vec![self.pop()?]
        };
        let Some(&Value::List(list)) = self.stack.last() else {
            return Err(damaged());
        };
        self.lists[list].extend(items);
        Ok(())
    }

    fn set(&mut self, many: bool) -> Result<(), String> {
        let items = if many {
            self.marked()?
        } else {
            let value = self.pop()?;
            vec![self.pop()?, value]
        };
        let Some(&Value::Dict(dict)) = self.stack.last() else {
            return Err(damaged());
        };
        let (pairs, rest) = items.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(damaged());
        }
        self.dicts[dict].extend(pairs.iter().map(|&[key, value]| (key, value)));
        Ok(())
    }

    fn put<const N: usize>(&mut self) -> Result<(), String> {
        let number = self.number::<N>()?;
        self.remember(number)
    }

    fn remember(&mut self, number: usize) -> Result<(), String> {
        let &value = self.stack.last().ok_or_else(damaged)?;
        self.memo.insert(number, value);
        Ok(())
    }

    fn get<const N: usize>(&mut self) -> Result<(), String> {
        let number = self.number::<N>()?;
        let &value = self.memo.get(&number).ok_or_else(damaged)?;
        self.stack.push(value);
        Ok(())
    }

    /// `('storage', kind, name, device, size)`, and after it in legacy files None.
    fn storage(&mut self) -> Result<(), String> {
        let Value::Tuple(tuple) = self.pop()? else {
            return Err(damaged());
        };
        let items = self.tuples[tuple].as_slice();
        let [
            Value::Text(tag),
            Value::Global(Global::Storage(kind)),
            Value::Text(name),
            Value::Text(_),
            Value::Int(_),
            view @ ..,
        ] = items
        else {
            return Err("a storage of its pickle is of an unknown kind".to_owned());
        };
        if self.texts[*tag] != "storage" || !matches!(view, [] | [Value::None]) {
            return Err("a storage of its pickle is of an unknown kind".to_owned());
        }
        self.storages.push((self.texts[*name].clone(), kind));
        self.stack.push(Value::Storage(self.storages.len() - 1));
        Ok(())
    }

    /// Recognises a call, and builds what it would give.
    fn reduce(&mut self) -> Result<(), String> {
        let (Value::Tuple(tuple), Value::Global(function)) = (self.pop()?, self.pop()?) else {
            return Err(damaged());
        };
        let items = self.tuples[tuple].clone();
        match (function, items.as_slice()) {
            (Global::OrderedDict, []) => self.dict(),
            (Global::Size, [Value::Tuple(_)]) => self.stack.push(items[0]),
            (Global::RebuildParameter, [tensor @ Value::Tensor(_), ..]) => self.stack.push(*tensor),
            (
                Global::RebuildTensor,
                &[
                    Value::Storage(storage),
                    Value::Int(offset),
                    Value::Tuple(shape),
                    Value::Tuple(strides),
                    ..,
                ],
            ) => {
                let (storage, kind) = self.storages[storage].clone();
                self.tensors.push(PickledTensor {
                    storage,
                    kind,
                    offset: usize::try_from(offset).ok().ok_or_else(damaged)?,
                    shape: self.sizes(shape)?,
                    strides: self.sizes(strides)?,
                });
                self.stack.push(Value::Tensor(self.tensors.len() - 1));
            }
            _ => {
                return Err(
                    "its pickle calls a function in a way that rebuilds no tensor".to_owned(),
                );
            }
        }
        Ok(())
    }

    fn sizes(&self, tuple: usize) -> Result<Vec<usize>, String> {
        let items = self.tuples[tuple].iter();
        items
            .map(|item| match item {
                Value::Int(size) => usize::try_from(*size).ok().ok_or_else(damaged),
                _ => Err(damaged()),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
