//! All files of `src` and who uses whom.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as FilePath, PathBuf};

use crate::paths::{Path, read};

/// A module: its path from the crate, such as `["model", "config"]`.
type Module = Vec<String>;

/// The modules of a crate with their paths.
pub struct House {
    modules: BTreeMap<Module, Vec<Path>>,
    tests: BTreeSet<Module>,
}

/// A use of another room or file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    /// Where it is written.
    pub file: String,
    pub line: usize,
}

impl House {
    /// Reads every Rust file below `src`.
    pub fn open(src: &FilePath) -> Self {
        let mut files = Vec::new();
        collect(src, &mut files);
        let sources = files.iter().map(|path| {
            let relative = path
                .strip_prefix(src)
                .expect("below src")
                .with_extension("");
            let parts = relative
                .iter()
                .map(|part| part.to_string_lossy().into_owned());
            let mut module: Module = parts.collect();
            if ["mod", "lib"]
                .map(Some)
                .contains(&module.last().map(String::as_str))
            {
                module.pop();
            }
            (
                module,
                std::fs::read_to_string(path).expect("a source file"),
            )
        });
        Self::of(sources)
    }

    /// The house of these modules and their sources.
    pub fn of(sources: impl IntoIterator<Item = (Module, String)>) -> Self {
        let (mut modules, mut tests) = (BTreeMap::new(), BTreeSet::new());
        for (module, source) in sources {
            let source = read(&source);
            let of_tests = source.test_modules.iter();
            tests.extend(of_tests.map(|name| [&module[..], std::slice::from_ref(name)].concat()));
            modules.insert(module, source.paths);
        }
        Self { modules, tests }
    }

    /// The rooms, which are the modules of the crate's root.
    pub fn rooms(&self) -> BTreeSet<String> {
        let rooms = self.modules.keys().filter_map(|module| module.first());
        rooms.filter(|room| *room != "main").cloned().collect()
    }

    /// Uses of another room by its path from the crate.
    pub fn room_arrows(&self) -> Vec<Arrow> {
        let mut arrows = Vec::new();
        for (module, paths) in &self.modules {
            let Some(from) = module.first().filter(|room| *room != "main") else {
                continue;
            };
            for path in paths {
                let [start, to, ..] = &path.parts[..] else {
                    continue;
                };
                if start == "crate" && to != from {
                    arrows.push(Arrow {
                        from: from.clone(),
                        to: to.clone(),
                        file: file(module),
                        line: path.line,
                    });
                }
            }
        }
        arrows
    }

    /// Uses among the files of a room, tests aside. What a file only hands on is a use of whoever made it.
    pub fn file_arrows(&self, room: &str) -> Vec<Arrow> {
        let is_test =
            |module: &[String]| (1..=module.len()).any(|end| self.tests.contains(&module[..end]));
        let mut arrows = Vec::new();
        for (module, paths) in &self.modules {
            if module.first().is_none_or(|own| own != room) || is_test(module) {
                continue;
            }
            for path in paths.iter().filter(|path| !path.public && !path.test) {
                let found = self
                    .absolute(module, path)
                    .and_then(|path| self.home(&path, 0));
                if let Some(to) = found
                    && to.first().is_some_and(|other| other == room)
                    && to != *module
                {
                    arrows.push(Arrow {
                        from: file(module),
                        to: file(&to),
                        file: file(module),
                        line: path.line,
                    });
                }
            }
        }
        arrows
    }

    /// A path from the crate; none for one of another crate.
    fn absolute(&self, module: &[String], path: &Path) -> Option<Module> {
        let mut base = [module, &path.inside].concat();
        let mut parts = &path.parts[..];
        match parts.first()?.as_str() {
            "crate" => return Some(parts[1..].to_vec()),
            "self" => parts = &parts[1..],
            "super" => {
                while parts.first().is_some_and(|part| part == "super") {
                    base.pop()?;
                    parts = &parts[1..];
                }
            }
            child => {
                let child = [&base[..], &[child.to_owned()]].concat();
                self.modules.get(&child)?;
            }
        }
        Some([&base[..], parts].concat())
    }

    /// The module where what a path names is defined.
    fn home(&self, path: &[String], depth: usize) -> Option<Module> {
        let end = (1..=path.len())
            .rev()
            .find(|&end| self.modules.contains_key(&path[..end]))?;
        let module = path[..end].to_vec();
        let handed_on = path.get(end).and_then(|name| {
            let mut public = self.modules[&module].iter().filter(|path| path.public);
            public.find(|path| path.parts.last() == Some(name))
        });
        // Names are handed on a few times at most.
        let elsewhere = handed_on.filter(|_| depth < 8).and_then(|path| {
            let path = self.absolute(&module, path)?;
            self.home(&path, depth + 1)
        });
        Some(elsewhere.unwrap_or(module))
    }
}

fn collect(folder: &FilePath, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

fn file(module: &[String]) -> String {
    format!("src/{}", module.join("/"))
}

/// Groups of which each one uses every other, directly or through others of the group.
pub fn circles(arrows: &[Arrow]) -> Vec<Vec<String>> {
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arrow in arrows {
        uses.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let reached = |start: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(next) = open.pop() {
            for &to in uses.get(next).into_iter().flatten() {
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|&from| (from, reached(from))).collect();
    let mut groups = BTreeSet::new();
    for (from, to) in reach.iter().filter(|(from, to)| to.contains(*from)) {
        let group = to
            .iter()
            .filter(|other| reach.get(*other).is_some_and(|back| back.contains(from)));
        groups.insert(group.map(|name| (*name).to_owned()).collect::<Vec<_>>());
    }
    groups.into_iter().collect()
}
