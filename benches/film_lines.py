"""English sentences of the training films of CTXPRO, as `ellipsis_texts.py` reads them.

usage: film_lines.py FOLDER OUT.tsv.gz; FOLDER holds the .inputs.gz of sets from English.
"""
import glob
import gzip
import re
import sys

folder, out = sys.argv[1:]
found = {}
for path in sorted(glob.glob(f"{folder}/*.en-*.train.inputs.gz")):
    with gzip.open(path, "rt", encoding="utf8") as file:
        for sentence in file.read().replace("\n", "<eos>").split("<eos>"):
            sentence = re.sub(r"^[-–\s]+", "", sentence.strip())
            if 3 <= len(sentence.split()) <= 14:
                found[sentence] = None
with gzip.open(out, "wt", encoding="utf8") as file:
    file.writelines(sentence + "\t\n" for sentence in found)
print(f"{len(found)} sentences")
