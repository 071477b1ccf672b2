"""Makes the cases that `tests/tokenizers` compares with: what the library `sentencepiece` makes of texts.

    python3 -m venv venv && venv/bin/pip install sentencepiece
    venv/bin/python make.py small > sentence_pieces.json.gz
    venv/bin/python make.py full > /tmp/full.json.gz       # 20,000 lines of the machine's message catalogues

The small set goes into the repository: the sentences below and lines that try the normalisation, through six models that
are trained here. The full set takes lines in a dozen scripts from the catalogues (*.mo) and `.spm` files named after it.
The table of normalisation, which most models share, is stored once.
"""

import glob, gzip, hashlib, io, json, random, sys, unicodedata
import sentencepiece

SENTENCES = """
The quick brown fox can't jump over 1,234.5 lazy dogs, can it?
Press Ctrl+S to save “all” changes — or don’t, it’s up to you…
Größere Übungsstraßen öffnen sich südlich der Äcker für Fußgänger.
L'été dernier, nous avons mangé des crêpes à l'œuf près du château.
¿Cuándo llegará el señor Muñoz? ¡Mañana por la mañana, espero!
Żółta łódka płynęła w stronę wąskiej zatoki, gdzie źródło biło.
Příliš žluťoučký kůň úpěl ďábelské ódy, řekl starý učitel.
Việc mở tệp này có thể mất vài giây, xin hãy đợi một chút.
Sabah erkenden İstanbul'a gidip ılık bir çay içmeyi düşünüyorum.
Съешь ещё этих мягких французских булок, да выпей же чаю.
Завтра утром мы откроем новый магазин возле старого вокзала.
Їжак приніс ґудзик і поклав його біля під'їзду.
Добър ден! Къде се намира най-близката аптека?
Η γρήγορη αλεπού πηδάει πάνω από το τεμπέλικο σκυλί.
Πού βρίσκεται ο σταθμός του μετρό; Θέλω να φτάσω νωρίς.
افتح الملف ثم اضغط على زر الحفظ قبل إغلاق النافذة.
كَتَبَ الطَّالِبُ رِسالَةً طَويلَةً إلى صَديقِهِ في القاهِرة.
لطفاً پرونده را باز کنید و سپس دکمهٔ ذخیره را فشار دهید.
הילד קרא ספר ישן בגן ואמו הכינה תה חם.
בְּרֵאשִׁית היה השקט, ואחר כך באו המילים.
कृपया फ़ाइल खोलें और परिवर्तन सहेजने के लिए यहाँ दबाएँ।
बच्चे नदी के किनारे खेल रहे थे और बारिश शुरू हो गई।
দয়া করে ফাইলটি খুলুন এবং পরিবর্তনগুলি সংরক্ষণ করুন।
தயவுசெய்து கோப்பைத் திறந்து மாற்றங்களைச் சேமிக்கவும்.
กรุณาเปิดแฟ้มแล้วบันทึกการเปลี่ยนแปลงก่อนปิดหน้าต่าง
请打开文件,然后在关闭窗口之前保存所有更改。
請開啟檔案,然後在關閉視窗之前儲存所有變更。
ファイルを開いて、ウィンドウを閉じる前に変更を保存してください。
カタカナとひらがなと漢字が混ざった文です。
파일을 열고 창을 닫기 전에 모든 변경 사항을 저장하십시오.
아이들은 강가에서 놀고 있었고 비가 내리기 시작했다.
გთხოვთ გახსენით ფაილი და შეინახეთ ცვლილებები.
Խնդրում եմ բացեք ֆայլը և պահպանեք փոփոխությունները։
እባክዎን ፋይሉን ይክፈቱ እና ለውጦቹን ያስቀምጡ።
""".strip().split("\n")

EDGES = [
    "", " ", "   ", "a", " a", "a ", "  a   b  ", "\ta\nb\r\nc", "a\u00a0b\u2003c\u3000d", "▁", "▁▁a", "a▁b", "a ▁ b",
    "ﬁne ﬂow ½ ² ① Ⅳ ㎏ ㍿ ﷺ", "ＡＢＣ１２３ ｶﾞｷﾞ", "e\u0301 é E\u0301 Å Å Å", "한 한", "\u200b\u200ba\u200db",
    "a\u00adb \ufeffc", "\u0001\u0002a\u007f", "ab\u0000c", "🙂👩‍👩‍👧 🇩🇪 ☃️", "𝕏 𝒳 𠮷 🀄", "<s> </s> <unk> <pad> a", "<0x41><0xE4>",
    "<br>x<br/>y", "%s of {name}: %s%s", "{name}{name} {nam e}", "→→ a→b", "1234567890", "3.14159 1,000,000 10:30",
    "aaaaaaaaaaaaaaaa", "http://example.org/a?b=c&d=%20#x", "foo@example.org", "x = f(y) + g[z] * 2;", "——…„“”‚‘’«»‹›",
    "ไ\u0e4dา ำ", "\u064b\u064e\u0651", "\ufdfa \ufdfd", "\u1e9e ß SS", "İ ı I i", "ǅ ǆ Ǆ", "\u2028 \u2029 \x85", "ÅÅ", "\ufffd \uffff",
    "the the the the", "The THE the tHe", "un­der", "non-breaking‑hyphen", "…...…", "∑∏∫√∞≈≠≤≥", "m² cm³ H₂O", "№ 5 ™ ® ©",
]


def catalogues():
    """Texts of the message catalogues by language."""
    texts = {}
    for path in sorted(glob.glob("/usr/share/locale/*/LC_MESSAGES/*.mo")):
        language = path.split("/")[4]
        data = open(path, "rb").read()
        order = "little" if data[:4] == b"\xde\x12\x04\x95" else "big"
        word = lambda at: int.from_bytes(data[at:at + 4], order)
        for index in range(word(8)):
            at = word(16) + 8 * index
            text = data[word(at + 4):word(at + 4) + word(at)].decode("utf-8", "ignore")
            for line in text.replace("\0", "\n").split("\n"):
                if 3 <= len(line) <= 400:
                    texts.setdefault(language, []).append(line)
    return {language: sorted(set(lines)) for language, lines in texts.items()}


def script(text):
    """The script that most letters have."""
    count = {}
    for character in text:
        if character.isalpha():
            name = unicodedata.name(character, "?").split(" ")[0]
            count[name] = count.get(name, 0) + 1
    return max(count, key=count.get) if count else None


def trained(lines, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, num_threads=1, minloglevel=2, hard_vocab_limit=False,
        character_coverage=0.98, **options)
    return model.getvalue()


def models(lines):
    symbols = ["<br>", "%s", "{name}", "→", "→→", "한"]
    return {
        "unigram": trained(lines, model_type="unigram", vocab_size=1500, bos_id=-1, pad_id=3),
        "unigram-bytes": trained(lines, model_type="unigram", vocab_size=1800, byte_fallback=True,
                                 user_defined_symbols=symbols, control_symbols=["<x>", ">>deu<<"]),
        "unigram-suffix": trained(lines, model_type="unigram", vocab_size=1300, treat_whitespace_as_suffix=True),
        "bpe": trained(lines, model_type="bpe", vocab_size=1600, user_defined_symbols=symbols),
        "bpe-bytes": trained(lines, model_type="bpe", vocab_size=1900, byte_fallback=True, split_digits=True,
                             normalization_rule_name="identity", remove_extra_whitespaces=False),
        "bpe-plain": trained(lines, model_type="bpe", vocab_size=1400, add_dummy_prefix=False,
                             unk_surface="?", user_defined_symbols=symbols[:2]),
        "char": trained(lines, model_type="char", vocab_size=1300, user_defined_symbols=symbols),
        "word": trained(lines, model_type="word", vocab_size=1300),
    }


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def case(processor, line):
    ids = processor.encode(line)
    pieces = processor.encode(line, out_type=str)
    return [ids, digest("\n".join(pieces)), digest(processor.decode(ids))]


def charsmap(model):
    from sentencepiece import sentencepiece_model_pb2
    proto = sentencepiece_model_pb2.ModelProto.FromString(model)
    return proto.normalizer_spec.precompiled_charsmap


def main(kind, *files):
    texts = catalogues()
    pick = random.Random(1)
    by_script = {}
    for lines in texts.values():
        for line in lines:
            by_script.setdefault(script(line), []).append(line)
    by_script.pop(None, None)
    scripts = sorted(by_script, key=lambda name: -len(by_script[name]))[:16]
    print({name: len(by_script[name]) for name in scripts}, file=sys.stderr)
    sample = {name: pick.sample(by_script[name], min(2000, len(by_script[name]))) for name in scripts}
    made = models([line for name in scripts[:11] for line in sample[name][:200]])
    lines = SENTENCES + EDGES
    if kind == "full":
        others = [line for lines in sample.values() for line in lines]
        pick.shuffle(others)
        lines += others[:20000 - len(lines)]
        for path in files:
            made[path] = open(path, "rb").read()
    maps, stored = [], {}
    for name, model in made.items():
        table = charsmap(model)
        if table not in maps:
            maps.append(table)
        at = model.index(table) if table else len(model)
        before, after = model[:at], model[at + len(table):]
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        stored[name] = {
            "before": before.hex(), "table": maps.index(table),
            "after": after.hex(), "cases": [case(processor, line) for line in lines],
        }
    cases = {"made_with": "sentencepiece " + sentencepiece.__version__, "lines": lines,
             "tables": [table.hex() for table in maps], "models": stored}
    text = json.dumps(cases, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.buffer.write(gzip.compress(text.encode(), 9, mtime=0))


main(*sys.argv[1:])
