//! Functions that call each other, as one loop: each iteration is a call in a call.
//!
//! As for a function that calls itself ([`super::self_call`]): a chain of calls, each made while the one before is active,
//! is a run of this program that goes to the head at each of them, whichever of the functions it begins in. The functions
//! share one station ([`super::stations`]), and are put together when each stands on its own: then they have no memory.

use program::{BlockId, Body, FunctionId};

use super::stations::{Cut, Joined, Plan};
use crate::modular::{ModularFunctions, Observed};
use crate::pieces::any;

/// The function in which the calls of some functions by each other are a loop of the first of them, which stands on its own,
/// and the head of the loop. Its parameters are those of the first function. It observes some variables of the program.
///
/// **Theorem.** For every chain of calls among the functions that begins in the first of them, each made while the one before
/// is active, the new function has a run that comes to the head once for each of them.
///
/// **Lost:** what [`crate::modular`] loses, and what calls that return give. Nothing if one of the functions is not called as it
/// is defined.
pub fn mutual_calls_as_loop(
    functions: &ModularFunctions<'_>,
    circle: &[FunctionId],
    observed: &Observed,
) -> Option<(Body, BlockId)> {
    let program = functions.program();
    let first = *circle.first()?;
    let plan = Plan::new(program, vec![circle.to_vec()])?;
    let mut parts = Vec::new();
    for &function in circle {
        let mut body = program.functions[function].body()?.clone();
        let part = plan.cut_calls(&mut body, Cut::Choice)?;
        functions.rewrite(&mut body, observed);
        parts.push((function, body, part));
    }
    let location = program.functions[first].location;
    let mut joined = Joined::new(&plan, Body::default(), location);
    // The slots of the first function are the first ones, in its order.
    let parameters = program.functions[first].parameters.len().min(joined.slots.len());
    joined.body.parameters = joined.slots[..parameters].to_vec();
    let others = &joined.slots[parameters..];
    let entry = others.iter().map(|&slot| any(slot, "a call", location)).collect();
    joined.add_entry(entry, 0, location);
    for (function, body, part) in &parts {
        joined.add_function(*function, body, part, |_| true, location)?;
    }
    let (body, heads) = joined.finish()?;
    Some((body, *heads.first()?))
}

#[cfg(test)]
mod tests {
    use program::Terminator;

    use super::*;
    use crate::recursion::RecursionLoop;

    fn circle(text: &str, names: &[&str]) -> Option<RecursionLoop> {
        let program = parser::parse(text).expect("the test's program parses");
        let circle: Vec<FunctionId> =
            names.iter().map(|name| program.function_named(name).expect("it is there")).collect();
        ModularFunctions::of(&program).recursion(&circle)
    }

    #[test]
    fn calls_lead_to_the_head_by_slots() {
        let text = "data_model LP64
            function even(%n: u32) -> i32 { temporary %t: i32
              b0: if %n == 0:u32 goto b1 else b2
              b1: return 1:i32
              b2: %t := call odd(%n - 1:u32) return %t }
            function odd(%m: u32) -> i32 { temporary %t: i32
              b0: if %m == 0:u32 goto b1 else b2
              b1: return 0:i32
              b2: %t := call even(%m - 1:u32) return %t }";
        let nested = circle(text, &["even", "odd"]).expect("they call each other");
        let first = nested.program.function_named("even").expect("it is there");
        let body = nested.program.functions[first].body().expect("it has a body");
        let back = body.blocks.iter().filter(|(_, block)| block.terminator == Terminator::Goto(nested.head));
        assert_eq!(back.count(), 3, "the entry and two calls");
        let slots = body.variables.iter().filter(|(_, variable)| variable.name == "n").count();
        assert_eq!((body.parameters.len(), slots), (1, 2), "the slot has the name of the first parameter");
    }

    #[test]
    fn calls_that_do_not_fit_are_refused() {
        let text = "data_model LP64
            function a(%n: i32) { b0: call b() return }
            function b(%n: i32) { b0: call a(%n) return }";
        assert!(circle(text, &["a", "b"]).is_none());
    }
}
