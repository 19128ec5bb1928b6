//! Pointers stay in their objects (LoopFrog, section 4.1, pointer validity): which object it is, between which offsets, and
//! how far one pointer or counter has come when another one has.

use evidence::expression::constant;
use evidence::{Aspect, Comparison, Expression, Formula, Integer, Moment, Quantity};

use crate::iteration::Walker;
use crate::paths::{GuardedPath, spoken_in};
use crate::view::{PointerView, View};

pub(super) fn propose(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let changed: Vec<&PointerView> = view.pointers.iter().filter(|p| p.changed && p.source).collect();
    for pointer in &changed {
        objects(view, pointer, candidates);
        offsets(view, pointer, candidates);
    }
    for (place, one) in view.iteration.walkers.iter().enumerate() {
        for other in view.iteration.walkers[place + 1..].iter().filter(|other| one.pointer || other.pointer) {
            together(one, other, candidates);
        }
    }
    tests(view, candidates);
}

/// It points to the object that it pointed to at entry, to that of another pointer, or to any.
fn objects(view: &View<'_>, pointer: &PointerView, candidates: &mut Vec<Formula>) {
    if pointer.certain {
        return;
    }
    let object = Quantity { variable: pointer.name.clone(), aspect: Aspect::Object };
    candidates.push(object.at(Moment::Now).compare(Comparison::Differ, 0));
    candidates.push(object.at(Moment::Now).equals(object.at(Moment::Entry)));
    // The links of a list lead to the start of an element, or nowhere.
    let offset = Quantity::offset(pointer.name.clone());
    let nowhere = || object.at(Moment::Now).equals(0);
    candidates.push(nowhere().or(offset.at(Moment::Now).equals(0)));
    candidates.push(nowhere().or(offset.at(Moment::Now).equals(offset.at(Moment::Entry))));
    for other in view.pointers.iter().filter(|other| other.name != pointer.name) {
        let other = Quantity { variable: other.name.clone(), aspect: Aspect::Object };
        candidates.push(object.at(Moment::Now).equals(other.at(Moment::Now)));
    }
}

/// Its offset is in the object, and on one side of where it was at entry and of where other pointers are.
fn offsets(view: &View<'_>, pointer: &PointerView, candidates: &mut Vec<Formula>) {
    let offset = Quantity::offset(pointer.name.clone());
    let now = || offset.at(Moment::Now);
    candidates.push(now().at_least(0));
    candidates.push(now().at_least(offset.at(Moment::Entry)));
    candidates.push(now().at_most(offset.at(Moment::Entry)));
    if pointer.certain {
        let size =
            pointer.size.map_or_else(|| Quantity::size(pointer.name.clone()).at(Moment::Now), constant);
        candidates.push(now().at_most(size.clone()));
        candidates.push(now().below(size));
    }
    for other in view.pointers.iter().filter(|other| other.name != pointer.name && other.source) {
        let close = pointer.object.is_none() || pointer.object == other.object;
        let limit = Quantity::offset(other.name.clone()).at(Moment::Now);
        if close {
            candidates.push(now().at_most(limit.clone()));
            candidates.push(now().at_least(limit));
        }
    }
}

/// Two that move together, or one that moves in some of the iterations in which the other does.
fn together(one: &Walker, other: &Walker, candidates: &mut Vec<Formula>) {
    let way = |walker: &Walker, factor: &Integer| {
        let passed = match &walker.entry {
            Expression::Constant(known) if *known == Integer::ZERO => walker.now.clone(),
            entry => walker.now.clone() - entry.clone(),
        };
        if *factor == Integer::ONE { passed } else { passed * constant(factor.clone()) }
    };
    // Each distance times the step of the other: equal if they move in the same iterations.
    let (a, b) = (way(one, &other.step), way(other, &one.step));
    if one.moving == other.moving {
        candidates.push(a.equals(b));
    } else if one.step > Integer::ZERO && other.step > Integer::ZERO {
        if other.always {
            candidates.push(a.at_most(b));
        } else if one.always {
            candidates.push(b.at_most(a));
        } else {
            candidates.push(a.clone().at_most(b.clone()));
            candidates.push(b.at_most(a));
        }
    }
}

/// What is asked of pointers in an iteration may hold, a little weaker, after it.
fn tests(view: &View<'_>, candidates: &mut Vec<Formula>) {
    let is_offset = |part: &Expression| matches!(part, Expression::Quantity { quantity, .. } if quantity.aspect == Aspect::Offset);
    for condition in view.iteration.back().flat_map(GuardedPath::formulas) {
        let Formula::Compare { left, comparison, right } = &condition else { continue };
        let spoken = spoken_in(&condition);
        if !spoken.iter().any(|part| is_offset(part))
            || spoken.iter().any(|part| matches!(part, Expression::Element(_)))
        {
            continue;
        }
        let weaker: &[Comparison] = match comparison {
            Comparison::Less | Comparison::LessEqual => &[Comparison::LessEqual],
            Comparison::Greater | Comparison::GreaterEqual => &[Comparison::GreaterEqual],
            Comparison::Differ => &[Comparison::LessEqual, Comparison::GreaterEqual],
            Comparison::Equal => &[Comparison::Equal],
        };
        candidates.push(condition.clone());
        candidates.extend(weaker.iter().map(|&weaker| left.clone().compare(weaker, right.clone())));
    }
}
