//! Open programs: a part that Loopscope reads, and the rest, which it does not.
//!
//! ```text
//! surprises.txt: a number that seems to be K and is V ─┐
//!                                                      ├─► part.c  int f(…) or main, which uses such numbers
//! uses.txt: loops, checks, accesses on such a number ──┘   rest.c  all that the part only declares, and who calls it
//! ```
//!
//! Marks in the part (`LOOP`, `TICK`, …) are empty for Loopscope and write down what loops do in the compiled program.

use std::fmt::Write;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use super::templates::{Block, blocks};
use crate::random::Random;

static SURPRISES: LazyLock<Vec<Block>> = LazyLock::new(|| blocks(include_str!("surprises.txt")));
static USES: LazyLock<Vec<Block>> = LazyLock::new(|| blocks(include_str!("uses.txt")));

/// What the marks mean for whoever reads the part alone.
const MARKS: &str = include_str!("part.h");

/// A program in two parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    /// The part that is asked about.
    pub part: String,
    /// All the rest.
    pub rest: String,
    /// The function that is asked about: `main` or `f`.
    pub entry: &'static str,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// Whether other runs of the same text may do something else.
    pub has_choices: bool,
    /// The surprises and the uses that it is made of.
    pub features: Vec<&'static str>,
}

/// The names of all surprises.
pub fn surprises() -> impl Iterator<Item = &'static str> {
    SURPRISES.iter().map(|block| block.name)
}

impl Project {
    /// The project of a seed.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        // One after the other, so that few seeds have them all.
        let first = &SURPRISES[(seed % SURPRISES.len() as u64) as usize];
        let mut chosen = vec![first];
        if random.chance(30) {
            chosen.push(random.pick(&SURPRISES));
        }
        let mut writer = Writer::default();
        for (number, block) in chosen.iter().enumerate() {
            writer.surprise(block, number, &mut random);
        }
        let needs_caller = chosen
            .iter()
            .any(|block| ["parameter", "setup", "finish", "entered"].iter().any(|key| block.has(key)));
        writer.finish(!needs_caller && random.chance(40), &mut random)
    }

    /// Writes the files, and what a build tool writes of the flags.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text);
        write("part.c", &self.part)?;
        write("rest.c", &self.rest)?;
        write("whole.h", include_str!("whole.h"))?;
        write("whole.c", include_str!("whole.c"))?;
        let command = |file: &str| {
            let words: Vec<String> = ["cc", "-c"].into_iter().map(String::from).collect();
            let words = words.into_iter().chain(self.flags.clone()).chain([String::from(file)]);
            let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
            format!(
                "{{\"directory\": \"{}\", \"file\": \"{file}\", \"arguments\": [{}]}}",
                folder.display(),
                words.join(", ")
            )
        };
        write("compile_commands.json", &format!("[{},\n {}]\n", command("part.c"), command("rest.c")))
    }

    /// The lines of the loops that are watched, with their numbers.
    pub fn loops(&self) -> impl Iterator<Item = (u32, usize)> {
        (1..).zip(self.part.lines()).filter_map(|(line, text)| {
            let (number, _) = text.split_once("LOOP(")?.1.split_once(')')?;
            Some((line, number.parse().ok()?))
        })
    }
}

/// The text so far.
#[derive(Default)]
struct Writer {
    part: String,
    rest: String,
    body: String,
    finish: String,
    setup: String,
    parameters: String,
    arguments: String,
    flags: Vec<String>,
    features: Vec<&'static str>,
    has_choices: bool,
    loops: usize,
}

/// A number that seems to be another one.
struct Number {
    expression: String,
    act: String,
    seems: i64,
    can_be_assigned: bool,
}

impl Writer {
    fn surprise(&mut self, block: &'static Block, number: usize, random: &mut Random) {
        let seems = random.range(1, 4);
        let is = if random.chance(80) { random.range(0, 6) } else { seems };
        let fill = |text: &str| {
            text.replace("$N", &number.to_string())
                .replace("$K", &seems.to_string())
                .replace("$V", &is.to_string())
        };
        let all = |key: &str| block.all(key).map(fill).collect::<Vec<String>>();
        let lines = |key: &str| all(key).iter().map(|line| format!("{line}\n")).collect::<String>();
        self.features.push(block.name);
        self.has_choices |= block.has("choice");
        self.part += &lines("part");
        self.rest += &lines("rest");
        self.setup += &lines("setup");
        self.finish += &lines("finish");
        self.flags.extend(all("flag"));
        self.parameters += &all("parameter").iter().map(|one| format!(", {one}")).collect::<String>();
        self.arguments += &all("argument").iter().map(|one| format!(", {one}")).collect::<String>();
        self.body += &lines("prepare");
        let expression = all("number").into_iter().chain(all("place")).next().unwrap_or_default();
        let can_be_assigned = block.has("place");
        let number = Number { expression, act: all("act").join(" "), seems, can_be_assigned };
        if random.chance(75) {
            let act = self.numbered(&number.act);
            let _ = writeln!(self.body, "{act}");
        }
        for _ in 0..1 + random.below(2) {
            self.used(&number, random);
        }
    }

    /// One use of a number.
    fn used(&mut self, number: &Number, random: &mut Random) {
        let block = random.pick(&USES);
        // What jumps, or names places to jump to, stands in the text once.
        let acts_once = number.act.contains("goto") || number.act.contains("LOOP");
        if block.has("place") && !number.can_be_assigned || block.has("acts") && acts_once {
            return;
        }
        let use_all = block.all("use").map(|line| format!("{line}\n")).collect::<String>();
        let text = use_all
            .replace("$A", &number.act)
            .replace("$E", &number.expression)
            .replace("$K", &number.seems.to_string());
        self.features.push(block.name);
        let text = self.numbered(&text);
        self.body += &text;
        let number = self.loops.to_string();
        self.part += &block.all("part").map(|line| line.replace("$L", &number) + "\n").collect::<String>();
    }

    /// A text with the number of its loop.
    fn numbered(&mut self, text: &str) -> String {
        self.loops += usize::from(text.contains("$L"));
        text.replace("$L", &self.loops.to_string())
    }

    fn finish(self, has_main: bool, random: &mut Random) -> Project {
        let (n, m) = (random.range(0, 6), random.range(-1, 6));
        let calls = if self.finish.is_empty() && random.chance(70) { 1 } else { 2 };
        let mut part = format!("{MARKS}{}", self.part);
        let mut rest = self.rest;
        let Self { body, finish, parameters, arguments, setup, .. } = self;
        if has_main {
            let _ =
                write!(part, "int main(void) {{\nint n = {n}, m = {m};\nENTER(n, m);\n{body}return 0;\n}}\n");
        } else {
            let head = format!("int f(int n, int m{parameters})");
            let _ = write!(part, "{head} {{\nENTER(n, m);\n{body}{finish}return 0;\n}}\n");
            let call = format!("f({n}, {m}{arguments});\n").repeat(calls);
            let _ = write!(rest, "{head};\nint main(void) {{\n{setup}{call}return 0;\n}}\n");
        }
        Project {
            part,
            rest,
            entry: if has_main { "main" } else { "f" },
            flags: self.flags,
            has_choices: self.has_choices,
            features: self.features,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_have_projects_and_loops_have_lines() {
        for seed in 0..200 {
            let project = Project::of(seed);
            assert_eq!(project, Project::of(seed));
            assert!(!project.part.contains('$') && !project.rest.contains('$'), "{project:?}");
            for (line, number) in project.loops() {
                let text = project.part.lines().nth(line as usize - 1).unwrap_or_default();
                assert!(text.contains(&format!("({number})")), "{text}");
            }
        }
    }
}
