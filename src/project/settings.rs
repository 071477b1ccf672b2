//! Settings that are kept between sessions, and where files of our own are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::notes::DocumentNote;
use super::project_folder::FurtherMemory;
use canopy_document::document::{Format, SubtitleLayout};
use canopy_translate::inference::{
    DefaultModels, DeviceChoice, FormalityOption, asset_folders, is_starter,
};
use canopy_translate::remote::RemoteHost;

const NUM_RECENT: usize = 8;

/// How large the window may draw everything, in percent.
const SCALES: [u16; 8] = [80, 90, 100, 110, 125, 150, 175, 200];

/// The colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// As the desktop has it.
    #[default]
    System,
    /// Dark text on light paper.
    Light,
    /// Light text on dark paper.
    Dark,
}

/// A large language model on a server that a person runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LanguageModel {
    /// Base address of its server.
    pub address: String,
    /// Name of the model on the server.
    pub model: String,
}

/// Remembered between sessions; what is missing in the file has its default.
#[expect(clippy::struct_excessive_bools, reason = "switches of a person")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The colours of the window.
    pub theme: Theme,
    /// How large everything in the window is, in percent.
    pub scale: u16,
    /// The device that models compute on.
    pub device: Device,
    /// 0 for the model's default.
    pub beam_size: usize,
    /// The form of address of German translations from English; none to leave it to the model.
    #[serde(rename = "address")]
    pub formality: Option<FormalityOption>,
    /// How much room translated subtitles have.
    pub subtitles: SubtitleLayout,
    /// Whether the document page shows the outline.
    pub shows_outline: bool,
    /// Whether the document page lists what the memory has like the selected sentence.
    pub shows_similar: bool,
    /// Whether the document page lists the texts that the selected sentence has had.
    pub shows_history: bool,
    /// Whether the document page lists what quality checks found.
    pub shows_checks: bool,
    /// Documents that were opened lately, the last one first.
    pub recent_documents: Vec<PathBuf>,
    /// Projects that were opened lately, the last one first.
    pub recent_projects: Vec<PathBuf>,
    /// Remembered settings of documents, the one left last first.
    pub documents: Vec<DocumentNote>,
    /// Models that were used lately, the last one first.
    pub recent_models: Vec<PathBuf>,
    /// Corpora that were used lately, the last one first.
    pub recent_corpora: Vec<PathBuf>,
    /// The person's translation memory, if it is to be used.
    pub memory: Option<PathBuf>,
    /// The memories that were used for pairs of languages.
    pub memories: BTreeMap<String, PathBuf>,
    /// Memories that are looked up after those, in their order, by pair of languages.
    pub further_memories: BTreeMap<String, Vec<FurtherMemory>>,
    /// Memories that were used lately, the last one first.
    pub recent_memories: Vec<PathBuf>,
    /// The termbases that a new document gets.
    #[serde(with = "crate::one_or_several")]
    pub terms: Vec<PathBuf>,
    /// The termbases that were used for pairs of languages.
    #[serde(with = "crate::one_or_several::by_key")]
    pub termbases: BTreeMap<String, Vec<PathBuf>>,
    /// Termbases that were used lately, the last one first.
    pub recent_terms: Vec<PathBuf>,
    /// Whether a model learns from it before each document.
    pub learns_from_memory: bool,
    /// The model that the program begins with, if a person has chosen.
    pub default_model: Option<PathBuf>,
    /// The models that a person has chosen for pairs of languages.
    pub default_models: DefaultModels,
    /// Additional catalogues of models: addresses, files, folders.
    pub catalogues: Vec<String>,
    /// Names of known catalogues that are not looked through.
    pub catalogues_off: Vec<String>,
    /// Folders of models that came with the program and that are neither listed nor used.
    pub removed_models: Vec<String>,
    /// The language that a person has last chosen to translate to.
    pub target_language: Option<String>,
    /// The sentence encoder for comparisons.
    pub encoder: Option<PathBuf>,
    /// The large language model for suggestions; none unless the user names one.
    pub language_model: Option<LanguageModel>,
    /// An additional folder of Hunspell dictionaries.
    pub dictionaries: Option<PathBuf>,
    /// Other machines that compute, the one named last first.
    pub machines: Vec<RemoteHost>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            scale: 100,
            device: Device::Auto,
            beam_size: 0,
            formality: None,
            subtitles: SubtitleLayout::default(),
            shows_outline: true,
            shows_similar: true,
            shows_history: false,
            shows_checks: false,
            recent_documents: vec![],
            recent_projects: vec![],
            documents: vec![],
            recent_models: vec![],
            recent_corpora: vec![],
            memory: None,
            memories: BTreeMap::new(),
            further_memories: BTreeMap::new(),
            recent_memories: vec![],
            terms: Vec::new(),
            termbases: BTreeMap::new(),
            recent_terms: vec![],
            learns_from_memory: false,
            default_model: None,
            default_models: DefaultModels::new(),
            catalogues: vec![],
            catalogues_off: vec![],
            removed_models: Vec::new(),
            target_language: None,
            encoder: None,
            language_model: None,
            dictionaries: None,
            machines: vec![],
        }
    }
}

/// The spelling of [`DeviceChoice`] in the settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A hardware GPU if there is one, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
    /// Another machine.
    Remote(RemoteHost),
}

impl From<DeviceChoice> for Device {
    fn from(choice: DeviceChoice) -> Self {
        match choice {
            DeviceChoice::Auto => Self::Auto,
            DeviceChoice::Cpu => Self::Cpu,
            DeviceChoice::Gpu => Self::Gpu,
            DeviceChoice::Remote(host) => Self::Remote(host),
        }
    }
}

impl From<Device> for DeviceChoice {
    fn from(device: Device) -> Self {
        match device {
            Device::Auto => Self::Auto,
            Device::Cpu => Self::Cpu,
            Device::Gpu => Self::Gpu,
            Device::Remote(host) => Self::Remote(host),
        }
    }
}

impl Settings {
    /// The settings of the last session; defaults if there are none or they cannot be read.
    pub fn read(path: &Path) -> Self {
        std::fs::read(path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Returns the contents of the settings file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let writable = self.clone().with_unicode_paths();
        serde_json::to_vec_pretty(&writable).unwrap_or_default()
    }

    /// Without the paths that are no Unicode: JSON cannot hold them, and all other settings would be lost with them.
    fn with_unicode_paths(mut self) -> Self {
        let is_unicode = |path: &PathBuf| path.to_str().is_some();
        for paths in [
            &mut self.recent_documents,
            &mut self.recent_models,
            &mut self.recent_corpora,
            &mut self.recent_memories,
            &mut self.recent_terms,
            &mut self.recent_projects,
        ] {
            paths.retain(is_unicode);
        }
        self.documents.retain(DocumentNote::is_unicode);
        for paths in [&mut self.default_models, &mut self.memories] {
            paths.retain(|_, path| is_unicode(path));
        }
        for further in self.further_memories.values_mut() {
            further.retain(|memory| is_unicode(&memory.path));
        }
        let of_pairs = self.termbases.values_mut();
        for paths in of_pairs.chain([&mut self.terms]) {
            paths.retain(is_unicode);
        }
        for path in [
            &mut self.memory,
            &mut self.default_model,
            &mut self.encoder,
            &mut self.dictionaries,
        ] {
            path.take_if(|path| !is_unicode(path));
        }
        self
    }

    /// One step larger or smaller than it is.
    pub fn stepped_scale(&self, larger: bool) -> u16 {
        let mut scales = SCALES.into_iter();
        let next = if larger {
            scales.find(|scale| *scale > self.scale)
        } else {
            scales.rfind(|scale| *scale < self.scale)
        };
        next.unwrap_or(self.scale)
    }

    /// By how much everything is larger than usual, whatever the settings file says.
    pub fn scale_factor(&self) -> f32 {
        let [smallest, .., largest] = SCALES;
        f32::from(self.scale.clamp(smallest, largest)) / 100.0
    }

    /// Puts a document first among those that were opened lately.
    pub fn remember_document(&mut self, path: &Path) {
        remember(&mut self.recent_documents, path);
    }

    /// Puts a project first among those that were opened lately.
    pub fn remember_project(&mut self, folder: &Path) {
        remember(&mut self.recent_projects, folder);
    }

    /// Lists of what was used lately.
    fn recent_mut(&mut self) -> [&mut Vec<PathBuf>; 6] {
        [
            &mut self.recent_documents,
            &mut self.recent_models,
            &mut self.recent_corpora,
            &mut self.recent_memories,
            &mut self.recent_terms,
            &mut self.recent_projects,
        ]
    }

    /// All paths of those lists.
    pub fn recent_paths(&mut self) -> Vec<PathBuf> {
        let lists = self.recent_mut().into_iter();
        lists.flat_map(|list| list.iter().cloned()).collect()
    }

    /// Takes paths out of those lists.
    pub fn forget(&mut self, missing: &[PathBuf]) {
        for list in self.recent_mut() {
            list.retain(|path| !missing.contains(path));
        }
    }

    /// Puts a model first among those that were used lately.
    pub fn remember_model(&mut self, folder: &Path) {
        remember(&mut self.recent_models, folder);
    }

    /// Puts a corpus first among those that were used lately.
    pub fn remember_corpus(&mut self, folder: &Path) {
        remember(&mut self.recent_corpora, folder);
    }

    /// Puts a termbase first among those that were used lately.
    pub fn remember_terms(&mut self, path: &Path) {
        remember(&mut self.recent_terms, path);
    }

    /// Puts a memory first among those that were used lately.
    pub fn remember_memory(&mut self, path: &Path) {
        remember(&mut self.recent_memories, path);
    }
}

fn remember(recent: &mut Vec<PathBuf>, path: &Path) {
    recent.retain(|other| other != path);
    recent.insert(0, path.to_owned());
    recent.truncate(NUM_RECENT);
}

/// Where files of our own are; `None` keeps nothing between sessions.
#[derive(Debug, Clone, Default)]
pub struct Folders {
    /// Folder of models, work and logs.
    pub data: Option<PathBuf>,
    /// Folder of the settings.
    pub config: Option<PathBuf>,
}

impl Folders {
    /// The user's own folders.
    pub fn for_user() -> Self {
        let Some(folders) = directories::ProjectDirs::from("", "", "canopy") else {
            return Self::default();
        };
        Self {
            // On Windows that of this machine: models and corpora are too large to go along with a user.
            data: Some(folders.data_local_dir().to_owned()),
            config: Some(folders.config_dir().to_owned()),
        }
    }

    /// The folder of models that a person has added.
    pub fn models(&self) -> Option<PathBuf> {
        Some(self.data.as_ref()?.join("models"))
    }

    /// Where alignments are kept that a person corrects.
    pub fn alignments(&self) -> Option<PathBuf> {
        Some(self.data.as_ref()?.join("alignments"))
    }

    /// The log of the window's run; that of the run before is next to it as `canopy.old.log`.
    pub fn log_file(&self) -> Option<PathBuf> {
        Some(self.data.as_ref()?.join("canopy.log"))
    }

    /// Returns the path of the settings file.
    pub fn settings_file(&self) -> Option<PathBuf> {
        self.config
            .as_ref()
            .map(|folder| folder.join("settings.json"))
    }
}

/// Files that came with the program.
#[derive(Debug, Clone, Default)]
pub struct Shipped {
    /// The starter first.
    pub models: Vec<PathBuf>,
    /// Sample documents.
    pub samples: Vec<PathBuf>,
    /// Traces of samples, so that the explorer has something to show before anything is translated.
    pub traces: Vec<PathBuf>,
}

impl Shipped {
    /// Looks in the [folders of the program's assets](asset_folders); without the models that the user has removed.
    pub fn find() -> Self {
        let file = Folders::for_user().settings_file();
        let removed = file.map(|file| Settings::read(&file).removed_models);
        let removed = removed.unwrap_or_default();
        let mut shipped = Self::all();
        shipped.models.retain(|folder| {
            let name = folder.file_name().unwrap_or_default();
            !removed.iter().any(|removed| name == removed.as_str())
        });
        shipped
    }

    /// Looks in the [folders of the program's assets](asset_folders), whatever the user has removed.
    pub fn all() -> Self {
        let mut shipped = Self::default();
        for assets in asset_folders() {
            if shipped.models.is_empty() {
                shipped.models = entries(&assets.join("models"), Path::is_dir);
                shipped.models.sort_by_key(|folder| !is_starter(folder));
            }
            if shipped.samples.is_empty() {
                shipped.samples = entries(&assets.join("samples"), is_document);
            }
            if shipped.traces.is_empty() {
                shipped.traces = entries(&assets.join("samples"), is_trace);
            }
        }
        shipped
    }
}

/// Label of a beam size in the window.
pub fn beam_name(beam_size: usize) -> String {
    match beam_size {
        0 => "of the model".to_owned(),
        size => size.to_string(),
    }
}

/// Whether the name is that of a document that can be opened.
pub fn is_document(path: &Path) -> bool {
    path.extension().is_some() && Format::from_path(path).is_some()
}

/// Whether the name is that of a translation memory, not of a document. A PO file is a document, which can serve as a memory.
pub fn is_memory(path: &Path) -> bool {
    let extension = path
        .extension()
        .map(|it| it.to_string_lossy().to_lowercase());
    extension.is_some_and(|it| MEMORY_EXTENSIONS.contains(&it.as_str()))
}

fn is_trace(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "trace")
}

/// Endings of translation memories.
pub const MEMORY_EXTENSIONS: &[&str] = &["tmx", "tsv", "mo"];

/// Endings of documents that bring their translations along, and can serve as memories.
pub const BILINGUAL_EXTENSIONS: &[&str] = &["xlf", "xliff", "sdlxliff", "mqxliff"];

fn entries(folder: &Path, wanted: fn(&Path) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return vec![];
    };
    let mut paths = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| wanted(path))
        .collect::<Vec<_>>();
    paths.sort();
    paths
}

#[cfg(test)]
mod scale_tests {
    use super::*;

    #[test]
    fn the_interface_grows_and_shrinks_in_steps_and_stays_within_bounds() {
        let mut settings = Settings::default();
        let mut seen = vec![];
        for larger in [true; 6].into_iter().chain([false; 9]) {
            settings.scale = settings.stepped_scale(larger);
            seen.push(settings.scale);
        }
        let expected = [
            110, 125, 150, 175, 200, 200, 175, 150, 125, 110, 100, 90, 80, 80, 80,
        ];
        assert_eq!(seen, expected);
        for (written, drawn) in [(0, 0.8), (150, 1.5), (9_999, 2.0)] {
            let settings: Settings =
                serde_json::from_str(&format!("{{\"scale\": {written}}}")).expect("settings");
            assert!((settings.scale_factor() - drawn).abs() < 1e-6);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn termbases_are_read_as_older_versions_wrote_them() {
        let old = r#"{"beam_size": 3, "terms": "own.csv", "termbases": {"en-de": "own.csv"}}"#;
        let settings: Settings = serde_json::from_str(old).expect("settings");
        let own = vec![PathBuf::from("own.csv")];
        assert_eq!((settings.beam_size, &settings.terms), (3, &own));
        assert_eq!(settings.termbases.get("en-de"), Some(&own));
        let none: Settings = serde_json::from_str(r#"{"terms": null}"#).expect("settings");
        assert!(none.terms.is_empty());
        // One is written as it was, so that older versions read it; several are a list.
        let text = String::from_utf8(settings.to_bytes()).expect("JSON");
        assert!(text.contains(r#""terms": "own.csv""#), "{text}");
        let several = Settings {
            terms: vec!["own.csv".into(), "vendor.tbx".into()],
            ..settings
        };
        let read: Settings = serde_json::from_slice(&several.to_bytes()).expect("settings");
        assert_eq!(read, several);
    }

    #[test]
    fn a_path_that_is_no_unicode_costs_no_other_setting() {
        let mut settings = Settings {
            beam_size: 7,
            ..Settings::default()
        };
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"page-\xFF.txt"));
        settings.remember_document(Path::new("page.txt"));
        settings.remember_document(odd);
        settings.memory = Some(odd.to_owned());
        settings.terms = vec![odd.to_owned(), "terms.csv".into()];
        let read: Settings = serde_json::from_slice(&settings.to_bytes()).expect("settings");
        assert_eq!(read.beam_size, 7);
        assert_eq!(read.recent_documents, [PathBuf::from("page.txt")]);
        assert_eq!(read.memory, None);
        assert_eq!(read.terms, [PathBuf::from("terms.csv")]);
    }
}
