//! Times the operations of every domain on random elements of 8, 16, 32 and 64 dimensions, and prints a table.
//!
//! Usage: `cargo run --release -p loopscope-domains --example operations [-- DOMAIN...]`

use std::hint::black_box;
use std::time::{Duration, Instant};

use base::{Budget, Index};
use logic::numbers::Rational;
use loopscope_domains::fixpoint::{Failure, Solution, solve};
use loopscope_domains::order::{Edge, Graph, Node};
use loopscope_domains::polyhedra::Polyhedra;
use loopscope_domains::{
    Congruences, Constraint, Dimension, Disjunction, Domain, Expression, Intervals, Octagon, Product,
};

/// A measurement ends after this time.
const TIME: Duration = Duration::from_millis(40);
const SIZES: [usize; 4] = [8, 16, 32, 64];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    println!("microseconds for one operation; sparse: pairs of neighbours are related, dense: all of them\n");
    println!("{:12} {:7} {:10} {:>9} {:>9} {:>9} {:>9}", "domain", "element", "operation", 8, 16, 32, 64);
    let run = |name: &str, table: fn(&str)| {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            table(name);
        }
    };
    run("intervals", table::<Intervals>);
    run("congruences", table::<Congruences>);
    run("octagon", table::<Octagon>);
    run("polyhedra", table::<Polyhedra>);
    run("product", table::<Product<Octagon, Congruences>>);
    run("disjunction", table::<Disjunction<Octagon>>);
}

/// An operation on two elements, given the number of the repetition.
type Operation<D> = (&'static str, fn(&D, &D, usize));

fn operations<D: Domain>() -> [Operation<D>; 10] {
    [
        ("join", |a, b, _| drop(black_box(a.join(b)))),
        ("meet", |a, b, _| drop(black_box(a.meet(b)))),
        ("include", |a, b, _| {
            black_box(a.is_included(b));
        }),
        ("increment", |a, _, round| {
            let target = variable(round % a.dimensions());
            assign(a, target, &(&Expression::variable(target) + &Expression::constant(1)));
        }),
        ("copy", |a, _, round| {
            let source = Expression::variable(variable((round + 1) % a.dimensions()));
            assign(a, variable(round % a.dimensions()), &(&source + &Expression::constant(1)));
        }),
        ("sum", |a, _, round| {
            let terms =
                [1, 2].map(|step| (variable((round + step) % a.dimensions()), Rational::from(step as i64)));
            assign(a, variable(round % a.dimensions()), &Expression::new(terms, 1));
        }),
        ("assume", |a, _, round| {
            let (one, two) = (variable(round % a.dimensions()), variable((round + 3) % a.dimensions()));
            let mut element = a.clone();
            element.assume(&Constraint::less(&Expression::variable(one), &Expression::variable(two)));
            black_box(element);
        }),
        ("widen", |a, b, _| drop(black_box(a.widen(b, &[])))),
        ("closure", |a, _, _| {
            // What a widening leaves is closed by whoever asks for a range.
            let widened = a.widen(a, &[]);
            black_box(widened.range(&Expression::variable(variable(0))));
        }),
        ("fixpoint", |a, _, _| drop(black_box(nested_loops(a)))),
    ]
}

fn variable(at: usize) -> Dimension {
    Dimension(at as u32)
}

/// `for (x = 0; x < 10; x++) for (y = x; y < z; y++);` in a state in which other coordinates are related, too.
fn nested_loops<D: Domain>(start: &D) -> Result<Solution<D>, Failure> {
    let [x, y, z] = [0, 1, 2].map(|at| Expression::variable(variable(at)));
    let (one, ten) = (Expression::constant(1), Expression::constant(10));
    let mut graph = Graph::new(4);
    for (from, to) in [(0, 1), (1, 2), (2, 2), (2, 1), (1, 3)] {
        graph.connect(Node::new(from), Node::new(to));
    }
    let transfer = |edge: Edge, element: &D| {
        let mut element = element.clone();
        let (constraint, target, value) = match edge.index() {
            0 => (None, 0, Expression::zero()),
            1 => (Some(Constraint::less(&x, &ten)), 1, x.clone()),
            2 => (Some(Constraint::less(&y, &z)), 1, &y + &one),
            3 => (Some(Constraint::at_most(&z, &y)), 0, &x + &one),
            _ => (Some(Constraint::at_most(&ten, &x)), 0, x.clone()),
        };
        constraint.iter().for_each(|constraint| element.assume(constraint));
        element.assign(variable(target), &value);
        element
    };
    let starts = [(Node::new(0), start.clone())];
    solve(&graph, &starts, transfer, &[], &mut Budget::unlimited())
}

fn assign<D: Domain>(element: &D, target: Dimension, value: &Expression) {
    let mut element = element.clone();
    element.assign(target, value);
    black_box(element);
}

/// Sizes are left out once an operation has taken this many microseconds: domains can be exponential.
const SLOW: f64 = 20_000.0;

fn table<D: Domain>(name: &str) {
    for (kind, is_dense) in [("sparse", false), ("dense", true)] {
        let operations = operations::<D>();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for size in SIZES {
            if columns.iter().flatten().all(|time| *time < SLOW) {
                let (a, b) = pair::<D>(size, is_dense);
                columns.push(operations.iter().map(|(_, run)| time(|round| run(&a, &b, round))).collect());
            }
        }
        for (at, (operation, _)) in operations.iter().enumerate() {
            let cells = columns.iter().map(|column| format!(" {:>9.2}", column[at]));
            println!("{name:12} {kind:7} {operation:10}{}", cells.collect::<String>());
        }
    }
}

/// Microseconds for one call.
fn time(mut call: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    let mut rounds = 0;
    while start.elapsed() < TIME {
        call(rounds);
        rounds += 1;
    }
    start.elapsed().as_secs_f64() * 1e6 / rounds as f64
}

/// Two elements, the second a little larger in some directions and smaller in others.
fn pair<D: Domain>(dimensions: usize, is_dense: bool) -> (D, D) {
    let element = |seed: i64| {
        let mut element = D::top(dimensions);
        for at in 0..dimensions {
            let (x, next) =
                (Expression::variable(variable(at)), Expression::variable(variable((at + 1) % dimensions)));
            let (low, high) =
                (Expression::constant(-(at as i64) - seed), Expression::constant(100 + at as i64 * seed));
            if is_dense || at % 2 == 0 {
                element
                    .assume(&Constraint::at_most(&x, &(&next + &Expression::constant(at as i64 % 7 + seed))));
            }
            if is_dense {
                element.assume(&Constraint::at_most(&low, &x));
                element.assume(&Constraint::at_most(&x, &high));
            }
        }
        element
    };
    (element(1), element(2))
}
