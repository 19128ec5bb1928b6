//! What ACSL and CBMC have words for: validity, old values, quantifiers.

use evidence::{Aspect, Comparison, Expression, Formula, Integer, Moment, Name, Quantity, RESULT};
use program::annotation::{CType, Shape};

use super::number::{Linear, Number, Range};
use super::reader::{Reader, all, implies, null};
use super::scope::Side;
use super::types;
use super::value::{Area, Fact, Place, Pointer, Read, Root, Trouble, Truth, Value};

impl Reader<'_> {
    /// What a word of ACSL after a backslash stands for.
    pub(super) fn built_in(&mut self, at: usize, word: &str) -> Read<Value> {
        match word {
            "true" => Ok(Value::Truth(Truth::plain(Formula::True))),
            "false" => Ok(Value::Truth(Truth::plain(Formula::False))),
            "null" => Ok(Value::Pointer(null())),
            "result" => self.result(at),
            "old" => self.at_moment(at, Moment::Start),
            "at" => self.labelled(at),
            "valid" => self.valid(at, true),
            "valid_read" => self.valid(at, false),
            "separated" => {
                let mut areas = Vec::new();
                self.need("(")?;
                loop {
                    areas.push(self.area()?);
                    if !self.cursor.eat(",") {
                        break;
                    }
                }
                self.need(")")?;
                Ok(Value::Truth(Truth::fact(at, Fact::Separated(areas))))
            }
            "forall" | "exists" => {
                let Some(ty) = types::named(self)? else { return self.trouble("expected a type") };
                let mut names = Vec::new();
                loop {
                    let Some(name) = self.cursor.word() else { return self.trouble("expected a name") };
                    names.push(name.to_owned());
                    if !self.cursor.eat(",") {
                        break;
                    }
                }
                self.need(";")?;
                self.quantified(at, &ty, &names, word == "forall")
            }
            "min" | "max" => self.extreme(at, word == "min"),
            "offset" => self.aspect(Aspect::Offset),
            "block_length" => self.aspect(Aspect::Size),
            _ => Err(Trouble::new(at, format!("`\\{word}` is not supported"))),
        }
    }

    /// What a word with a list of arguments stands for, if it has a meaning of its own.
    pub(super) fn called(&mut self, at: usize, word: &str) -> Read<Option<Value>> {
        Ok(Some(match word {
            "__CPROVER_return_value" => self.result(at)?,
            "__CPROVER_old" => self.at_moment(at, Moment::Start)?,
            "__CPROVER_loop_entry" => self.at_moment(at, Moment::Entry)?,
            "__CPROVER_forall" | "__CPROVER_exists" => {
                self.need("{")?;
                let Some(ty) = types::named(self)? else { return self.trouble("expected a type") };
                let Some(name) = self.cursor.word() else { return self.trouble("expected a name") };
                self.need(";")?;
                let value = self.quantified(at, &ty, &[name.to_owned()], word == "__CPROVER_forall")?;
                self.need("}")?;
                value
            }
            "__CPROVER_is_fresh" => self.accessible(at, true, true)?,
            "__CPROVER_r_ok" => self.accessible(at, false, false)?,
            "__CPROVER_w_ok" | "__CPROVER_rw_ok" => self.accessible(at, true, false)?,
            "__CPROVER_POINTER_OFFSET" => self.aspect(Aspect::Offset)?,
            "__CPROVER_OBJECT_SIZE" => self.aspect(Aspect::Size)?,
            "valid_string" | "valid_read_string" if !self.is_c() => {
                self.need("(")?;
                let pointer = self.argument()?;
                self.need(")")?;
                Value::Truth(Truth::fact(at, Fact::String { pointer, written: word == "valid_string" }))
            }
            "strlen" if self.cursor.rest().starts_with('(') => self.aspect(Aspect::Length)?,
            "true" | "false" if self.scope.word(word).is_none() => {
                Value::Truth(Truth::plain(if word == "true" { Formula::True } else { Formula::False }))
            }
            _ => return Ok(None),
        }))
    }

    fn result(&mut self, at: usize) -> Read<Value> {
        let refuse = |reason: &str| Err(Trouble::new(at, reason));
        if self.scope.side != Side::After || self.moment.is_some() {
            return refuse("the result has no meaning here");
        }
        match &self.scope.result {
            Some(ty) => {
                let ty = std::sync::Arc::clone(ty);
                Ok(Value::Place(Place {
                    root: Root::Variable(Name::from(RESULT)),
                    offset: Linear::default(),
                    ty,
                    count: None,
                }))
            }
            None => refuse("the function has no result that is a number or a pointer"),
        }
    }

    /// A value in parentheses, as it was at a moment.
    fn at_moment(&mut self, at: usize, moment: Moment) -> Read<Value> {
        self.need("(")?;
        let value = self.in_moment(at, moment)?;
        self.need(")")?;
        Ok(value)
    }

    fn in_moment(&mut self, at: usize, moment: Moment) -> Read<Value> {
        let is_known = match self.scope.side {
            Side::Before => false,
            Side::After => moment == Moment::Start,
            Side::Loop => matches!(moment, Moment::Start | Moment::Entry | Moment::Now),
        };
        if !is_known {
            return Err(Trouble::new(at, "another time has no meaning here"));
        }
        let before = self.moment.replace(moment);
        let place = self.here();
        let value = self.expression().and_then(|value| self.loaded(place, value));
        self.moment = before;
        value
    }

    /// What follows `\at`.
    fn labelled(&mut self, at: usize) -> Read<Value> {
        self.need("(")?;
        // The time stands behind the value: look for it first.
        let label = label(self.cursor.rest());
        let moment = match (label, self.scope.side) {
            (Some("Pre" | "Old"), _) => Moment::Start,
            (Some("LoopEntry"), Side::Loop) => Moment::Entry,
            (Some("Here" | "LoopCurrent"), Side::Loop) => Moment::Now,
            (Some("Post" | "Here"), Side::After) => {
                let place = self.here();
                let value = self.expression()?;
                let value = self.loaded(place, value)?;
                return self.after_label(value);
            }
            (Some(label), _) => {
                return Err(Trouble::new(at, format!("the label `{label}` is not supported here")));
            }
            (None, _) => return Err(Trouble::new(at, "expected a label at the end of `\\at`")),
        };
        let value = self.in_moment(at, moment)?;
        self.after_label(value)
    }

    fn after_label(&mut self, value: Value) -> Read<Value> {
        self.need(",")?;
        self.cursor.word();
        self.need(")")?;
        Ok(value)
    }

    fn argument(&mut self) -> Read<Pointer> {
        let at = self.here();
        let value = self.expression()?;
        self.pointer(at, value)
    }

    /// What `\valid` says of what stands in parentheses.
    fn valid(&mut self, at: usize, written: bool) -> Read<Value> {
        if self.cursor.eat("{") {
            return Err(Trouble::new(at, "a label of `\\valid` is not supported"));
        }
        self.need("(")?;
        let area = self.area()?;
        self.need(")")?;
        Ok(Value::Truth(Truth::fact(at, Fact::Valid { area, written, fresh: false })))
    }

    fn area(&mut self) -> Read<Area> {
        let at = self.here();
        let pointer = self.argument()?;
        pointer
            .area()
            .ok_or_else(|| Trouble::new(at, format!("the size of `{}` is not known", pointer.to.text)))
    }

    /// What CBMC says of a pointer and a number of bytes in parentheses.
    fn accessible(&mut self, at: usize, written: bool, fresh: bool) -> Read<Value> {
        self.need("(")?;
        let pointer = self.argument()?;
        let area = if self.cursor.eat(",") {
            let place = self.here();
            let value = self.expression()?;
            let bytes = self.number(place, value)?;
            let may_be_empty = bytes.range.least.as_ref().is_none_or(|least| *least <= Integer::ZERO);
            let (bytes, is_cut) = self.uncut(bytes.linear);
            Area { root: pointer.root, offset: pointer.offset, bytes, may_be_empty, is_cut }
        } else {
            pointer.area().ok_or_else(|| Trouble::new(at, "the number of bytes is missing"))?
        };
        self.need(")")?;
        Ok(Value::Truth(Truth::fact(at, Fact::Valid { area, written, fresh })))
    }

    /// A number of bytes before C has cut it off to the width of sizes, and whether it has.
    fn uncut(&self, bytes: Linear) -> (Linear, bool) {
        let width = self.scope.program.data_model.pointer_bytes() * 8;
        match bytes.expression() {
            Expression::Remainder { dividend, divisor } if divisor == Integer::ONE << width as usize => {
                (Linear::of(*dividend), true)
            }
            _ => (bytes, false),
        }
    }

    /// A number that belongs to a pointer in parentheses.
    fn aspect(&mut self, aspect: Aspect) -> Read<Value> {
        self.need("(")?;
        let at = self.here();
        let pointer = self.argument()?;
        self.need(")")?;
        let Root::Behind { pointer: variable, moment, field: None } = pointer.root else {
            return Err(Trouble::new(at, "only pointers that variables hold are supported here"));
        };
        if pointer.offset.small() != Some(0) || aspect == Aspect::Length && self.scope.side == Side::Loop {
            return Err(Trouble::new(at, "this is not supported for a pointer that may have moved"));
        }
        let moment = if aspect == Aspect::Length { self.moment.unwrap_or(self.memory()) } else { moment };
        let width = u8::try_from(self.scope.program.data_model.pointer_bytes() * 8).unwrap_or(64);
        let ty = program::IntegerType { width, signed: false };
        let range = match aspect {
            Aspect::Offset => Range::default(),
            _ => Range::of(program::IntegerType { width: width - 1, ..ty }),
        };
        let number = Quantity { variable, aspect }.at(moment);
        Ok(Value::Number(Number::new(number, range, Some(ty).filter(|_| self.is_c()))))
    }

    fn memory(&self) -> Moment {
        if self.scope.side == Side::Before { Moment::Start } else { Moment::Now }
    }

    fn extreme(&mut self, at: usize, is_least: bool) -> Read<Value> {
        self.need("(")?;
        let mut parts = Vec::new();
        let mut range: Option<Range> = None;
        loop {
            let place = self.here();
            let value = self.expression()?;
            let number = self.number(place, value)?;
            range = Some(range.map_or(number.range.clone(), |range| range.join(&number.range)));
            parts.push(number.expression());
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.need(")")?;
        if parts.len() != 2 {
            return Err(Trouble::new(at, "expected two numbers"));
        }
        let list = |parts: Vec<Expression>| match is_least {
            true => Expression::Minimum(parts),
            false => Expression::Maximum(parts),
        };
        // Nested calls are one.
        let flat = parts.into_iter().flat_map(|part| match part {
            Expression::Minimum(inner) if is_least => inner,
            Expression::Maximum(inner) if !is_least => inner,
            other => vec![other],
        });
        Ok(Value::Number(Number::new(list(flat.collect()), range.unwrap_or_default(), None)))
    }

    /// What holds for all numbers, or for one: the body follows.
    fn quantified(&mut self, at: usize, ty: &CType, names: &[String], for_all: bool) -> Read<Value> {
        let (range, integer) = match &ty.shape {
            Shape::Integer(integer) => (Range::of(*integer), Some(*integer)),
            Shape::Other if ty.text == types::INTEGER => (Range::default(), None),
            _ => return Err(Trouble::new(at, format!("quantifiers over `{}` are not supported", ty.text))),
        };
        let known = self.bound.len();
        let mut own = Vec::new();
        for name in names {
            let mut unique = name.clone();
            let taken = |unique: &str, reader: &Self| {
                !reader.scope.is_free(unique)
                    || reader.bound.iter().any(|(_, bound, ..)| bound.as_str() == unique)
            };
            while taken(&unique, self) {
                unique.push('_');
            }
            let unique = Name::from(unique.as_str());
            own.push(unique.clone());
            self.bound.push((name.clone(), unique, range.clone(), integer));
        }
        let place = self.here();
        let body = self.expression();
        self.bound.truncate(known);
        let body = body.and_then(|body| self.truth(place, body)?.only())?;
        let (guards, rest) = match (for_all, body) {
            (true, Formula::Any(mut parts)) if parts.len() == 2 && matches!(parts[0], Formula::Not(_)) => {
                let rest = parts.pop().unwrap_or(Formula::False);
                match parts.pop() {
                    Some(Formula::Not(guards)) => (*guards, rest),
                    _ => return Err(Trouble::new(at, "the limits of the quantifier are missing")),
                }
            }
            (true, _) => return Err(Trouble::new(at, "expected the limits of the quantifier, and `==>`")),
            (false, body) => (body, Formula::False),
        };
        let mut guards = match guards {
            Formula::All(parts) => parts,
            other => vec![other],
        };
        // A comparison of the number that is bound first needs no limits of the others.
        let mut limits = Vec::new();
        for name in &own {
            let Some(limit) = limits_of(name, &own, &mut guards, &range) else {
                return Err(Trouble::new(at, format!("the limits of `{name}` are missing")));
            };
            // A number of a type is in the type, wherever the limits are.
            let this = Quantity::value(name.as_str()).at(Moment::Now);
            let (from, last) =
                (self.scope.range(&limit.0), Linear::of(limit.1.clone()).plus(&Linear::of((-1).into())));
            let last = self.scope.range(&last.expression());
            if let Some(least) =
                range.least.clone().filter(|least| from.least.is_none_or(|from| from < *least))
            {
                guards.push(this.clone().at_least(Expression::Constant(least)));
            }
            if let Some(most) =
                range.greatest.clone().filter(|most| last.greatest.is_none_or(|last| last > *most))
            {
                guards.push(this.at_most(Expression::Constant(most)));
            }
            limits.push((name, limit));
        }
        let body = match guards.is_empty() {
            true => rest,
            false if rest == Formula::False => !all(guards),
            false => implies(all(guards), rest),
        };
        let whole = limits.into_iter().rev().fold(body, |body, (name, (from, to))| Formula::Every {
            name: name.clone(),
            from,
            to,
            body: Box::new(body),
        });
        Ok(Value::Truth(Truth::plain(if for_all { whole } else { !whole })))
    }
}

/// Takes the limits of a number out of what is said of it: the first one, and the one after the last. They speak of no number
/// that is bound later.
fn limits_of(
    name: &Name,
    own: &[Name],
    guards: &mut Vec<Formula>,
    range: &Range,
) -> Option<(Expression, Expression)> {
    let place = own.iter().position(|other| other == name)?;
    let later = &own[place..];
    let (mut from, mut to) = (None, None);
    guards.retain(|guard| {
        let Formula::Compare { left, comparison, right } = guard else { return true };
        let this = Quantity::value(name.as_str()).at(Moment::Now);
        let (comparison, limit) = match (*left == this, *right == this) {
            (true, false) => (*comparison, right),
            (false, true) => (comparison.turned(), left),
            _ => return true,
        };
        if later.iter().any(|name| mentions(limit, name)) {
            return true;
        }
        let next = || Linear::of(limit.clone()).plus(&Linear::of(1.into())).expression();
        let (side, value) = match comparison {
            Comparison::GreaterEqual => (&mut from, limit.clone()),
            Comparison::Greater => (&mut from, next()),
            Comparison::Less => (&mut to, limit.clone()),
            Comparison::LessEqual => (&mut to, next()),
            _ => return true,
        };
        let is_first = side.is_none();
        side.get_or_insert(value);
        !is_first
    });
    let from = from.or_else(|| range.least.clone().map(Expression::Constant))?;
    let to = to.or_else(|| range.greatest.clone().map(|most| Expression::Constant(most + Integer::ONE)))?;
    Some((from, to))
}

fn mentions(expression: &Expression, name: &Name) -> bool {
    let mut found = false;
    evidence::Part::Number(expression).walk(&mut |part| {
        if let evidence::Part::Number(Expression::Quantity { quantity, .. }) = part {
            found |= quantity.variable == *name;
        }
    });
    found
}

/// The label behind the value in `\at(value, label)`, from the value on.
fn label(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                let rest = text[at + 1..].trim_start();
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                return Some(&rest[..end]).filter(|label| !label.is_empty());
            }
            _ => {}
        }
    }
    None
}
