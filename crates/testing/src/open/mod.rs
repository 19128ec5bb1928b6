//! A standing attack on answers about a part of a program: runs of the compiled whole must not contradict them.
//!
//! ```text
//! seed ─► part.c ─► Loopscope ─► claims: a loop stops, makes at most so many iterations, an error is never reached, …
//!    └──► rest.c ─► cc part.c rest.c ─► a run ─► does it contradict a claim?
//! ```
//!
//! The rest does what C allows to other files of a program: it changes globals, keeps pointers, calls back, gives arguments that
//! alias. A claim that a run contradicts is excused if the run does something undefined, as sanitizers see it.

mod claims;
mod judge;
mod project;
mod templates;
mod whole;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::claims::{Claim, claims};
use self::judge::{complaint, contradiction, needs_sanitizers};
pub use self::project::{Project, surprises};
use self::whole::{Observed, Opinion, has_sanitizers, observe, sanitized};
use crate::random::Random;
use crate::system::{Compiler, Scratch};

/// How much was examined.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Programs.
    pub programs: usize,
    /// Programs that could not be read.
    pub unread: usize,
    /// Queries.
    pub queries: usize,
    /// Answers that a run could contradict.
    pub claims: usize,
    /// Answers that something is wrong, among them.
    pub refuted: usize,
    /// Programs whose whole was run.
    pub runs: usize,
    /// Answers that a run contradicts.
    pub wrong: usize,
    /// For each feature: programs, claims, and wrong ones.
    pub features: BTreeMap<&'static str, [usize; 3]>,
}

/// An answer that a run contradicts.
#[derive(Clone, PartialEq, Debug)]
pub struct Wrong {
    /// The seed.
    pub seed: u64,
    /// What the program is made of.
    pub features: Vec<&'static str>,
    /// The answer.
    pub answer: String,
    /// What contradicts it.
    pub contradiction: String,
    /// The program.
    pub project: Project,
}

/// A compiler, and how long a query may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attack {
    compiler: Compiler,
    time: Duration,
    has_sanitizers: bool,
}

impl Attack {
    /// The compiler of this machine, if there is one.
    pub fn new(time: Duration) -> Option<Self> {
        let compiler = Compiler::named("gcc").or_else(Compiler::system)?;
        let has_sanitizers = has_sanitizers(&compiler);
        Some(Self { compiler, time, has_sanitizers })
    }

    /// Asks about the part of a seed, and runs the whole if there is an answer.
    ///
    /// # Errors
    /// If the whole cannot be compiled, or files cannot be written.
    pub fn attack(&self, seed: u64, counts: &mut Counts) -> Result<Vec<Wrong>, String> {
        let project = Project::of(seed);
        // Not the seed itself: it decides on the surprise, and each is to meet all queries.
        let lot = Random::new(!seed).next();
        let scratch = Scratch::new("open").map_err(|error| error.to_string())?;
        project.write(scratch.path()).map_err(|error| error.to_string())?;
        counts.programs += 1;
        let claimed = match claims(&project, scratch.path(), lot, self.time) {
            Ok(claimed) => claimed,
            Err(_) => {
                counts.unread += 1;
                Default::default()
            }
        };
        counts.queries += claimed.queries;
        counts.claims += claimed.claims.len();
        counts.refuted += claimed.claims.iter().filter(|claim| claim.by.ends_with("FALSE")).count();
        let wrong = if claimed.claims.is_empty() {
            Vec::new()
        } else {
            counts.runs += 1;
            self.contradicted(&project, scratch.path(), lot, &claimed.claims).map_err(|problem| {
                format!("seed {seed}: {problem}\n{}\n/* the rest */\n{}", project.part, project.rest)
            })?
        };
        counts.wrong += wrong.len();
        for feature in &project.features {
            let [programs, claims, wrongs] = counts.features.entry(feature).or_default();
            *programs += 1;
            *claims += claimed.claims.len();
            *wrongs += wrong.len();
        }
        let made = |(claim, contradiction): (Claim, String)| Wrong {
            seed,
            features: project.features.clone(),
            answer: claim.by,
            contradiction,
            project: project.clone(),
        };
        Ok(wrong.into_iter().map(made).collect())
    }

    /// The claims that a run of the whole contradicts.
    fn contradicted(
        &self,
        project: &Project,
        folder: &Path,
        lot: u64,
        claims: &[Claim],
    ) -> Result<Vec<(Claim, String)>, String> {
        // Where C leaves the order open, compilers may choose any.
        let orders: &[&str] = if project.has_choices { &["-UTURNED", "-DTURNED"] } else { &["-UTURNED"] };
        let optimise = if lot % 4 == 3 { "-O2" } else { "-O0" };
        let mut found: Vec<(Claim, String)> = Vec::new();
        for order in orders {
            let observed: Observed = observe(project, folder, &self.compiler, &[order, optimise])?;
            let against = |claim: &Claim| Some((claim.clone(), contradiction(&claim.what, &observed)?));
            let mut against: Vec<(Claim, String)> = claims.iter().filter_map(against).collect();
            let is_asked = !against.is_empty() || claims.iter().any(|claim| needs_sanitizers(&claim.what));
            if self.has_sanitizers && is_asked {
                let opinion = sanitized(project, folder, &self.compiler, order)?;
                if opinion != Opinion::Clean {
                    against.clear();
                }
                let complaints = |claim: &Claim| Some((claim.clone(), complaint(&claim.what, &opinion)?));
                against.extend(claims.iter().filter_map(complaints));
            }
            found.extend(against);
        }
        found.dedup_by(|one, other| one.0 == other.0);
        Ok(found)
    }
}

impl Wrong {
    /// Writes the program to a folder of its own in a folder, and adds the answer to those that are there.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, folder: &Path) -> std::io::Result<PathBuf> {
        let folder = folder.join(format!("{}-{}", self.features[0], self.seed));
        std::fs::create_dir_all(&folder)?;
        self.project.write(&folder)?;
        let text = format!("{}\n{}\nbut {}\n", self.features.join(", "), self.answer, self.contradiction);
        let mut answers =
            std::fs::OpenOptions::new().create(true).append(true).open(folder.join("answers"))?;
        answers.write_all(text.as_bytes())?;
        Ok(folder)
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "seed {} ({}): {}", self.seed, self.features.join(", "), self.answer)?;
        writeln!(f, "  but {}", self.contradiction)?;
        write!(f, "/* part.c */\n{}/* rest.c */\n{}", self.project.part, self.project.rest)
    }
}
