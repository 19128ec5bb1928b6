//! A run as evidence: what is needed to repeat it, in the words of the source.

use evidence::{Counterexample, Failure, Place};
use program::interpret::{InputRecord, InputValue, Integers, Run};
use program::{FloatFormat, Program, Type};

use super::Question;

/// The evidence of a run that started with these arguments, read these bytes and went wrong.
pub(super) fn counterexample(
    program: &Program,
    question: &Question,
    arguments: &[Vec<u8>],
    standard_input: Vec<u8>,
    run: &Run,
    failure: Failure,
) -> Counterexample {
    Counterexample {
        property: question.property.name().to_owned(),
        entry: question.function.clone(),
        arguments: arguments.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
        integers: match question.integers {
            Integers::Machine => evidence::Integers::Machine,
            Integers::Mathematical => evidence::Integers::Mathematical,
        },
        inputs: run.inputs.iter().map(|record| input(program, record)).collect(),
        standard_input,
        failure,
        steps: run.steps,
    }
}

fn input(program: &Program, record: &InputRecord) -> evidence::InputValue {
    evidence::InputValue {
        name: record.name.clone(),
        ty: record.ty.to_string(),
        value: shown(record.value, record.ty),
        place: Place::of(program, record.location),
    }
}

/// A value as people write it.
fn shown(value: InputValue, ty: Type) -> String {
    match (value, ty) {
        (InputValue::Integer(value), Type::Integer(ty)) if !ty.signed && ty.width == 128 => {
            (value as u128).to_string()
        }
        (InputValue::Integer(value), _) => value.to_string(),
        (InputValue::Float(bits), Type::Float(FloatFormat::Double)) => {
            format!("{:?}", f64::from_bits(bits as u64))
        }
        (InputValue::Float(bits), Type::Float(FloatFormat::Single)) => {
            format!("{:?}", f32::from_bits(bits as u32))
        }
        (InputValue::Float(bits), _) => format!("bits {bits:#x}"),
        (InputValue::Null, Type::Pointer) => String::from("null"),
        (InputValue::Null, _) => String::from("0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_people_do() {
        let double = Type::Float(FloatFormat::Double);
        assert_eq!(shown(InputValue::Float(u128::from(0.5f64.to_bits())), double), "0.5");
        assert_eq!(shown(InputValue::Integer(-1), Type::unsigned(128)), u128::MAX.to_string());
        assert_eq!(shown(InputValue::Integer(-1), Type::signed(32)), "-1");
        assert_eq!(shown(InputValue::Null, Type::Pointer), "null");
    }
}
