"""How often simple rules tell the German form of address of a corpus's test segments: the form used last, that used last beside the same
note (who speaks), and both with what earlier documents of the same folder have. Arguments: the folder with forms.py
(../shared/corpora/stories) and a corpus folder. Python 3 standard library only.
"""
import collections
import json
import pathlib
import sys

USUAL = "du"


def documents(corpus):
    for line in (corpus / "test.jsonl").open(encoding="utf8"):
        document = json.loads(line)
        units = [(unit, it.get("note")) for it in document["paragraphs"] for unit in it["units"]]
        yield document["id"].split("/")[0], [it for it in units if it[0]["status"] not in ("identical", "doubtful")]


def main():
    sys.path.insert(0, sys.argv[1])
    from forms import form

    right, count, projects = collections.Counter(), 0, collections.defaultdict(dict)
    for project, units in documents(pathlib.Path(sys.argv[2])):
        earlier, own = projects[project], {}
        for unit, note in units:
            this = form(unit["source"], unit["target"])
            if not this:
                continue
            count += 1
            # Under None stands the form that was used last, whoever spoke.
            last, speaker = own.get(None), own.get(note)
            rules = {
                "the last": last or USUAL,
                "the speaker's last": speaker or last or USUAL,
                "the last, also of earlier documents": last or earlier.get(None) or USUAL,
                "the speaker's last, also of earlier documents": speaker or earlier.get(note) or last or earlier.get(None) or USUAL,
            }
            right.update(rule for rule, told in rules.items() if told == this)
            for known in (own, earlier):
                known[None] = known[note] = this
    print(f"{count} segments with a form of address")
    for rule, number in right.items():
        print(f"{rule}: {100 * number / count:.1f} %")


main()
