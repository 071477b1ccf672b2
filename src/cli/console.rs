//! The console of Windows; other systems need nothing of this.

/// Shows colours in the console. A program that opens the window leaves a console of its own: Windows makes
/// one for a program that is started by a click, unless the program's manifest disables that and it is new enough to read
/// it.
#[cfg(windows)]
pub(super) fn prepare(opens_window: bool) {
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::System::Console::{
        ENABLE_VIRTUAL_TERMINAL_PROCESSING, FreeConsole, GetConsoleMode, GetConsoleProcessList,
        SetConsoleMode,
    };
    let mut processes = [0; 2];
    let handles = [
        std::io::stdout().as_raw_handle(),
        std::io::stderr().as_raw_handle(),
    ];
    #[expect(unsafe_code, reason = "the standard library does not know these calls")]
    // SAFETY: the list is as long as it says; handles of the standard streams stay open, and one that is no console is refused.
    unsafe {
        if opens_window && GetConsoleProcessList(processes.as_mut_ptr(), 2) == 1 {
            FreeConsole();
            return;
        }
        for handle in handles {
            let mut mode = 0;
            if GetConsoleMode(handle, &raw mut mode) != 0 {
                SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
            }
        }
    }
}

#[cfg(not(windows))]
pub(super) fn prepare(_opens_window: bool) {}
