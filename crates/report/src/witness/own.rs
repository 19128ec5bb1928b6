//! Our own part of a witness: what the exchange format has no words for, so that a proof can be checked from the file
//! alone. It stands as text where the format keeps descriptions, which other readers skip.
//!
//! ```text
//! integers machine              what integers are, and where runs start
//! entry main
//! iterations 0                  how the kernel examined the program (`ProofMode`)
//! recursion 2
//! calls 200
//! overflow excluded             or `any`, or `wraps`
//! abstraction 1                 missing where loops are only followed
//! decided 130
//! only-run yes                  in place of all that: the program takes no inputs, and its only run was made
//! shapes {…}                    in place of all that: the shapes of its lists with ranks, as JSON
//! contract fib                  what holds of every call of a function
//! requires start(n) >= 0
//! ensures $result >= 0
//! loop 0 main sum.c:4:3         what holds of one abstract loop: invariants in the text form of evidence,
//! invariant entry(i) <= i
//! left lexicographic            and why it is left: ranking, lexicographic, multiphase or nested with its ranks,
//! rank n - i
//! rank m - j
//! left disjunction              or a relation, each part with the reason why it has no infinite chain
//! part x' < x && x >= 0
//! ranked x
//! part y' > y
//! ordered
//! ```
//!
//! A violation has the inputs of its run in the form of [`crate::inputs`], from `[run]` on. Before it stands, for a run that
//! never ends, the set of states that it does not leave.

use std::fmt::Write;
use std::str::FromStr;

use evidence::{
    AbstractionMode, Choice, Contract, Counterexample, Expression, Failure, Formula, Integers, ProofMode,
    Ranking, Shapes, Statement, Termination, TransitionInvariant, WellFounded,
};

use super::Problem;
use crate::inputs::{self, Inputs};
use crate::json::{of_word, word};

/// The first line, which tells our part from what others describe.
const TITLE: &str = "Loopscope's own part of the witness, read by `loopscope certify`";

/// What our part says of a proof.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnProof {
    /// What integers are.
    pub integers: Integers,
    /// The function that runs start in.
    pub entry: String,
    /// How the kernel examined the program.
    pub mode: ProofMode,
    /// What is claimed of abstract loops, each with its line in the text, from zero.
    pub claims: Vec<OwnClaim>,
    /// The contracts of functions.
    pub contracts: Vec<Contract>,
    /// The shapes of lists, if that is the proof.
    pub shapes: Option<Shapes>,
}

/// A claim about an abstract loop.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnClaim {
    /// The abstract loop, by its place in the list.
    pub abstract_loop: usize,
    /// What is claimed.
    pub what: Statement,
    /// The line of the text, from zero.
    pub line: usize,
}

/// What our part says of a violation.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnRun {
    /// What the run is given.
    pub inputs: Inputs,
    /// For a run that never ends in a known way: the set that it does not leave.
    pub recurrence: Option<Recurrence>,
}

/// A set of states that a run does not leave.
#[derive(Clone, PartialEq, Debug)]
pub struct Recurrence {
    /// The step at which it comes into the set.
    pub step: u64,
    /// How many iterations lead from a state of the set to the next one.
    pub iterations: u32,
    /// The set.
    pub set: Formula,
    /// What is chosen for the inputs of these iterations.
    pub choices: Vec<Choice>,
}

/// Writes our part of a proof. Of each abstract loop there are a heading and its claims.
pub fn write_proof(
    integers: Integers,
    entry: &str,
    mode: &ProofMode,
    contracts: &[Contract],
    abstract_loops: &[(usize, String, Vec<Statement>)],
) -> String {
    let mut text = heading(integers, entry);
    let ProofMode {
        iterations,
        recursion,
        calls,
        overflow,
        abstract_loops: abstraction_mode,
        only_run,
        chains,
    } = mode;
    if *only_run {
        text.push_str("only-run yes\n");
        return text;
    }
    let _ = writeln!(text, "iterations {iterations}\nrecursion {recursion}\ncalls {calls}");
    let _ = writeln!(text, "overflow {}", word(overflow));
    if let Some(AbstractionMode { iterations, decided }) = abstraction_mode {
        let _ = writeln!(text, "abstraction {iterations}\ndecided {decided}");
    }
    if let Some(chains) = chains {
        let _ = writeln!(text, "chains {}", word(chains));
    }
    for Contract { function, objects, requires, ensures } in contracts {
        let _ = writeln!(text, "contract {function}");
        for object in objects.iter().filter_map(|object| serde_json::to_string(object).ok()) {
            let _ = writeln!(text, "object {object}");
        }
        requires.iter().for_each(|clause| _ = writeln!(text, "requires {clause}"));
        ensures.iter().for_each(|clause| _ = writeln!(text, "ensures {clause}"));
    }
    for (abstract_loop, heading, claims) in abstract_loops {
        let _ = writeln!(text, "loop {abstract_loop} {heading}");
        for claim in claims {
            match claim {
                Statement::LoopInvariant(formula) => _ = writeln!(text, "invariant {formula}"),
                Statement::Left(argument) => left(&mut text, argument),
            }
        }
    }
    text
}

/// Writes our part of a proof by the shapes of lists.
pub fn write_shapes(integers: Integers, entry: &str, shapes: &Shapes) -> String {
    let mut text = heading(integers, entry);
    if let Ok(shapes) = serde_json::to_string(shapes) {
        let _ = writeln!(text, "shapes {shapes}");
    }
    text
}

fn heading(integers: Integers, entry: &str) -> String {
    format!("{TITLE}\nintegers {}\nentry {entry}\n", word(&integers))
}

fn left(text: &mut String, argument: &Termination) {
    let ranks = |text: &mut String, kind: &str, ranks: &[Expression]| {
        let _ = writeln!(text, "left {kind}");
        ranks.iter().for_each(|rank| _ = writeln!(text, "rank {rank}"));
    };
    match argument {
        Termination::Ranking(Ranking::Linear(rank)) => ranks(text, "ranking", std::slice::from_ref(rank)),
        Termination::Ranking(Ranking::Lexicographic(all)) => ranks(text, "lexicographic", all),
        Termination::Ranking(Ranking::Multiphase(all)) => ranks(text, "multiphase", all),
        Termination::Ranking(Ranking::Nested(all)) => ranks(text, "nested", all),
        Termination::Disjunctive { invariant, arguments } => {
            text.push_str("left disjunction\n");
            for (disjunct, argument) in invariant.disjuncts.iter().zip(arguments) {
                let _ = writeln!(text, "part {disjunct}");
                match argument {
                    WellFounded::Ranking(rank) => _ = writeln!(text, "ranked {rank}"),
                    WellFounded::FiniteOrder => text.push_str("ordered\n"),
                }
            }
        }
    }
}

/// Writes our part of a violation.
pub fn write_run(counterexample: &Counterexample) -> String {
    let mut text = format!("{TITLE}\n");
    if let Failure::Recurrence { step, iterations, set, choices, .. } = &counterexample.failure {
        let _ = writeln!(text, "step {step}\nperiod {iterations}\nset {set}");
        for Choice { name, ty, number } in choices {
            let _ = writeln!(text, "choice {ty} {name} = {number}");
        }
    }
    text.push_str(&inputs::write(counterexample));
    text
}

/// Whether a description is our part.
pub fn is_ours(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.trim() == TITLE)
}

/// Reads our part of a proof.
///
/// # Errors
/// If a line is not understood. The line counts from zero.
pub fn read_proof(text: &str) -> Result<OwnProof, Problem> {
    let mut own = OwnProof { entry: String::from("main"), ..OwnProof::default() };
    let mut abstract_loop = None;
    let mut lines = text.lines().enumerate().skip(1).peekable();
    while let Some((number, line)) = lines.next() {
        let problem = |text: String| Problem { line: number, text };
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let about = || abstract_loop.ok_or_else(|| problem(String::from("`loop NUMBER` must come first")));
        match word {
            "" => {}
            "loop" => {
                abstract_loop = Some(number_of(rest.split(' ').next().unwrap_or_default()).map_err(problem)?)
            }
            "shapes" => {
                let shapes = serde_json::from_str(rest);
                own.shapes = Some(shapes.map_err(|error| problem(format!("no shapes of lists: {error}")))?);
            }
            "contract" => {
                own.contracts.push(Contract::ensuring(rest.to_owned(), Vec::new()));
            }
            "object" => {
                let object = serde_json::from_str(rest)
                    .map_err(|error| problem(format!("nothing that a pointer points to: {error}")))?;
                let missing = || problem(String::from("`contract FUNCTION` must come first"));
                own.contracts.last_mut().ok_or_else(missing)?.objects.push(object);
            }
            "requires" | "ensures" => {
                let clause = read(rest).map_err(problem)?;
                let missing = || problem(String::from("`contract FUNCTION` must come first"));
                let contract = own.contracts.last_mut().ok_or_else(missing)?;
                match word {
                    "requires" => contract.requires.push(clause),
                    _ => contract.ensures.push(clause),
                }
            }
            "invariant" => {
                let what = Statement::LoopInvariant(read(rest).map_err(problem)?);
                own.claims.push(OwnClaim { abstract_loop: about()?, what, line: number });
            }
            "left" => {
                let mut following = Vec::new();
                while let Some((number, line)) = lines.next_if(|(_, line)| is_argument(line)) {
                    following.push((number, line.trim()));
                }
                let what = Statement::Left(
                    argument(rest, &following)
                        .map_err(|(line, text)| Problem { line: line.unwrap_or(number), text })?,
                );
                own.claims.push(OwnClaim { abstract_loop: about()?, what, line: number });
            }
            _ => setting(&mut own, word, rest).map_err(problem)?,
        }
    }
    Ok(own)
}

fn setting(own: &mut OwnProof, word: &str, value: &str) -> Result<(), String> {
    let mode = &mut own.mode;
    let unknown = || format!("`{word} {value}` is not understood");
    let abstraction_mode = AbstractionMode { iterations: 1, decided: 0 };
    match word {
        "integers" => own.integers = of_word(value).ok_or_else(unknown)?,
        "entry" => own.entry = value.to_owned(),
        "iterations" => mode.iterations = number_of(value)?,
        "recursion" => mode.recursion = number_of(value)?,
        "calls" => mode.calls = number_of(value)?,
        "abstraction" => mode.abstract_loops.get_or_insert(abstraction_mode).iterations = number_of(value)?,
        "decided" => mode.abstract_loops.get_or_insert(abstraction_mode).decided = number_of(value)?,
        "only-run" if value == "yes" => mode.only_run = true,
        "chains" => mode.chains = Some(of_word(value).ok_or_else(unknown)?),
        "overflow" => mode.overflow = of_word(value).ok_or_else(unknown)?,
        _ => return Err(unknown()),
    }
    Ok(())
}

fn number_of<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected a number, not `{text}`"))
}

fn read<T: FromStr<Err = evidence::TextError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| format!("{error} of `{text}`"))
}

fn is_argument(line: &str) -> bool {
    let word = line.trim().split(' ').next();
    matches!(word, Some("rank" | "part" | "ranked" | "ordered"))
}

/// Reads the lines after `left KIND`. An error has the line, if it is one of them.
fn argument(kind: &str, lines: &[(usize, &str)]) -> Result<Termination, (Option<usize>, String)> {
    if kind == "disjunction" {
        return disjunction(lines);
    }
    let mut ranks: Vec<Expression> = Vec::new();
    for (number, line) in lines {
        let rest = line.strip_prefix("rank ").ok_or((Some(*number), String::from("expected `rank`")))?;
        ranks.push(read(rest).map_err(|text| (Some(*number), text))?);
    }
    let only = |mut ranks: Vec<Expression>| (ranks.len() == 1).then(|| ranks.remove(0));
    Ok(Termination::Ranking(match kind {
        "ranking" => {
            Ranking::Linear(only(ranks).ok_or((None, String::from("expected one line with `rank`")))?)
        }
        "lexicographic" => Ranking::Lexicographic(ranks),
        "multiphase" => Ranking::Multiphase(ranks),
        "nested" => Ranking::Nested(ranks),
        _ => return Err((None, format!("there is no argument `{kind}`"))),
    }))
}

fn disjunction(lines: &[(usize, &str)]) -> Result<Termination, (Option<usize>, String)> {
    let (mut disjuncts, mut arguments) = (Vec::new(), Vec::new());
    for pair in lines.chunks(2) {
        let expected = |text: &str| (Some(pair[0].0), format!("expected {text}"));
        let [(first, part), (second, reason)] = pair else {
            return Err(expected("`ranked` or `ordered` after each `part`"));
        };
        let part = part.strip_prefix("part ").ok_or_else(|| expected("`part`"))?;
        disjuncts.push(read(part).map_err(|text| (Some(*first), text))?);
        arguments.push(match reason.strip_prefix("ranked ") {
            Some(rank) => WellFounded::Ranking(read(rank).map_err(|text| (Some(*second), text))?),
            None if *reason == "ordered" => WellFounded::FiniteOrder,
            None => return Err(expected("`ranked` or `ordered` after each `part`")),
        });
    }
    Ok(Termination::Disjunctive { invariant: TransitionInvariant { disjuncts }, arguments })
}

/// Reads our part of a violation.
///
/// # Errors
/// If a line is not understood. The line counts from zero.
pub fn read_run(text: &str) -> Result<OwnRun, Problem> {
    let (mut step, mut iterations, mut set, mut choices) = (None, 1, None, Vec::new());
    let mut offset = 0;
    for (number, line) in text.lines().enumerate().skip(1) {
        let line = line.trim();
        offset = number;
        if line.starts_with('[') || line.starts_with('#') {
            break;
        }
        let problem = |text: String| Problem { line: number, text };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" => {}
            "step" => step = Some(number_of(rest).map_err(problem)?),
            "period" => iterations = number_of(rest).map_err(problem)?,
            "set" => set = Some(read(rest).map_err(problem)?),
            "choice" => {
                let parts = rest.split_once(' ').and_then(|(ty, rest)| Some((ty, rest.rsplit_once(" = ")?)));
                let (ty, (name, choice)) =
                    parts.ok_or_else(|| problem(String::from("expected `choice TYPE NAME = NUMBER`")))?;
                let number = read(choice).map_err(problem)?;
                choices.push(Choice { name: name.to_owned(), ty: ty.to_owned(), number });
            }
            _ => return Err(problem(format!("`{word}` is not understood"))),
        }
    }
    let rest: Vec<&str> = text.lines().skip(offset).collect();
    let inputs = inputs::read(&rest.join("\n"))
        .map_err(|problem| Problem { line: offset + problem.line - 1, ..problem })?;
    let recurrence = match (step, set) {
        (Some(step), Some(set)) => Some(Recurrence { step, iterations, set, choices }),
        _ => None,
    };
    Ok(OwnRun { inputs, recurrence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Overflow;

    fn ranks(texts: &[&str]) -> Vec<Expression> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn proofs_are_read_back() {
        let loop_invariant = |text: &str| Statement::LoopInvariant(text.parse().unwrap());
        let ranking = |ranking| Statement::Left(Termination::Ranking(ranking));
        let invariant = TransitionInvariant {
            disjuncts: vec!["x' < x && x >= 0".parse().unwrap(), "y' > y".parse().unwrap()],
        };
        let arguments = vec![WellFounded::Ranking("x".parse().unwrap()), WellFounded::FiniteOrder];
        let abstract_loops = vec![
            (
                0,
                String::from("main a.c:1:2"),
                vec![loop_invariant("entry(i) <= i"), ranking(Ranking::Linear(ranks(&["n - i"]).remove(0)))],
            ),
            (3, String::from("f"), vec![ranking(Ranking::Lexicographic(ranks(&["a", "b"])))]),
            (
                4,
                String::new(),
                vec![
                    ranking(Ranking::Multiphase(ranks(&["a", "b"]))),
                    ranking(Ranking::Nested(ranks(&["a"]))),
                ],
            ),
            (5, String::new(), vec![Statement::Left(Termination::Disjunctive { invariant, arguments })]),
        ];
        let mode = ProofMode::abstraction(2, Overflow::Any);
        let text = write_proof(Integers::Mathematical, "start", &mode, &[], &abstract_loops);
        assert!(is_ours(&text));
        let own = read_proof(&text).unwrap();
        assert_eq!((own.integers, own.entry.as_str(), own.mode), (Integers::Mathematical, "start", mode));
        let expected: Vec<_> = abstract_loops
            .into_iter()
            .flat_map(|(abstract_loop, _, all)| all.into_iter().map(move |one| (abstract_loop, one)))
            .collect();
        let found: Vec<_> = own.claims.into_iter().map(|claim| (claim.abstract_loop, claim.what)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn nonsense_is_refused_with_its_line() {
        let problem = |text: &str| {
            let problem = read_proof(&format!("{TITLE}\n{text}")).unwrap_err();
            format!("{}: {}", problem.line, problem.text)
        };
        assert_eq!(problem("invariant x == 1"), "1: `loop NUMBER` must come first");
        assert_eq!(problem("loop 0\ninvariant x =="), "2: expected an expression at byte 4 of `x ==`");
        assert_eq!(problem("loop x"), "1: expected a number, not `x`");
        assert_eq!(problem("loop 0\nleft ranking\nrank"), "3: expected `rank`");
        assert_eq!(
            problem("loop 0\nleft disjunction\npart x' < x"),
            "3: expected `ranked` or `ordered` after each `part`"
        );
        assert_eq!(problem("colour red"), "1: `colour red` is not understood");
    }
}
