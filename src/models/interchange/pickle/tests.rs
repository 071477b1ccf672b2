//! Pickles are read, and nothing in them is executed.

use super::*;

/// `{"w": tensor of storage "0", shape (2, 3)}` as `torch.save` pickles it.
const STATE: &[u8] = b"\x80\x02}q\x00X\x01\x00\x00\x00wq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02((X\x07\x00\x00\x00\
    storageq\x03ctorch\nFloatStorage\nq\x04X\x01\x00\x00\x000q\x05X\x03\x00\x00\x00cpuq\x06K\x06tq\x07QK\x00K\x02K\x03\
    \x86q\x08K\x03K\x01\x86q\x09\x89ccollections\nOrderedDict\nq\x0a)Rq\x0btq\x0cRq\x0ds.";

#[test]
fn a_state_dictionary_is_read() {
    let (tensors, read) = read_state(STATE).expect("a sound pickle");
    assert_eq!((tensors.len(), read), (1, STATE.len()));
    let expected = PickledTensor {
        storage: "0".to_owned(),
        kind: "f4",
        offset: 0,
        shape: vec![2, 3],
        strides: vec![3, 1],
    };
    assert_eq!(tensors["w"], expected);
}

#[test]
fn a_pickle_that_calls_anything_else_is_refused_by_name() {
    let system = b"\x80\x02cposix\nsystem\nq\x00X\x04\x00\x00\x00trueq\x01\x85q\x02Rq\x03.";
    let problem = read_state(system).expect_err("a call");
    assert!(problem.contains("posix.system"), "{problem}");
    let stack_global = b"\x80\x04\x8c\x08builtins\x94\x8c\x04eval\x94\x93\x94.";
    let problem = read_state(stack_global).expect_err("a call");
    assert!(problem.contains("builtins.eval"), "{problem}");
    // INST, OBJ, NEWOBJ and the extension registry are other ways to call.
    for instruction in *b"io\x81\x92\x82\x83\x84" {
        let bytes = [b'\x80', 2, b'(', instruction];
        let problem = read_state(&bytes).expect_err("a call");
        assert!(problem.contains("not carried out"), "{problem}");
    }
}

#[test]
fn a_damaged_pickle_is_an_error_wherever_it_is_cut_or_changed() {
    for length in 0..STATE.len() {
        assert!(read_state(&STATE[..length]).is_err(), "{length} bytes");
    }
    for place in 0..STATE.len() {
        for value in 0..=255 {
            let mut bytes = STATE.to_vec();
            bytes[place] = value;
            let _ = read_state(&bytes);
        }
    }
}

#[test]
fn nesting_costs_no_stack() {
    let mut bytes = vec![b'\x80', 2, b')'];
    bytes.extend(std::iter::repeat_n(0x85, 1 << 20));
    bytes.push(b'.');
    assert!(read_state(&bytes).is_err());
}
