//! What the system compiler knows: where its headers are, and its own preprocessor as a second opinion.
//!
//! The compiler is asked once a process for its include directories. Where there is none, the directories that
//! Unix systems have had since ever are taken.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use program::DataModel;

use crate::{Input, Macro};

/// The compilers that are tried, in this order.
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

/// Where headers are when no compiler can be asked.
const WELL_KNOWN: [&str; 4] =
    ["/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/include"];

/// How long the system's preprocessor may take, how many KiB of memory, and how many bytes it may write.
const PREPROCESSOR_MEMORY: u64 = 4 << 20;
const PREPROCESSOR_TIME: Duration = Duration::from_secs(5);
const PREPROCESSOR_OUTPUT: u64 = 256 << 20;

/// The system's include directories in search order, the compiler's own ones last: the front end ships its own
/// versions of those headers, because a compiler's `stddef.h` is written for the builtins of that compiler.
pub(crate) fn include_directories(model: DataModel) -> &'static [PathBuf] {
    static LP64: OnceLock<Vec<PathBuf>> = OnceLock::new();
    static ILP32: OnceLock<Vec<PathBuf>> = OnceLock::new();
    match model {
        DataModel::Lp64 => LP64.get_or_init(|| order(ask("-m64"))),
        // Most systems have no headers for `-m32` alone; the others serve both, but for a few that are missing
        // (see `gaps::missing_header`).
        DataModel::Ilp32 => ILP32.get_or_init(|| {
            let mut found = ask("-m32");
            let others: Vec<_> = include_directories(DataModel::Lp64).to_vec();
            found.extend(
                others.into_iter().filter(|directory| !found.contains(directory)).collect::<Vec<_>>(),
            );
            order(found)
        }),
    }
}

/// The name of the system compiler, if there is one.
pub(crate) fn compiler() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        COMPILERS.into_iter().find(|name| {
            let mut command = Command::new(name);
            command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        })
    })
}

/// The input as the system compiler preprocesses it, or nothing if it refuses it too.
pub(crate) fn preprocess(input: &Input) -> Option<Vec<u8>> {
    // The shell only sets the limit, and becomes the compiler.
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {PREPROCESSOR_MEMORY}; exec \"$@\""), "sh", compiler()?]);
    command.arg("-E").args(flags(input)).arg("-x").arg("c").arg(&input.path);
    if let Some(directory) = &input.directory {
        command.current_dir(directory);
    }
    run(command)
}

/// The flags that say to a compiler what the options say.
fn flags(input: &Input) -> Vec<String> {
    let options = &input.options;
    let mut flags = vec![String::from(match options.data_model {
        DataModel::Lp64 => "-m64",
        DataModel::Ilp32 => "-m32",
    })];
    let paths = [
        ("-iquote", &options.quote_include),
        ("-I", &options.include),
        ("-isystem", &options.system_include),
        ("-idirafter", &options.after_include),
        ("-imacros", &options.macro_files),
    ];
    for (flag, directories) in paths {
        flags.extend(directories.iter().flat_map(|path| [flag.to_owned(), path.display().to_string()]));
    }
    flags.extend(options.macros.iter().map(|entry| match entry {
        Macro::Define(text) => format!("-D{text}"),
        Macro::Undefine(name) => format!("-U{name}"),
    }));
    let switches = [
        ("-nostdinc", options.no_system_include),
        ("-funsigned-char", options.unsigned_char),
        ("-fgnu89-inline", options.gnu89_inline),
    ];
    flags.extend(switches.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_owned()));
    flags.extend(options.extensions.iter().map(|extension| format!("-m{extension}")));
    flags.extend(options.standard.iter().map(|standard| format!("-std={standard}")));
    let files = options.preinclude.iter();
    flags.extend(files.flat_map(|path| [String::from("-include"), path.display().to_string()]));
    flags
}

/// Runs a command and gives what it wrote, if it ended well within its limits.
fn run(mut command: Command) -> Option<Vec<u8>> {
    // A compiler is a process that starts others. In a group of their own they can all be ended.
    command.process_group(0);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let stdout = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.take(PREPROCESSOR_OUTPUT).read_to_end(&mut text);
        read.ok().filter(|&length| (length as u64) < PREPROCESSOR_OUTPUT).map(|_| text)
    });
    let ended_well = wait(&mut child);
    let text = reader.join().ok().flatten();
    if ended_well { text } else { None }
}

/// Waits for a process, and ends it when its time is over.
fn wait(child: &mut Child) -> bool {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < PREPROCESSOR_TIME => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                end_group(child);
                return false;
            }
        }
    }
}

/// Ends a process and those that it started. Nothing can be done about one that does not end.
fn end_group(child: &mut Child) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
}

/// The include directories that the compiler prints when it is asked to be verbose.
fn ask(flag: &str) -> Vec<PathBuf> {
    let listed = compiler().and_then(|name| {
        let mut command = Command::new(name);
        command.args([flag, "-E", "-v", "-x", "c", "/dev/null"]).env("LC_ALL", "C");
        command.stdin(Stdio::null()).output().ok()
    });
    let directories = listed.map(|output| listed_directories(&String::from_utf8_lossy(&output.stderr)));
    match directories {
        Some(directories) if !directories.is_empty() => directories,
        _ => WELL_KNOWN.iter().map(PathBuf::from).filter(|path| path.is_dir()).collect(),
    }
}

/// The directories between the two lines that compilers put around them.
fn listed_directories(text: &str) -> Vec<PathBuf> {
    text.lines()
        .skip_while(|line| !line.starts_with("#include <...>"))
        .skip(1)
        .take_while(|line| line.starts_with(' '))
        .map(|line| PathBuf::from(line.trim().trim_end_matches(" (framework directory)")))
        .collect()
}

/// The same directories with the compiler's own ones last.
fn order(directories: Vec<PathBuf>) -> Vec<PathBuf> {
    let own =
        |path: &Path| path.components().any(|part| part.as_os_str() == "gcc" || part.as_os_str() == "clang");
    let (last, mut first): (Vec<_>, Vec<_>) = directories.into_iter().partition(|path| own(path));
    first.extend(last);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_stand_between_two_lines_and_the_compilers_own_come_last() {
        let text = "ignored\n#include \"...\" search starts here:\n /quote\n#include <...> search starts here:\n \
                    /usr/lib/gcc/x/12/include\n /usr/include\nEnd of search list.\n /after\n";
        let found = listed_directories(text);
        assert_eq!(found, [Path::new("/usr/lib/gcc/x/12/include"), Path::new("/usr/include")]);
        assert_eq!(order(found), [Path::new("/usr/include"), Path::new("/usr/lib/gcc/x/12/include")]);
    }

    #[test]
    fn a_process_that_writes_without_end_is_ended() {
        let mut infinite = Command::new("sh");
        infinite.args(["-c", "cat /dev/zero | cat"]);
        assert_eq!(run(infinite), None);
        let mut short = Command::new("echo");
        short.arg("x");
        assert_eq!(run(short), Some(b"x\n".to_vec()));
    }

    #[test]
    fn options_become_the_flags_of_a_compiler() {
        let mut input = Input::new("a.c");
        input.options.data_model = DataModel::Ilp32;
        input.options.include.push(PathBuf::from("inc"));
        input.options.macros = vec![Macro::Define(String::from("N=3")), Macro::Undefine(String::from("M"))];
        input.options.standard = Some(String::from("c99"));
        input.options.preinclude.push(PathBuf::from("config.h"));
        let expected = ["-m32", "-I", "inc", "-DN=3", "-UM", "-std=c99", "-include", "config.h"];
        assert_eq!(flags(&input), expected);
    }
}
