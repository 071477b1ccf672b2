"""English documents whose context does not matter much, for models that learn to read context and are to forget nothing.

usage: replay_texts.py CORPORA OUT; CORPORA holds tatoeba/deu-eng.tsv.gz, descriptions/train.tsv.gz and stories/train.tsv.gz, of which the
English column is taken. Writes OUT.en, a sentence a line with <d> before each document, and OUT.none, a dash for each, so that
`canopy corpus import text` and `canopy evaluate --hypotheses` translate them line by line; `replay_texts.py --join OUT LINES` then puts
the lines of a translation between the marks of OUT.en, into OUT.out.
"""
import gzip, random, re, sys
if sys.argv[1] == "--join":
    lines = open(sys.argv[3], encoding="utf8")
    with open(sys.argv[2] + ".out", "w", encoding="utf8") as out:
        for line in open(sys.argv[2] + ".en", encoding="utf8"):
            out.write(line if line == "<d>\n" else next(lines))
    sys.exit()
random.seed(1)
C,OUT=sys.argv[1]+"/",sys.argv[2]
docs=[]
seen=set()
t=list(dict.fromkeys(l.split("\t")[0].strip() for l in gzip.open(C+"tatoeba/deu-eng.tsv.gz","rt",encoding="utf8")))
random.shuffle(t); t=[s for s in t if 3<=len(s.split())<=40]
for i in range(0,4000,8): docs.append(t[i:i+8])
def grouped(path):
    out={}
    for l in gzip.open(path,"rt",encoding="utf8"):
        c=l.rstrip("\n").split("\t"); out.setdefault(c[0],[]).append(c[2])
    return out
g=grouped(C+"descriptions/train.tsv.gz"); ks=[k for k in g if not re.search(r"-(dev|doc|data|dbg)$",k)]; random.shuffle(ks)
n=0
for k in ks:
    s=[x for p in g[k] for x in re.split(r"(?<=[.!?])\s+(?=[A-Z])",p) if 4<=len(x.split())<=50]
    if len(s)>=3: docs.append(s[:10]); n+=len(s[:10])
    if n>4000: break
g=grouped(C+"stories/train.tsv.gz"); n=0; ks=list(g); random.shuffle(ks)
for k in ks:
    s=[x for p in g[k] for x in re.split(r"(?<=[.!?])\s+(?=[A-Z])",p) if 2<=len(x.split())<=50 and "\\" not in x][:60]
    for i in range(0,len(s),10): docs.append(s[i:i+10]); n+=10
    if n>2500: break
random.shuffle(docs)
with open(OUT+".en","w",encoding="utf8") as f:
    for d in docs:
        f.write("<d>\n")
        for s in d: f.write(" ".join(s.split())+"\n")
open(OUT+".none","w",encoding="utf8").write("".join("<d>\n" if l=="<d>\n" else "–\n" for l in open(OUT+".en",encoding="utf8")))
print(len(docs), sum(map(len,docs)), sum(len(s.split()) for d in docs for s in d))
