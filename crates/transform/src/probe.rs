//! Probes: loops that make as many iterations as a number says.
//!
//! ```text
//! s0; s1; s2        ─►        s0; left := number; while (left > 0) left := left − 1; s1; s2
//! ```
//!
//! So whatever bounds the iterations of loops bounds numbers at places of a function.

use base::Location;
use program::{
    BinaryOp, BlockId, Body, ExprId, ExprKind, IntegerType, LoopKind, LoopStatement, Origin, Program,
    Terminator, Type, VariableId,
};

use crate::pieces::{assign, block, variable};

/// A number at a place of a body: a sum of multiples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The block.
    pub block: BlockId,
    /// Before which of its statements, or behind all.
    pub place: usize,
    /// What is added, and how often. Pointers count as their addresses.
    pub terms: Vec<(i64, Read)>,
    /// What comes on top.
    pub constant: i64,
}

/// What has a value at a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Read {
    /// An expression of the body.
    Expression(ExprId),
    /// A variable.
    Variable(VariableId),
}

/// Puts probes into a body. Gives the heads of their loops, in the order of the probes.
///
/// **Theorem.** For every run of the old body the new one has a run that takes the same statements with the same numbers.
/// At each place it makes just as many iterations of the loop there as the number says, over ℤ, and none if it is negative.
///
/// Nothing if a number does not fit into the widest type, or is none.
pub fn with_probes(program: &Program, body: &mut Body, probes: &[Probe]) -> Option<Vec<BlockId>> {
    let mut heads = vec![body.entry(); probes.len()];
    let mut order: Vec<usize> = (0..probes.len()).collect();
    // What comes later in a block is moved first.
    order.sort_by_key(|&number| std::cmp::Reverse((probes[number].block, probes[number].place)));
    for number in order {
        heads[number] = insert(program, body, &probes[number])?;
    }
    Some(heads)
}

fn insert(program: &Program, body: &mut Body, probe: &Probe) -> Option<BlockId> {
    let old = &body.blocks[probe.block];
    if probe.place > old.statements.len() {
        return None;
    }
    let end = old.location;
    let location = old.statements.get(probe.place).map_or(end, |statement| statement.location);
    let ty = Type::Integer(type_of(program, body, probe)?);
    let number = sum(program, body, probe, ty)?;
    let left = variable(body, String::from("iterations left"), ty, Origin::Source, location);
    let (read, none, one) =
        (body.expression(ExprKind::Variable(left), ty), body.zero(ty), body.integer(ty, 1));
    let condition = body.binary(BinaryOp::Less, none, read);
    let less = body.binary(BinaryOp::Subtract, read, one);

    let behind = body.blocks[probe.block].statements.split_off(probe.place);
    let terminator = body.blocks[probe.block].terminator.clone();
    let behind = body.blocks.push(block(behind, terminator, end));
    let head = body.blocks.push(block(Vec::new(), Terminator::Goto(behind), location));
    // No loop of the source has an unknown place, so that none is taken for this one.
    let statement = LoopStatement { kind: LoopKind::While, location: Location::unknown() };
    let mut inside = block(vec![assign(left, less, location)], Terminator::Goto(head), location);
    inside.body_of = Some(statement.location);
    let inside = body.blocks.push(inside);
    body.blocks[head].loop_statement = Some(statement);
    body.blocks[head].terminator = Terminator::Branch { condition, then: inside, otherwise: behind };
    let first = &mut body.blocks[probe.block];
    first.statements.push(assign(left, number, location));
    first.terminator = Terminator::Goto(head);
    Some(head)
}

fn type_in(program: &Program, body: &Body, read: Read) -> Option<IntegerType> {
    let ty = match read {
        Read::Expression(expression) => body.type_of(expression),
        Read::Variable(variable) => program.variable(body, variable).ty,
    };
    match ty {
        Type::Integer(integer) => Some(integer),
        // The kernel's offsets are as wide as this.
        Type::Pointer => program.data_model.offset_type().integer().filter(|integer| integer.width == 64),
        Type::Bool | Type::Float(_) => None,
    }
}

/// A type that the sum fits into, and all parts of it.
fn type_of(program: &Program, body: &Body, probe: &Probe) -> Option<IntegerType> {
    let (mut low, mut high) = (i128::from(probe.constant.min(0)), i128::from(probe.constant.max(0)));
    for &(factor, read) in &probe.terms {
        let IntegerType { width, signed } = type_in(program, body, read)?;
        if width > 64 {
            return None;
        }
        let ends = if signed {
            (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
        } else {
            (0, (1i128 << width) - 1)
        };
        for end in [ends.0, ends.1] {
            let end = end.checked_mul(i128::from(factor))?;
            (low, high) = (low.checked_add(end.min(0))?, high.checked_add(end.max(0))?);
        }
    }
    let signed = low < 0;
    // The widest type has room to spare, so that its limits need not be computed.
    let fits = |bits: u8| match signed {
        true => low >= -(1i128 << (bits - 1)) && high < 1i128 << (bits - 1),
        false => high < 1i128 << bits,
    };
    let (width, _) = [(32, 32), (64, 64), (128, 126)].into_iter().find(|&(_, bits)| fits(bits))?;
    Some(IntegerType { width, signed })
}

fn sum(program: &Program, body: &mut Body, probe: &Probe, ty: Type) -> Option<ExprId> {
    let mut sum = body.integer(ty, i128::from(probe.constant));
    for &(factor, read) in &probe.terms {
        let own = Type::Integer(type_in(program, body, read)?);
        let read = match read {
            Read::Expression(expression) => expression,
            Read::Variable(variable) => {
                let ty = program.variable(body, variable).ty;
                body.expression(ExprKind::Variable(variable), ty)
            }
        };
        // A pointer is an address first, and has a sign.
        let number = body.convert(own, read);
        let number = body.convert(ty, number);
        let factor = body.integer(ty, i128::from(factor));
        let part = if body.constant(factor) == Some(1) {
            number
        } else {
            body.binary(BinaryOp::Multiply, factor, number)
        };
        sum = if body.constant(sum) == Some(0) { part } else { body.binary(BinaryOp::Add, sum, part) };
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use base::Index;

    use super::*;

    const TEXT: &str = "data_model LP64
        function f(%n: i32, %u: u64, %p: ptr, %b: bool) { variable %x: i32
          b0: %x := %n %x := %x + 1:i32 return }";

    fn probe(place: usize, terms: Vec<(i64, usize)>, constant: i64) -> Probe {
        let terms = terms.into_iter().map(|(factor, at)| (factor, Read::Variable(Index::new(at)))).collect();
        Probe { block: Index::new(0), place, terms, constant }
    }

    /// The types of the numbers of probes, if they can be put there.
    fn types(probes: &[Probe]) -> Option<Vec<String>> {
        let program = parser::parse(TEXT).expect("the test's program parses");
        let mut body = program.functions[Index::new(0)].body().expect("it has a body").clone();
        let heads = with_probes(&program, &mut body, probes)?;
        let number = |head: &BlockId| {
            let Terminator::Branch { then, .. } = body.blocks[*head].terminator else { panic!("no loop") };
            assert_eq!(body.blocks[then].terminator, Terminator::Goto(*head));
            let target = body.blocks[then].statements[0].kind.target().expect("it counts down");
            body.variables[target].ty.to_string()
        };
        Some(heads.iter().map(number).collect())
    }

    #[test]
    fn numbers_have_room() {
        let of = |terms, constant| types(&[probe(1, terms, constant)]).map(|mut found| found.remove(0));
        assert_eq!(of(vec![(1, 0)], 0).as_deref(), Some("i32"));
        assert_eq!(of(vec![(1, 0)], 1).as_deref(), Some("i64"));
        assert_eq!(of(vec![(1, 1)], 0).as_deref(), Some("u64"));
        assert_eq!(of(vec![(1, 1), (-1, 0)], 0).as_deref(), Some("i128"));
        assert_eq!(of(vec![(1, 2)], 0).as_deref(), Some("i64"));
        assert_eq!(of(vec![], 7).as_deref(), Some("u32"));
        assert_eq!(of(vec![(i64::MAX, 1)], 0), None, "it does not fit");
        assert_eq!(of(vec![(1, 3)], 0), None, "it is no number");
        assert_eq!(types(&[probe(3, vec![(1, 0)], 0)]), None, "there is no such place");
    }

    #[test]
    fn probes_stand_where_they_are_put() {
        let probes: Vec<Probe> = [2, 0, 1, 1].map(|place| probe(place, vec![(1, place.min(1))], 0)).into();
        let types = types(&probes).expect("all fit");
        assert_eq!(types, ["u64", "i32", "u64", "u64"]);
    }
}
