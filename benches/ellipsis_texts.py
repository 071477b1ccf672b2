"""English documents with verb ellipsis, for models that learn to read context: "Do you like music?" – "Yes, I do."

usage: ellipsis_texts.py TATOEBA.tsv.gz OUT [NUMBER] [--even]; TATOEBA has English sentences in its first column, or in its second one where the first is not English. Writes OUT.en, a
sentence a line with <d> before each document, in which the last sentence has an auxiliary in place of its verb; OUT.full, the same
with the verb spelled out ("Yes, I like."), whose translation by a sentence-level model is what the elliptic one is to become; and OUT.none,
a dash for each line of OUT.full, so that `canopy corpus import text` and `canopy evaluate --hypotheses` translate it line by line.
With --even a verb is drawn by the square root of its sentences, so that rare ones are read more often. `film_lines.py` writes such a
file of CTXPRO's English sentences.
"""
import gzip, random, re, sys
from collections import Counter

random.seed(1)
is_even = "--even" in sys.argv
table, out, *rest = [argument for argument in sys.argv[1:] if argument != "--even"]
number = int(rest[0]) if rest else 12000
column = 1 if "deu-eng" in table and not gzip.open(table, "rt", encoding="utf8").readline().split("\t")[0].isascii() else 0
sentences = list(dict.fromkeys(line.split("\t")[column].strip() for line in gzip.open(table, "rt", encoding="utf8")))
sentences = [s for s in sentences if 3 <= len(s.split()) <= 14 and '"' not in s]

IRREGULAR = """break broke|bring brought|build built|buy bought|catch caught|choose chose|come came|cost cost|cut cut|do did|draw drew|drink drank|drive drove|
eat ate|fall fell|feel felt|fight fought|find found|fly flew|forget forgot|forgive forgave|get got|give gave|go went|grow grew|have had|hear heard|hide hid|
hit hit|hold held|hurt hurt|keep kept|know knew|lead led|learn learned|leave left|lend lent|let let|lie lied|lose lost|make made|mean meant|meet met|pay paid|
put put|quit quit|read read|ride rode|ring rang|rise rose|run ran|say said|see saw|sell sold|send sent|shoot shot|show showed|shut shut|sing sang|sit sat|
sleep slept|speak spoke|spend spent|stand stood|steal stole|swear swore|swim swam|take took|teach taught|tell told|think thought|throw threw|
understand understood|wake woke|wear wore|win won|write wrote"""
past = dict(pair.split() for pair in IRREGULAR.replace("\n", "").split("|"))

found = Counter(v for s in sentences for v in re.findall(r"\b(?:don't|doesn't|didn't|won't|wouldn't|did you|do you|does he|does she) ([a-z]+)\b", s.lower()))
not_verbs = {"have", "be", "you", "it", "even", "ever", "really", "always", "just", "usually", "often", "also", "still", "feel", "the", "this", "that", "want"}
verbs = {v for v, n in found.items() if n >= 4 and v not in not_verbs and len(v) > 1} | {"have", "feel", "want"}

def third(v):
    if v == "have": return "has"
    if v in ("do", "go"): return v + "es"
    if re.search(r"(s|sh|ch|x|z)$", v): return v + "es"
    if re.search(r"[^aeiou]y$", v): return v[:-1] + "ies"
    return v + "s"

def preterite(v):
    if v in past: return past[v]
    if v.endswith("e"): return v + "d"
    if re.search(r"[^aeiou]y$", v): return v[:-1] + "ied"
    if re.search(r"^[^aeiou]*[aeiou][bdgklmnprt]$", v): return v + v[-1] + "ed"
    return v + "ed"

by_third = {third(v): v for v in verbs}
by_past = {preterite(v): v for v in verbs}
plural = r"(?:I|You|We|They|People|Those people|My parents|The children)"
single = r"(?:He|She|It|Tom|Mary|My \w+|The \w+)"

def antecedent(s):
    """The verb of a sentence, its time, and whether it is a question."""
    m = re.match(r"(?:(?:Why|When|Where|How|What|Who) )?(do|does|did|will|would|don't|doesn't|didn't|won't|wouldn't) (\w+) ([a-z]+)\b", s, re.I)
    if m and s.endswith("?") and m[3] in verbs:
        return m[3], {"do": "present", "does": "present", "did": "past"}.get(m[1].lower().replace("n't", ""), m[1].lower()[:5]), m[2].lower()
    m = re.match(rf"(?:{plural}|{single}) (don't|doesn't|didn't|will|won't|would|wouldn't) ([a-z]+)\b", s)
    if m and m[2] in verbs: return m[2], {"d": "present", "w": "will"}[m[1][0]] if m[1] != "didn't" else "past", None
    m = re.match(rf"{plural} (?:really |always |often |also )?([a-z]+)\b", s)
    if m and m[1] in verbs: return m[1], "present", None
    m = re.match(rf"{single} (?:really |always |often |also )?([a-z]+)\b", s)
    if m and m[1] in by_third: return by_third[m[1]], "present", None
    m = re.match(rf"(?:{plural}|{single}) (?:really |always |often |also )?([a-z]+)\b", s)
    if m and m[1] in by_past: return by_past[m[1]], "past", None
    return None

SUBJECTS = ["I"] * 6 + ["you"] * 3 + ["he", "she", "we", "they"] * 2 + ["it", "Tom", "everybody", "nobody", "my father", "those people"]
FRAMES = ["{}."] * 8 + ["Yes, {}.", "No, {}.", "But {}.", "Of course {}.", "Well, {}.", "And {}.", "Maybe {}.", "I think {}.", "Yeah, {}.", "I know {}.", "{}!", "{}?", "Perhaps {}.",
    "Oh, {}.", "Because {}.", "- {}.", "Yes, {}, sir.", "If {}."]

def reply(verb, time):
    subject = random.choice(SUBJECTS)
    is_single = subject in ("he", "she", "it", "Tom", "everybody", "nobody", "my father")
    negated = random.random() < 0.4 and subject != "nobody"
    if time not in ("will", "would") and random.random() < 0.15: time = random.choice(["present", "past", "will", "would"])
    auxiliary = {"present": "does" if is_single else "do", "past": "did"}.get(time, time if time in ("will", "would") else "will")
    short = f"{subject} {auxiliary}" + ("n't" if negated else "")
    short = short.replace("willn't", "won't")
    if negated or auxiliary in ("will", "would"): full = f"{short} {verb}"
    else: full = f"{subject} " + {"do": verb, "does": third(verb), "did": preterite(verb)}[auxiliary]
    frame = random.choice(FRAMES)
    raise_first = lambda s: re.sub(r"^(- )?([a-z])", lambda m: (m[1] or "") + m[2].upper(), s)
    return raise_first(frame.format(short)), raise_first(frame.format(full))

usable = [(s, *a) for s in sentences if (a := antecedent(s))]
count = Counter(verb for _, verb, _, _ in usable)
random.shuffle(usable)
by_verb = {}
for row in usable:
    by_verb.setdefault(row[1], []).append(row)
names, weights = list(by_verb), [len(rows) ** 0.5 for rows in by_verb.values()]
documents, used = [], Counter()
while len(documents) < number:
    if is_even:
        s, verb, time, asked = random.choice(by_verb[random.choices(names, weights)[0]])
    else:
        s, verb, time, asked = random.choice(usable)
    if used[verb] > number // 25 or count[verb] < 3: continue
    used[verb] += 1
    short, full = reply(verb, time)
    # Another sentence may stand in front, seldom one between.
    front = [random.choice(sentences)] if random.random() < 0.3 else []
    between = [random.choice(["Really?", "Well.", "I see.", "Listen.", "You know what?", random.choice(sentences)])] if random.random() < 0.12 else []
    documents.append((front + [s] + between, short, full))
with open(out + ".en", "w", encoding="utf8") as en, open(out + ".full", "w", encoding="utf8") as spelled, open(out + ".none", "w", encoding="utf8") as none:
    for before, short, full in documents:
        en.write("".join(line + "\n" for line in ["<d>", *before, short]))
        spelled.write("".join(line + "\n" for line in ["<d>", *before, full]))
        none.write("<d>\n" + "–\n" * (len(before) + 1))
print(len(documents), "documents;", len(verbs), "verbs;", used.most_common(15))
