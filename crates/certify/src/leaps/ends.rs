//! Where paths of the encoding go: which loose ends and which demands control can come to, and what an access touches.

use base::Budget;
use encoding::{Pointer, Value};
use logic::evaluate::Evaluation;
use logic::{Ignorance, Model, Term};
use program::{OverflowOp, Type};

use super::{Effort, Leaping};
use crate::unrolling::shown;

/// An access in a story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryAccess {
    /// The object that it points to, if it points to one.
    pub object: Option<StoryObject>,
    /// How many bytes behind the object's start; of a pointer to no object the address.
    pub offset: i128,
    /// How many bytes are accessed.
    pub bytes: u128,
}

/// An object in a story.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryObject {
    /// Its name.
    pub name: String,
    /// How many bytes it has.
    pub bytes: u128,
}

impl Leaping<'_> {
    /// Which of the loose ends control may come to, by their places in the list. What the solver does not know it may.
    pub fn open_ends(&mut self, effort: Effort, budget: &mut Budget) -> Vec<usize> {
        let conditions: Vec<Term> = self.loose_ends().iter().map(|end| end.reached).collect();
        let mut found = self.true_ones(&conditions, effort, budget);
        found.sort_unstable();
        found
    }

    /// Which of some demands control may come to. What the solver does not know it may.
    pub fn reachable(&mut self, demands: &[usize], effort: Effort, budget: &mut Budget) -> Vec<usize> {
        let guards: Vec<Term> = demands.iter().map(|&demand| self.demands[demand].guard.term()).collect();
        self.true_ones(&guards, effort, budget).into_iter().map(|place| demands[place]).collect()
    }

    /// Whether control may go on after a demand. If not, what comes after it alone is not looked at by anybody.
    pub fn goes_on(&mut self, demand: usize, effort: Effort, budget: &mut Budget) -> bool {
        let (guard, condition) = (self.demands[demand].guard.term(), self.demands[demand].condition);
        !matches!(self.model(&[guard, condition], effort, budget), Ok(None))
    }

    /// Whether a demand is about an access that may be one to an object outside the program. Then the encoding takes it for
    /// violated, and has lost runs on which it is not.
    pub fn may_be_outside(&mut self, demand: usize, effort: Effort, budget: &mut Budget) -> bool {
        let guard = self.demands[demand].guard.term();
        let Some((pointer, _)) = self.demands[demand].access else { return false };
        let Some(outside) = self.encoder.may_be_outside(pointer) else { return false };
        !matches!(self.model(&[guard, outside], effort, budget), Ok(None))
    }

    /// Which of some conditions may be true: a model shows it, or the solver does not know.
    fn true_ones(&mut self, conditions: &[Term], effort: Effort, budget: &mut Budget) -> Vec<usize> {
        let mut found = Vec::new();
        let mut left: Vec<usize> = (0..conditions.len()).collect();
        while !left.is_empty() {
            let Ok(more) = self.some_true(conditions, &left, effort, budget) else {
                // A smaller question may know more.
                let unknown =
                    |place: &usize| !matches!(self.model(&[conditions[*place]], effort, budget), Ok(None));
                found.extend(left.iter().copied().filter(unknown));
                break;
            };
            if more.is_empty() {
                break;
            }
            left.retain(|place| !more.contains(place));
            found.extend(more);
        }
        found
    }

    /// Those of some conditions that a model makes true: none if none can be.
    fn some_true(
        &mut self,
        conditions: &[Term],
        places: &[usize],
        effort: Effort,
        budget: &mut Budget,
    ) -> Result<Vec<usize>, Ignorance> {
        let all: Vec<Term> = places.iter().map(|&place| conditions[place]).collect();
        let some = self.encoder.terms.any(&all);
        let Some(model) = self.model(&[some], effort, budget)? else { return Ok(Vec::new()) };
        let mut values = Evaluation::new(&self.encoder.terms, &model);
        Ok(places.iter().copied().filter(|&place| values.is_true(conditions[place])).collect())
    }

    /// An operation with its operands in a model.
    pub(super) fn computed(
        &self,
        (op, ty, [left, right]): (OverflowOp, Type, [Value; 2]),
        model: &Model,
    ) -> String {
        let mut values = Evaluation::new(&self.encoder.terms, model);
        let symbol = match op {
            OverflowOp::Add => "+",
            OverflowOp::Subtract => "-",
            OverflowOp::Multiply => "*",
            OverflowOp::Divide => "/",
            OverflowOp::ShiftLeft => "<<",
        };
        let left = shown(&self.encoder, left, ty, &mut values);
        let right = shown(&self.encoder, right, ty, &mut values);
        let right = if right.starts_with('-') { format!("({right})") } else { right };
        format!("{left} {symbol} {right}")
    }

    /// What an access touches in a model.
    pub(super) fn accessed(&self, place: Pointer, size: Term, model: &Model) -> Option<StoryAccess> {
        let mut values = Evaluation::new(&self.encoder.terms, model);
        let mut unsigned = |term| values.value(term).as_bits().and_then(|bits| bits.to_u128());
        let bytes = unsigned(size)?;
        let number = u32::try_from(unsigned(place.object)?).ok()?;
        let object = match number {
            0 => None,
            _ if number >= self.encoder.object_count() => return None,
            _ => {
                let object = self.encoder.object(number);
                Some(StoryObject { name: object.name.clone(), bytes: unsigned(object.size)? })
            }
        };
        let offset = values.value(place.offset).as_bits().and_then(|bits| bits.to_i128())?;
        Some(StoryAccess { object, offset, bytes })
    }
}
