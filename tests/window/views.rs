//! Every page and every question of the window, as a person may meet it.

use canopy::app::settings::Device;
use canopy::app::training::{NewRun, Start, TrainingCommand};
use canopy::app::{
    DialogRequest, DocumentCommand, EditCommand, EvaluateCommand, ExploreCommand, FindCommand,
    GoCommand, LanguageModelCommand, ModelsCommand, Page, ProjectCommand, SettingsCommand,
    TermsCommand, WindowCommand,
};
use canopy::memory::TranslationMemory;
use tempfile::TempDir;

use super::*;

/// A window with its folder of files, which goes with it.
pub struct View {
    pub name: &'static str,
    pub harness: Harness<'static, Window>,
    _home: Option<TempDir>,
}

impl View {
    fn new(name: &'static str, harness: Harness<'static, Window>) -> Self {
        let mut view = Self {
            name,
            harness,
            _home: None,
        };
        view.settle();
        view
    }

    fn from_window(name: &'static str, window: Window) -> Self {
        Self::new(name, window.harness())
    }

    fn at(
        name: &'static str,
        home: TempDir,
        window: impl FnOnce(&std::path::Path) -> Harness<'static, Window>,
    ) -> Self {
        let harness = window(home.path());
        Self {
            _home: Some(home),
            ..Self::new(name, harness)
        }
    }

    /// Not until it rests: what is awaited spins.
    pub fn settle(&mut self) {
        self.harness.run_steps(12);
    }

    /// With this button clicked.
    fn clicked(mut self, name: &'static str, label: &str) -> Self {
        self.name = name;
        let found = self.harness.query_all_by_label(label).last();
        found
            .unwrap_or_else(|| panic!("{name}: {label}"))
            .click_accesskit();
        self.settle();
        self
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn applied(mut window: Window, commands: impl IntoIterator<Item = Command>) -> Window {
    for command in commands {
        window.state.apply(command);
    }
    window
}

/// All of them.
pub fn all() -> Vec<View> {
    let mut views = document_views();
    views.extend(dialogs());
    views.extend(menus());
    views.extend(explorer_views());
    views.extend(training_views());
    views.extend(evaluation_views());
    views.extend(model_views());
    views.push(View::from_window("project", project::window()));
    let (home, window) = aligning::window();
    views.push(View::at("alignment", home, |_| window.harness()));
    views
}

/// A page that has one of everything: states, flags, terms, similar sentences, an open editor, findings.
fn full_document() -> Window {
    let pairs = [("Click Edit now.", "Klicken Sie jetzt auf Bearbeiten.")];
    let pairs = pairs.map(|(source, target)| (source.to_owned(), target.to_owned()));
    let mut window = memory::with_memory(Some(TranslationMemory::new(pairs)), 2).translated();
    window = applied(
        window,
        [
            Command::from(EditCommand::ToggleConfirmed(2)),
            Command::from(EditCommand::Start(3)),
            Command::from(EditCommand::Write("Vorschau 3".to_owned())),
            Command::from(EditCommand::Keep),
            Command::from(EditCommand::Clear(4)),
            Command::from(GoCommand::Select(1)),
            Command::Document(DocumentCommand::ToggleHistory),
            Command::from(canopy::app::CheckCommand::ToggleList),
        ],
    );
    checks::check(&mut window);
    window
}

fn document_views() -> Vec<View> {
    let error = canopy::error::Error::NoModel;
    let mut failed = Window::with_document(PAGE);
    failed
        .state
        .shared
        .show_error("The translation failed", &error);
    vec![
        View::from_window("welcome", Window::default()),
        View::from_window("document", Window::with_document(PAGE).translated()),
        View::from_window("document with everything", full_document()),
        View::from_window("alternatives", alternatives::listed()),
        View::from_window(
            "editor",
            applied(full_document(), [Command::from(EditCommand::Start(1))]),
        ),
        View::from_window(
            "editor without its tags",
            applied(
                full_document(),
                [
                    Command::from(EditCommand::Start(1)),
                    Command::from(EditCommand::Write("Auf Datei klicken".to_owned())),
                ],
            ),
        ),
        View::from_window(
            "find and replace",
            applied(
                Window::with_document(PAGE).translated(),
                [Command::from(FindCommand::Open)],
            ),
        ),
        View::from_window("translating", {
            applied(
                Window::with_document(PAGE),
                [Command::Document(DocumentCommand::Translate(
                    Scope::Document,
                ))],
            )
        }),
        View::from_window("error", failed),
        View::from_window("work elsewhere", moved::window()),
        View::from_window("suggestion", {
            let window = Window::with_document(PAGE).translated();
            applied(
                window,
                [
                    language_model::chosen(),
                    Command::from(GoCommand::Select(1)),
                ],
            )
        }),
        View::from_window("terms", {
            applied(terms::with_terms(), [Command::from(GoCommand::Select(1))])
        }),
    ]
}

fn dialogs() -> Vec<View> {
    let path = DialogRequest::SaveTranslation {
        document: "page.html".into(),
        name: "page.de.html".to_owned(),
        folder: None,
    };
    let mut window = Window::with_document(PAGE);
    window.panels.path = canopy::gui::PathQuestion::new(path);
    let name = Command::from(LanguageModelCommand::Name);
    vec![
        View::from_window(
            "shortcuts",
            applied(
                Window::default(),
                [Command::Window(WindowCommand::ShowShortcuts(true))],
            ),
        ),
        View::from_window("changes of an XLIFF", merging::window()),
        View::from_window(
            "new term",
            applied(
                terms::with_terms(),
                [
                    Command::from(GoCommand::Select(2)),
                    Command::from(TermsCommand::New),
                ],
            ),
        ),
        View::from_window(
            "language model",
            applied(Window::with_document(PAGE), [name]),
        ),
        View::from_window("path", window),
        View::from_window(
            "project settings",
            applied(
                project::window(),
                [Command::Project(SettingsCommand::Show.into())],
            ),
        ),
        View::from_window(
            "closing without saving",
            Window {
                closing: Some(CloseState::Unwritten),
                ..Window::with_document(PAGE)
            },
        ),
        View::at("closing while a run goes on", folder(), |home| {
            let mut harness = sample::learning(home).0;
            harness.state_mut().closing = Some(CloseState::Asking);
            harness
        }),
    ]
}

fn menus() -> Vec<View> {
    let document = || Window::with_document(PAGE).translated();
    let menu =
        |name: &'static str, label: &str| View::from_window(name, document()).clicked(name, label);
    vec![
        menu("File menu", "File"),
        menu("Edit menu", "Edit"),
        menu("Translate menu", "Translate"),
        menu("Model menu", "Model"),
        menu("Resources menu", "Resources"),
        menu("Help menu", "Help"),
        menu("View menu", "View"),
        menu("options", "Options ▾"),
        {
            let window = models::with_models(document(), models::several());
            let name = "languages";
            View::from_window(name, window).clicked(name, "The language of the translation: German")
        },
    ]
}

fn explorer_views() -> Vec<View> {
    let mut views = vec![View::from_window(
        "explorer without a trace",
        applied(
            Window::default(),
            [Command::Window(WindowCommand::ShowPage(Page::Explore))],
        ),
    )];
    for (name, view) in [
        ("tree", "Tree"),
        ("context sentences", "Sentences"),
        ("context of the document", "Document"),
        ("context words", "Words"),
        ("context as text", "Context"),
        ("cross-attention", "Cross-attention"),
        ("gates", "Gates"),
        ("zeros", "Zeros"),
    ] {
        let mut explored = explore::Explored::page();
        explored.click(view);
        views.push(View::new(name, explored.harness));
    }
    let mut old = explore::Explored::page();
    let state = &mut old.harness.state_mut().state;
    for command in [
        Command::from(EditCommand::Start(1)),
        Command::from(EditCommand::Write("Zeh".to_owned())),
        Command::from(EditCommand::Keep),
        Command::Explore(ExploreCommand::ShowInDocument(0)),
    ] {
        state.apply(command);
    }
    views.push(View::new("shaded margin", old.harness));
    views
}

fn training_views() -> Vec<View> {
    let with_run = || {
        let home = training::home();
        training::write_events(&home.path().join("runs/evening"));
        home
    };
    let form = |preset: &'static str, start: Start| {
        move |home: &std::path::Path| {
            let mut form = NewRun::new(home.join("corpora/letters"), Device::Cpu);
            form.choose_preset(preset);
            form.start = start;
            let fill = TrainingCommand::Fill(Box::new(form));
            applied(training::page(home), [Command::Training(fill)]).harness()
        }
    };
    let two_runs = || {
        let home = with_run();
        training::write_events(&home.path().join("runs/morning"));
        for (name, dropout) in [("evening", 0.1), ("morning", 0.3)] {
            let text = format!("corpus = \"letters\"\ndropout = {dropout}\n");
            let file = home.path().join("runs").join(name).join("config.toml");
            std::fs::write(file, text).expect("a file");
        }
        home
    };
    let training_with = |command: fn(&std::path::Path) -> TrainingCommand| {
        move |home: &std::path::Path| {
            let command = Command::Training(command(&home.join("runs/evening")));
            applied(training::page(home), [command]).harness()
        }
    };
    vec![
        View::at("no runs", folder(), |home| training::page(home).harness()),
        View::at("run", with_run(), |home| training::page(home).harness()),
        View::at(
            "runs as a table",
            two_runs(),
            training_with(|_| TrainingCommand::ShowTable(true)),
        ),
        View::at(
            "runs over each other",
            two_runs(),
            training_with(|run| TrainingCommand::Compare(run.with_file_name("morning"), true)),
        ),
        View::at(
            "run to the trash",
            with_run(),
            training_with(|run| TrainingCommand::AskTrash(run.to_owned())),
        ),
        View::at(
            "new run",
            training::home(),
            form("x-transformer-small", Start::RandomWeights),
        ),
        View::at(
            "new run with BERT",
            training::home(),
            form("catsby-small", Start::RandomWeights),
        ),
        View::at(
            "new run upon a model",
            training::home(),
            form("han-small", Start::Model),
        ),
        View::at(
            "new run with expert settings",
            training::home(),
            form("x-transformer-small", Start::RandomWeights),
        )
        .clicked("new run with expert settings", "Advanced"),
        View::at(
            "new corpus",
            folder(),
            training_with(|_| TrainingCommand::NewCorpus),
        ),
        View::at("material", folder(), |home| {
            material::dropped(home, vec![material::table(home)])
        }),
        View::at("sample run", folder(), |home| sample::learning(home).0),
        View::at("sample run compared", folder(), |home| {
            sample::compared(home).0
        }),
    ]
}

fn evaluation_views() -> Vec<View> {
    let evaluated = |name| View::at(name, folder(), evaluate::evaluated);
    vec![
        View::at("nothing to evaluate", folder(), |home| {
            applied(
                training::page(home),
                [Command::Window(WindowCommand::ShowPage(Page::Evaluate))],
            )
            .harness()
        }),
        View::at("evaluation form", folder(), |home| {
            evaluate::page(home).harness()
        }),
        evaluated("scores"),
        evaluated("scores of documents").clicked("scores of documents", "Documents"),
        evaluated("where").clicked("where", "Where"),
        evaluated("sentences").clicked("sentences", "Sentences"),
        View::at("contrastive set", folder(), evaluate::contrast),
        evaluated("judging").clicked("judging", "Judge blindly…"),
        View::at("judged", folder(), |home| {
            let mut harness = evaluate::evaluated(home);
            let state = &mut harness.state_mut().state;
            state.apply(Command::Evaluate(EvaluateCommand::Judge));
            state.apply(Command::Evaluate(EvaluateCommand::Reveal));
            harness
        }),
    ]
}

fn model_views() -> Vec<View> {
    let models = |commands: Vec<Command>| applied(models::page(models::several()), commands);
    let select = |name: &str| Command::Models(ModelsCommand::Select(name.into()));
    vec![
        View::from_window("no models", models::page(vec![])),
        View::from_window("models", models(vec![select("opus-mt-de-en")])),
        View::from_window("multilingual model", models(vec![select("opus-mt-gem")])),
        View::from_window("broken model", models(vec![select("broken")])),
        View::from_window(
            "model to be removed",
            models(vec![Command::Models(ModelsCommand::AskRemove(
                "opus-mt-de-en".into(),
            ))]),
        ),
        View::from_window("a model that is found", {
            models(vec![Command::Models(ModelsCommand::Inspect(
                "downloads/other".into(),
            ))])
        }),
        View::from_window("a project without documents", {
            let mut window = project::window();
            window
                .state
                .apply(Command::Project(ProjectCommand::Open("other".into())));
            window
        }),
    ]
}
