//! Documents in scripts that run from right to left, edited by mouse and keys.

use canopy::app::Command;
use canopy::gui::install_theme;
use egui::accesskit::Role;
use egui::{Event as Input, Key, MissingGlyphPolicy, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

use super::Window;

const PAGE: &str = "<h1>כותרת</h1><p>אבג <b>דהו</b> (12) זחט.</p>";

fn harness(window: Window) -> Harness<'static, Window> {
    Harness::builder()
        .with_size([1200.0, 800.0])
        .with_step_dt(0.05)
        .with_max_steps(40)
        .with_context_setup(|ctx: &egui::Context| {
            install_theme(ctx);
            // The tests draw without the fonts of the system.
            ctx.set_missing_glyph_policy(MissingGlyphPolicy::Tofu);
        })
        .build_ui_state(Window::frame, window)
}

fn click(harness: &mut Harness<'static, Window>, pos: Pos2) {
    for pressed in [true, false] {
        harness.event(Input::PointerMoved(pos));
        harness.event(Input::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        harness.step();
    }
    harness.run_steps(2);
}

fn edited(harness: &Harness<'static, Window>) -> String {
    let document = harness.state().state.document.as_ref();
    let editor = document.and_then(|document| document.editor.as_ref());
    editor.expect("an editor").text.clone()
}

#[test]
fn the_caret_follows_pointer_and_arrows_in_text_from_the_right() {
    let mut window = Window::with_document(PAGE);
    window.state.apply(Command::EditSentence(1));
    window
        .state
        .apply(Command::Editing("אבג דהו זחט".to_owned()));
    let mut harness = harness(window);
    harness.run_steps(4);
    let field = harness.get_by_role(Role::MultilineTextInput).rect();
    let y = field.top() + 8.0;
    click(&mut harness, Pos2::new(field.right() - 1.0, y));
    harness.event(Input::Text("ת".to_owned()));
    harness.run_steps(2);
    assert_eq!(
        edited(&harness),
        "תאבג דהו זחט",
        "the text begins on the right"
    );
    click(&mut harness, Pos2::new(field.left() + 2.0, y));
    harness.event(Input::Text("ש".to_owned()));
    harness.run_steps(2);
    assert_eq!(edited(&harness), "תאבג דהו זחטש", "and ends on the left");
    harness.key_press(Key::ArrowRight);
    harness.run_steps(2);
    harness.event(Input::Text("ר".to_owned()));
    harness.run_steps(2);
    assert_eq!(edited(&harness), "תאבג דהו זחטרש", "to the right is back");
}
