//! The four types of loops (Table 1): by whether all conditions are on induction variables, and by whether all executions
//! are sequential or periodic.

use super::Automaton;
use super::trace::Traces;

impl Automaton {
    /// The type of the loop, by its traces, as the paper numbers them.
    pub fn classify(&self, traces: &Traces) -> u8 {
        let irregular = !traces.complete || traces.irregular;
        match (self.has_other_conditions(), irregular) {
            (false, false) => 1,
            (false, true) => 2,
            (true, false) => 3,
            (true, true) => 4,
        }
    }

    /// Whether a condition is not one on induction variables that move monotonically.
    fn has_other_conditions(&self) -> bool {
        self.paths.iter().zip(&self.segments).any(|(path, segment)| {
            path.partial
                || segment.as_ref().is_some_and(|segment| {
                    path.conditions.iter().any(|atom| {
                        let sequence = segment.form.sequence(&self.definitions, &atom.number);
                        sequence.and_then(|sequence| sequence.steps()).is_none()
                    })
                })
        })
    }
}
