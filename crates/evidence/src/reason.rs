//! Why there is no verdict. Every reason has a name, and a place in the source if there is one.

use base::Stop;
use program::Obligation;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::alarm::Alarm;
use crate::counterexample::obligation_name;
use crate::place::Place;

/// Why a query has no answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// No run violates the property as far as the search went, and no engine proves it.
    NotProved {
        /// The property.
        property: String,
        /// How many runs were tried.
        runs: u64,
    },
    /// The program has no function to start from.
    NoEntry {
        /// The name of the missing function.
        function: String,
    },
    /// A function has a construct that the program representation cannot express.
    Unsupported {
        /// The construct.
        construct: String,
        /// Where it stands.
        place: Option<Place>,
    },
    /// The work ended early.
    Budget {
        /// What ran out.
        #[serde(with = "stop_name")]
        stop: Stop,
    },
    /// Runs have undefined behaviour of another kind: after that a program may do anything, and a run shows nothing.
    Undefined {
        /// What went wrong first.
        #[serde(with = "obligation_name")]
        obligation: Obligation,
        /// Where.
        place: Option<Place>,
    },
    /// The only violating runs passed something that the interpreter does not model exactly.
    Imprecise {
        /// What it is.
        what: String,
        /// Where.
        place: Option<Place>,
    },
    /// The property holds on an assumption that the user does not allow.
    Assumption {
        /// What is assumed, as the end of the sentence "assuming that …".
        what: String,
    },
    /// Some runs go on where the unrolling of loops and calls ended.
    Unfinished {
        /// What goes on: `a loop`, `a recursion`.
        what: String,
        /// How many iterations were examined.
        iterations: u64,
        /// Where.
        place: Option<Place>,
    },
    /// Nothing was found that shows that a loop is left.
    NoRank {
        /// Where the loop stands.
        place: Option<Place>,
    },
    /// A witness does not show what it is to show.
    NotConfirmed {
        /// What the kernel does not accept, in words.
        what: String,
        /// Where the witness says it, or the loop that it is about.
        place: Option<Place>,
    },
    /// A run went wrong when it was found, but not when it was repeated.
    NotReplayed {
        /// Where it went wrong the first time.
        place: Option<Place>,
    },
    /// What is known of the loops allows control to come there, but no run was found that does.
    NoRun {
        /// The loop about which more would have to be known, if it is one.
        place: Option<Place>,
    },
    /// The program whose loops are abstracted violates an obligation, and no run was found that does; or a run does
    /// that rests on what some file holds.
    Alarm {
        /// The abstract counterexample, or for such a run its inputs alone.
        alarm: Box<Alarm>,
    },
    /// Control comes there only after an obligation that holds on no path as far as anybody knows.
    Behind {
        /// What that obligation is.
        #[serde(with = "obligation_name")]
        obligation: Obligation,
        /// Where it stands.
        place: Option<Place>,
    },
    /// The solver did not decide a query in the time that there is for one.
    Undecided {
        /// What the query is about.
        place: Option<Place>,
    },
    /// The source has errors: what is missing could change every answer.
    SourceErrors {
        /// How many.
        count: usize,
        /// The first message.
        message: String,
        /// Where.
        place: Option<Place>,
    },
    /// Loopscope itself went wrong.
    Internal {
        /// What it was doing, or the function it was at.
        at: String,
        /// What went wrong.
        message: String,
    },
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::NotProved { property, runs } => {
                write!(f, "not proved: no proof engine for {property} found a proof, and ")?;
                match runs {
                    1 => f.write_str("the one run tried shows no violation"),
                    _ => write!(f, "none of {runs} runs shows a violation"),
                }
            }
            Reason::NoEntry { function } => {
                write!(f, "no function {function}: name the function to analyse with --function NAME")
            }
            Reason::Unsupported { construct, place } => write!(f, "unsupported: {construct}{}", At(place)),
            Reason::Budget { stop: Stop::Interrupted } => f.write_str("interrupted"),
            Reason::Budget { stop } => write!(f, "{stop} reached"),
            Reason::Undefined { obligation: Obligation::Contract, place } => {
                write!(f, "a contract does not hold{}", At(place))
            }
            Reason::Undefined { obligation, place } => {
                write!(f, "undefined behaviour of another kind: {obligation}{}", At(place))
            }
            Reason::Assumption { what } => write!(f, "holds only if {what}"),
            Reason::Imprecise { what, place } => write!(f, "not modelled exactly: {what}{}", At(place)),
            Reason::Unfinished { what, iterations, place } => {
                let es = if *iterations == 1 { "" } else { "s" };
                write!(f, "{what} goes on after {iterations} iteration{es}{}", At(place))
            }
            Reason::NoRank { place } => {
                write!(f, "no number was found that the iterations of the loop{} decrease", At(place))
            }
            Reason::NoRun { place: None } => f.write_str("nothing rules it out, but no run was found"),
            Reason::NoRun { place } => {
                write!(f, "what is known of the loop{} allows it, but no run was found", At(place))
            }
            Reason::NotConfirmed { what, place } => write!(f, "not confirmed: {what}{}", At(place)),
            Reason::NotReplayed { place } => write!(f, "a violation did not happen again{}", At(place)),
            Reason::Alarm { alarm } => {
                write!(f, "may be violated: {}{}", alarm.obligation, At(&alarm.place))?;
                match &alarm.missing {
                    Some(missing) => {
                        write!(f, ", if the loop{} can come to {}", At(&missing.place), missing.state)
                    }
                    None => Ok(()),
                }
            }
            Reason::Behind { obligation, place } => {
                write!(f, "comes after what is not known to hold: {obligation}{}", At(place))
            }
            Reason::Undecided { place } => write!(f, "the solver did not decide the query{}", At(place)),
            Reason::SourceErrors { count, message, place } => {
                let s = if *count == 1 { "" } else { "s" };
                write!(f, "{count} error{s} in the source, the first: {message}{}", At(place))
            }
            Reason::Internal { at, message } => write!(f, "internal error at {at}, please report: {message}"),
        }
    }
}

/// A place after a message, or nothing.
struct At<'a>(&'a Option<Place>);

impl std::fmt::Display for At<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.as_ref().map_or(Ok(()), |place| write!(f, " at {place}"))
    }
}

/// What ran out, in the words that are shown.
mod stop_name {
    use super::*;

    pub fn serialize<S: Serializer>(stop: &Stop, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(stop)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Stop, D::Error> {
        let name = String::deserialize(deserializer)?;
        [Stop::Steps, Stop::Time, Stop::Interrupted]
            .into_iter()
            .find(|stop| stop.to_string() == name)
            .ok_or_else(|| serde::de::Error::custom(format!("no limit is named `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_form_names_the_reason() {
        let place = Some(Place { file: String::from("a.c"), line: 3, column: 7 });
        let reason = Reason::Undefined { obligation: Obligation::SignedOverflow, place };
        assert_eq!(
            serde_json::to_string(&reason).unwrap(),
            r#"{"reason":"undefined","obligation":"signed-overflow","place":{"file":"a.c","line":3,"column":7}}"#
        );
        assert_eq!(reason.to_string(), "undefined behaviour of another kind: signed-overflow at a.c:3:7");
        let reason = Reason::Budget { stop: Stop::Time };
        let json = r#"{"reason":"budget","stop":"time limit"}"#;
        assert_eq!(serde_json::to_string(&reason).unwrap(), json);
        assert_eq!(serde_json::from_str::<Reason>(json).unwrap(), reason);
    }
}
