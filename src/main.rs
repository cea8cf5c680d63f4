//! The program `ruse`; see the library for its documentation.

use std::process::ExitCode;

/// Under a limit on memory (`ulimit -v`), starts the program again with one arena of glibc for all threads. An arena reserves
/// 64 MiB; if there is no room for another one, an allocation of one byte in a new thread ends the program.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn share_one_arena() {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Resource, getrlimit};
    const ARENAS: &str = "MALLOC_ARENA_MAX";
    const AMPLE: u64 = 16 << 30;
    let is_limited = getrlimit(Resource::As).current.is_some_and(|limit| limit < AMPLE);
    let mut arguments = std::env::args_os();
    if let (true, None, Some(name), Ok(program)) =
        (is_limited, std::env::var_os(ARENAS), arguments.next(), std::env::current_exe())
    {
        let mut again = std::process::Command::new(program);
        // If this fails, the program goes on as it is.
        let _ = again.arg0(name).args(arguments).env(ARENAS, "1").exec();
    }
}

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    share_one_arena();
    ruse::cli::run(ruse::registry::Registry::standard().with_reader(ruse::family::ProgramGames))
}
