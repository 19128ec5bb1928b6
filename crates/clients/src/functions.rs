//! Work on many functions, several at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base::Budget;
use base::guard::{STACK_BYTES, guarded};
use program::{ExprKind, FunctionId, Program};
use transform::callees;

/// What is said of what the time does not suffice for.
pub(crate) const TIME_IS_OVER: &str = "the time is over";

/// What is being examined, for whoever waits.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A modular function: its name, its number and how many there are.
    Function(&'a str, usize, usize),
    /// The run of a program without inputs.
    OnlyRun,
    /// Runs that start in a function.
    Runs(&'a str),
}

/// Who is told what is being examined.
pub type Watch<'a> = &'a (dyn Fn(Progress<'_>) + Sync);

/// Those functions among some that a user wants: all, or the one with this name.
pub(crate) fn wanted(program: &Program, mut all: Vec<FunctionId>, name: Option<&str>) -> Vec<FunctionId> {
    all.retain(|function| name.is_none_or(|name| *name == program.functions[*function].name));
    all
}

/// The functions that a function can call, and those that they can call, itself included. A function whose address is
/// taken by any of them is taken to be called.
pub(crate) fn reached(program: &Program, entry: FunctionId) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::from([entry]);
    let mut left = vec![entry];
    while let Some(function) = left.pop() {
        let Some(body) = program.functions[function].body() else { continue };
        let named = body.expressions.values().filter_map(|expression| match expression.kind {
            ExprKind::Function(function) => Some(function),
            _ => None,
        });
        left.extend(callees(body).into_iter().chain(named).filter(|&other| found.insert(other)));
    }
    found
}

/// The only function with a definition that no other one calls, if there is just one.
pub fn root(program: &Program) -> Option<&str> {
    let bodies = program.functions.iter().filter_map(|(id, function)| Some((id, function.body()?)));
    let called: BTreeSet<FunctionId> = bodies
        .flat_map(|(caller, body)| callees(body).into_iter().filter(move |callee| *callee != caller))
        .collect();
    let mut roots =
        program.functions.iter().filter(|(id, function)| function.is_defined() && !called.contains(id));
    match (roots.next(), roots.next()) {
        (Some((_, root)), None) => Some(&root.name),
        _ => None,
    }
}

/// How many functions are analysed at once.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How the time that is left is divided among things that come one after the other, several at a time: each gets a
/// share as if all after it used theirs up. What one does not need goes to those after it.
pub(crate) struct Ration(AtomicUsize);

impl Ration {
    /// For so many things.
    pub fn of(count: usize) -> Self {
        Self(AtomicUsize::new(count))
    }

    /// The time of the next one, which is no more than this.
    pub fn next(&self, budget: &Budget, most: Duration) -> Duration {
        let left = self.0.fetch_sub(1, Ordering::Relaxed).max(1);
        fair(budget, left).min(most)
    }
}

/// The time for each of so many things, if all take as long.
pub(crate) fn fair(budget: &Budget, count: usize) -> Duration {
    let threads = threads().min(count.max(1)) as f64;
    let each = |time: Duration| time.mul_f64(threads / count.max(1) as f64);
    budget.remaining_time().map_or(Duration::MAX, each)
}

/// No round gives a loop less time than this.
const LEAST: Duration = Duration::from_millis(20);

/// How much time a function has in a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// The time of a loop.
    pub loop_time: Duration,
    /// That of the function, if there is not enough for all.
    pub limit: Option<Duration>,
    /// Whether it is the first of several.
    pub is_first: bool,
}

impl Turn {
    /// A loop gets so much time, and a function what it takes.
    pub const fn unlimited(loop_time: Duration) -> Self {
        Self { loop_time, limit: None, is_first: false }
    }

    /// The budget of the function.
    pub fn limited(self, budget: &Budget) -> Budget {
        match self.limit {
            Some(limit) => budget.clone().within(limit),
            None => budget.clone(),
        }
    }
}

/// Which functions are worked on, and with how much time.
pub(crate) struct Rounds<'a> {
    pub program: &'a Program,
    pub functions: &'a [FunctionId],
    /// The most that a loop may take.
    pub most: Duration,
    pub budget: &'a Budget,
    pub watch: Watch<'a>,
}

/// What is done with a function in a round. What is known of it is a `T`.
pub(crate) trait Examined<T>: Sync {
    /// How many loops nothing is known of.
    fn open(&self, known: &T) -> usize;
    /// What is known after a turn.
    fn work(&self, function: FunctionId, known: &T, turn: Turn) -> T;
    /// What is known if a bug of ours came in between.
    fn failed(&self, function: FunctionId, known: &T, problem: &str) -> T;
}

impl Rounds<'_> {
    /// Makes better what is known of functions. If the time suffices for all, each loop may take as long as it may. If it
    /// does not, there are rounds: all loops get the same short time, then those for which it was too short get more.
    /// Gives the functions for which it was too short until the end.
    pub fn run<T: Send + Sync>(
        &self,
        known: &mut BTreeMap<FunctionId, T>,
        examined: &impl Examined<T>,
    ) -> Vec<FunctionId> {
        let mut left: Vec<FunctionId> = self.functions.to_vec();
        let (mut loop_time, mut is_first) = (LEAST / 2, true);
        while loop_time < self.most {
            let open = |function: &FunctionId| known.get(function).map_or(0, |known| examined.open(known));
            let counts: BTreeMap<FunctionId, usize> = left
                .iter()
                .map(|function| (*function, open(function)))
                .filter(|(_, open)| *open > 0)
                .collect();
            left.retain(|function| counts.contains_key(function));
            if left.is_empty() || self.is_over() {
                break;
            }
            let fair = fair(self.budget, counts.values().sum());
            let is_enough = fair >= self.most;
            let least = 2 * loop_time;
            loop_time = if is_enough { self.most } else { (fair / 2).clamp(least, least.max(self.most)) };
            let turn = |function: FunctionId| {
                let limit = loop_time.saturating_mul(u32::try_from(counts[&function]).unwrap_or(u32::MAX));
                Turn { loop_time, limit: (!is_enough).then_some(limit), is_first: is_first && !is_enough }
            };
            let found = self.round(&left, known, examined, turn);
            let mut again = Vec::new();
            for (function, found) in left.into_iter().zip(found) {
                // The first round tries only what costs little.
                let is_short = |time: Duration| !is_enough && (is_first || time >= loop_time);
                let was_short = found.as_ref().is_none_or(|(_, time)| is_short(*time));
                if let Some((found, _)) = found {
                    known.insert(function, found);
                }
                if was_short {
                    again.push(function);
                }
            }
            (left, is_first) = (again, false);
        }
        left
    }

    /// One turn of each function, and how long it took. Nothing for those for which there was no time.
    fn round<T: Send + Sync>(
        &self,
        functions: &[FunctionId],
        known: &BTreeMap<FunctionId, T>,
        examined: &impl Examined<T>,
        turn: impl Fn(FunctionId) -> Turn + Sync,
    ) -> Vec<Option<(T, Duration)>> {
        let work = |function: FunctionId| {
            let start = Instant::now();
            if self.is_over() {
                return None;
            }
            let found = examined.work(function, &known[&function], turn(function));
            Some((found, start.elapsed()))
        };
        let failed = |function: FunctionId, problem: &str| {
            Some((examined.failed(function, &known[&function], problem), Duration::ZERO))
        };
        for_each_function(self.program, functions, self.watch, work, failed)
    }

    fn is_over(&self) -> bool {
        self.budget.clone().spend(0).is_err()
    }
}

/// What is found out about each of some functions, in their order. A bug of ours costs the function in which it shows:
/// `failed` gets its message.
pub(crate) fn for_each_function<T: Send>(
    program: &Program,
    functions: &[FunctionId],
    watch: Watch<'_>,
    work: impl Fn(FunctionId) -> T + Sync,
    failed: impl Fn(FunctionId, &str) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    let all = |is_first: bool| {
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(&function) = functions.get(place)
        {
            if is_first {
                watch(Progress::Function(&program.functions[function].name, place + 1, functions.len()));
            }
            let outcome = guarded(|| work(function))
                .unwrap_or_else(|problem| failed(function, &format!("internal error: {problem}")));
            if let Ok(mut found) = found.lock() {
                found.push((place, outcome));
            }
        }
    };
    let threads = threads().min(functions.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // A thread less is only slower.
            _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || all(false));
        }
        all(true);
    });
    let mut found = found.into_inner().unwrap_or_default();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loops of which nothing is known before they were looked at twice.
    struct Hard(Mutex<Vec<(FunctionId, Turn)>>);

    impl Examined<u32> for Hard {
        fn open(&self, known: &u32) -> usize {
            usize::from(*known < 2)
        }

        fn work(&self, function: FunctionId, known: &u32, turn: Turn) -> u32 {
            self.0.lock().expect("nobody panics").push((function, turn));
            known + 1
        }

        fn failed(&self, _: FunctionId, known: &u32, _: &str) -> u32 {
            *known
        }
    }

    fn turns(budget: &Budget, most: Duration) -> (Vec<(FunctionId, Turn)>, Vec<FunctionId>) {
        let text: String = (0..9).map(|one| format!("function f{one}() {{ b0: return }}\n")).collect();
        let program = parser::parse(&format!("data_model LP64\n{text}")).expect("it parses");
        let functions: Vec<FunctionId> = program.functions.ids().collect();
        let mut known = functions.iter().map(|&function| (function, 0)).collect();
        let hard = Hard(Mutex::default());
        let rounds = Rounds { program: &program, functions: &functions, most, budget, watch: &|_| {} };
        let left = rounds.run(&mut known, &hard);
        (hard.0.into_inner().expect("nobody panics"), left)
    }

    #[test]
    fn every_function_has_a_turn_before_one_has_two() {
        let most = Duration::from_secs(100);
        let (turns, left) = turns(&Budget::unlimited().within(Duration::from_secs(60)), most);
        let (first, second) = turns.split_at(9);
        assert!(first.iter().all(|(_, turn)| turn.is_first && turn.limit.is_some()), "{turns:?}");
        assert!(second.iter().all(|(_, turn)| !turn.is_first && turn.loop_time >= 2 * first[0].1.loop_time));
        assert_eq!((second.len(), left.len()), (9, 0));
    }

    #[test]
    fn there_are_no_rounds_where_the_time_suffices() {
        let most = Duration::from_secs(1);
        let (turns, left) = turns(&Budget::unlimited(), most);
        assert!(turns.iter().all(|(_, turn)| turn.limit.is_none() && turn.loop_time == most), "{turns:?}");
        assert_eq!((turns.len(), left.len()), (9, 0));
    }

    #[test]
    fn what_there_is_no_time_for_is_told() {
        let (turns, left) = turns(&Budget::unlimited().within(Duration::ZERO), Duration::from_secs(1));
        assert_eq!((turns.len(), left.len()), (0, 9));
    }
}
