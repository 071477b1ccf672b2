"""llama.cpp's C interface in the library of PyPI's `xllamacpp` 2026.10.11549, by ctypes: logits of texts that are given, and the
encoder of T5, neither of which its Python classes have (their server ends the process at a T5)."""
import ctypes
import os
import struct

import numpy
import xllamacpp

library = ctypes.CDLL(os.path.join(os.path.dirname(xllamacpp.__file__), "xllamacpp.abi3.so"))


class Parameters(ctypes.Structure):
    """Longer than those of models and contexts, which are read and set by the place of a field."""

    _fields_ = [("bytes", ctypes.c_ubyte * 256)]

    def get(self, place, kind="i"):
        return struct.unpack_from(kind, self.bytes, place)[0]

    def put(self, place, value, kind="i"):
        struct.pack_into(kind, self.bytes, place, value)


class Batch(ctypes.Structure):
    _fields_ = [
        ("n_tokens", ctypes.c_int32),
        ("token", ctypes.POINTER(ctypes.c_int32)),
        ("embd", ctypes.c_void_p),
        ("pos", ctypes.POINTER(ctypes.c_int32)),
        ("n_seq_id", ctypes.POINTER(ctypes.c_int32)),
        ("seq_id", ctypes.POINTER(ctypes.POINTER(ctypes.c_int32))),
        ("logits", ctypes.POINTER(ctypes.c_int8)),
    ]


pointer, number, truth = ctypes.c_void_p, ctypes.c_int32, ctypes.c_bool
for name, result, arguments in [
    ("llama_model_default_params", Parameters, []),
    ("llama_context_default_params", Parameters, []),
    ("llama_model_load_from_file", pointer, [ctypes.c_char_p, Parameters]),
    ("llama_init_from_model", pointer, [pointer, Parameters]),
    ("llama_free", None, [pointer]),
    ("llama_model_free", None, [pointer]),
    ("llama_model_get_vocab", pointer, [pointer]),
    ("llama_model_decoder_start_token", number, [pointer]),
    ("llama_vocab_n_tokens", number, [pointer]),
    (
        "llama_tokenize",
        number,
        [pointer, ctypes.c_char_p, number, ctypes.POINTER(number), number, truth, truth],
    ),
    ("llama_batch_init", Batch, [number] * 3),
    ("llama_batch_free", None, [Batch]),
    ("llama_encode", number, [pointer, Batch]),
    ("llama_decode", number, [pointer, Batch]),
    ("llama_get_logits_ith", ctypes.POINTER(ctypes.c_float), [pointer, number]),
    ("llama_get_memory", pointer, [pointer]),
    ("llama_memory_clear", None, [pointer, truth]),
]:
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments

QUIET = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
library.llama_log_set(QUIET, None)
library.llama_backend_init()

GPU_LAYERS, REPACKS = 16, 74
CONTEXT, BATCH, MICROBATCH, OUTPUTS, THREADS, FLASH_ATTENTION, CACHE_KINDS = 0, 4, 8, (20, 24), (28, 32), 52, (104, 108)
F32, F16 = 0, 1


class Model:
    def __init__(self, path, repacks=True):
        parameters = library.llama_model_default_params()
        assert (parameters.get(GPU_LAYERS), parameters.get(REPACKS, "B")) == (-1, 1), "fields have other places"
        parameters.put(GPU_LAYERS, 0)
        parameters.put(REPACKS, int(repacks), "B")
        self.model = library.llama_model_load_from_file(path.encode(), parameters)
        assert self.model, path
        self.words = library.llama_model_get_vocab(self.model)
        self.vocab = library.llama_vocab_n_tokens(self.words)
        self.start = library.llama_model_decoder_start_token(self.model)

    def ids(self, text):
        text, ids = text.encode(), (number * 4096)()
        count = library.llama_tokenize(self.words, text, len(text), ids, 4096, True, True)
        return list(ids[:count])

    def close(self):
        library.llama_model_free(self.model)


class Context:
    def __init__(self, model, flash_attention=False, cache=F16, threads=1):
        self.model, parameters = model, library.llama_context_default_params()
        found = [parameters.get(place) for place in (CONTEXT, BATCH, MICROBATCH, *THREADS, FLASH_ATTENTION, *CACHE_KINDS)]
        assert found == [512, 2048, 512, 4, 4, -1, F16, F16], "fields have other places"
        parameters.put(CONTEXT, 2048)
        parameters.put(FLASH_ATTENTION, int(flash_attention))
        for places, value in [(OUTPUTS, 512), (THREADS, threads), (CACHE_KINDS, cache)]:
            for place in places:
                parameters.put(place, value)
        self.context = library.llama_init_from_model(model.model, parameters)
        assert self.context

    def read(self, ids, first, every=False, by=library.llama_decode):
        """Reads tokens at positions from `first` on; gives the logits of the last one, or of all: `[tokens, vocab]`."""
        batch = library.llama_batch_init(len(ids), 0, 1)
        for place, token in enumerate(ids):
            batch.token[place], batch.pos[place] = token, first + place
            batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
            batch.logits[place] = every or place + 1 == len(ids)
        batch.n_tokens = len(ids)
        failed = by(self.context, batch)
        library.llama_batch_free(batch)
        assert failed == 0, failed
        places = range(len(ids)) if every else [len(ids) - 1]
        if by is library.llama_encode:
            return None
        logits = [library.llama_get_logits_ith(self.context, place) for place in places]
        return numpy.stack([numpy.ctypeslib.as_array(it, (self.model.vocab,)).copy() for it in logits])

    def forced(self, prompt, continuation, prompt_together=True, all_together=False):
        """Logits before each token of a continuation that is given: `[continuation, vocab]`."""
        library.llama_memory_clear(library.llama_get_memory(self.context), True)
        if all_together:
            return self.read(prompt + continuation[:-1], 0, every=True)[len(prompt) - 1 :]
        if prompt_together:
            rows = [self.read(prompt, 0)]
        else:
            rows = [self.read([token], place) for place, token in enumerate(prompt)][-1:]
        rows += [self.read([token], len(prompt) + place) for place, token in enumerate(continuation[:-1])]
        return numpy.concatenate(rows)

    def answered(self, source, target):
        """Logits before each token of an answer that is given, by an encoder and a decoder: `[target, vocab]`."""
        library.llama_memory_clear(library.llama_get_memory(self.context), True)
        self.read(source, 0, every=True, by=library.llama_encode)
        read = [self.model.start, *target[:-1]]
        return numpy.concatenate([self.read([token], place) for place, token in enumerate(read)])

    def close(self):
        library.llama_free(self.context)
