//! The inputs of a violating run as a file: for the interpreter, which reads it back, and for the compiled program,
//! which a [`crate::replay`] driver gives them to.
//!
//! ```text
//! # What stands after a # is for people.
//! [run]
//! property = memsafety
//! function = main
//! integers = machine
//!
//! [arguments]
//! "program"
//!
//! [values]
//! __VERIFIER_nondet_int = 8             # i32 at buffer.c:13:17
//! __VERIFIER_nondet_double = 0x3fe0…    # f64 at buffer.c:14:17: 0.5
//! (uninitialised x) = 0                 # i32 at buffer.c:15:7: no compiled program can be given this
//!
//! [cycle]
//! __VERIFIER_nondet_int = 3 + 1         # i32 at buffer.c:20:9
//!
//! [standard input]
//! "a line\n"
//! ```
//!
//! The values stand in the order in which the run asks for them; the name in front says who asks. Those of the cycle
//! come after them, again and again, for runs that never end; each time by the number behind `+` larger. A name in
//! parentheses is one that a compiled program does not ask for: what is uninitialised is whatever is there. Integers
//! and pointers are decimal, floating point numbers the bits of their format, in hexadecimal. Words and standard input
//! are C strings, where `\x` has two digits; the strings of standard input are read one after the other.

use std::fmt::Write;

use evidence::{Counterexample, Failure, InputCycle, InputValue, Integers, Place, Test};

use crate::json::{of_word, word};

/// How many bytes of standard input stand on one line.
const BYTES: usize = 64;

/// The inputs of a run, as a file holds them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Inputs {
    /// The property that the run violates.
    pub property: Option<String>,
    /// The function that the run starts in.
    pub function: Option<String>,
    /// How integers behave.
    pub integers: Integers,
    /// The command line, program name first; empty if the run takes none.
    pub arguments: Vec<Vec<u8>>,
    /// The values, in order.
    pub values: Values,
    /// What is read from standard input.
    pub standard_input: Vec<u8>,
}

/// The values of such a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Those that come once.
    pub once: Vec<Value>,
    /// Those that come after them again and again, with the number that each grows by from one time to the next.
    pub cycle: Vec<(Value, i64)>,
}

impl Values {
    /// The value at a place, from zero: null after the last, if there is no cycle.
    pub fn at(&self, place: usize) -> Value {
        if let Some(value) = self.once.get(place) {
            return *value;
        }
        let beyond = place - self.once.len();
        let Some(round) = beyond.checked_div(self.cycle.len()) else { return Value::Null };
        match self.cycle[beyond % self.cycle.len()] {
            (Value::Integer(first), growth) => {
                Value::Integer(first.wrapping_add(i128::from(growth).wrapping_mul(round as i128)))
            }
            (value, _) => value,
        }
    }
}

/// A value of such a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// An integer, a truth value, or the address in a pointer.
    Integer(i128),
    /// The bits of a floating point number.
    Bits(u128),
    /// The null pointer.
    Null,
}

/// What is wrong with a file of inputs or with a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The line, from one.
    pub line: usize,
    /// What is wrong with it.
    pub text: String,
}

/// The inputs of a violating run as the text of a file.
pub fn write(counterexample: &Counterexample) -> String {
    let Counterexample {
        property, entry, arguments, integers, inputs, cycle, standard_input, failure, ..
    } = counterexample;
    let integers = word(integers);
    let mut text = head(failure);
    let _ = writeln!(text, "[run]\nproperty = {property}\nfunction = {entry}\nintegers = {integers}");
    sections(&mut text, arguments, inputs, cycle.as_ref(), standard_input);
    text
}

/// The inputs of a test as the text of a file.
pub fn write_test(entry: &str, test: &Test) -> String {
    let mut text = format!("[run]\nfunction = {entry}\nintegers = machine\n");
    sections(&mut text, &test.arguments, &test.inputs, None, &test.standard_input);
    text
}

/// What a run gets from outside.
fn sections(
    text: &mut String,
    arguments: &[String],
    inputs: &[InputValue],
    cycle: Option<&InputCycle>,
    standard_input: &[u8],
) {
    if !arguments.is_empty() {
        text.push_str("\n[arguments]\n");
        arguments.iter().for_each(|word| text.push_str(&string(word.as_bytes())));
    }
    let once = &inputs[..cycle.map_or(inputs.len(), |cycle| cycle.first)];
    if !once.is_empty() {
        text.push_str("\n[values]\n");
        once.iter().for_each(|input| value(text, input, 0));
    }
    if let Some(cycle) = cycle {
        text.push_str("\n[cycle]\n");
        let repeated = inputs[cycle.places()].iter().zip(&cycle.growth);
        repeated.for_each(|(input, growth)| value(text, input, *growth));
    }
    if !standard_input.is_empty() {
        text.push_str("\n[standard input]\n");
        standard_input.chunks(BYTES).for_each(|bytes| text.push_str(&string(bytes)));
    }
}

/// The inputs that the text of a file holds.
pub fn read(text: &str) -> Result<Inputs, Problem> {
    let mut inputs = Inputs::default();
    let mut section = String::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read = if let Some(name) = line.strip_prefix('[') {
            let (name, _) = name.split_once(']').unwrap_or((name, ""));
            section = name.to_owned();
            match name {
                "run" | "arguments" | "values" | "cycle" | "standard input" => Ok(()),
                _ => Err(format!("there is no section `{name}`")),
            }
        } else {
            inputs.read_line(&section, line)
        };
        read.map_err(|text| Problem { line: number + 1, text })?;
    }
    Ok(inputs)
}

impl Inputs {
    fn read_line(&mut self, section: &str, line: &str) -> Result<(), String> {
        match section {
            "run" => {
                let (name, value) = assignment(line)?;
                let unknown = || format!("`{name} = {value}` is no setting of a run");
                match name {
                    "property" => self.property = Some(value.to_owned()),
                    "function" => self.function = Some(value.to_owned()),
                    "integers" => self.integers = of_word(value).ok_or_else(unknown)?,
                    _ => return Err(unknown()),
                }
            }
            "arguments" => self.arguments.push(read_string(line)?),
            "values" => self.values.once.push(read_value(assignment(line)?.1)?),
            "cycle" => self.values.cycle.push(read_growing(assignment(line)?.1)?),
            "standard input" => self.standard_input.extend(read_string(line)?),
            _ => return Err(String::from("a section such as [values] must come first")),
        }
        Ok(())
    }
}

/// What a file opens with.
fn head(failure: &Failure) -> String {
    let outcome = match failure {
        Failure::Violation { obligation, message, place, .. } => {
            format!("{}: {message} ({obligation})", Place::described(place.as_ref()))
        }
        Failure::Repetition { place, .. } | Failure::Recurrence { place, .. } => {
            format!("{}: the run never ends", Place::described(place.as_ref()))
        }
    };
    format!(
        "# The inputs of a run, found by Loopscope, that ends like this:\n# {}\n#\n\
         # To see it:               loopscope run --inputs THIS-FILE PROGRAM.c\n\
         # With a driver, compiled: LOOPSCOPE_INPUTS=THIS-FILE ./a.out\n\
         # (loopscope verify --driver DRIVER.c writes a driver, and its first lines say how to compile it.)\n\n",
        outcome.replace('\n', " ")
    )
}

fn value(text: &mut String, input: &InputValue, growth: i64) {
    let InputValue { name, ty, value, place } = input;
    // A function of the source has a name without blanks; all others are ways of asking that only we have.
    let askable = !name.contains(' ');
    let name = if askable { name.clone() } else { format!("({name})") };
    let bits = match ty.as_str() {
        "f64" => value.parse::<f64>().ok().map(|value| u128::from(value.to_bits())),
        "f32" => value.parse::<f32>().ok().map(|value| u128::from(value.to_bits())),
        _ => value.strip_prefix("bits 0x").and_then(|bits| u128::from_str_radix(bits, 16).ok()),
    };
    let (exact, shown) = match bits {
        Some(bits) => (format!("{bits:#x}"), format!(": {value}")),
        None => (value.clone(), String::new()),
    };
    let grows = if growth == 0 { String::new() } else { format!(" + {growth}") };
    let note = if askable { "" } else { ": no compiled program can be given this" };
    let _ = writeln!(
        text,
        "{name} = {exact}{grows}    # {ty} at {}{shown}{note}",
        Place::described(place.as_ref())
    );
}

/// Bytes as a line that holds a C string.
fn string(bytes: &[u8]) -> String {
    let text: String =
        bytes.iter().flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from).collect();
    format!("\"{text}\"\n")
}

/// The two sides of a line with a `=`, without the comment after it.
fn assignment(line: &str) -> Result<(&str, &str), String> {
    let (name, value) = line.split_once('=').ok_or_else(|| format!("`{line}` has no `=`"))?;
    let (value, _) = value.split_once('#').unwrap_or((value, ""));
    Ok((name.trim(), value.trim()))
}

/// A value: `-5`, `0x3fe0000000000000`, `null`, `true`.
pub fn read_value(text: &str) -> Result<Value, String> {
    let problem = || format!("`{text}` is no value");
    if let Some(bits) = text.strip_prefix("0x") {
        return u128::from_str_radix(bits, 16).map(Value::Bits).map_err(|_| problem());
    }
    match text {
        "null" => Ok(Value::Null),
        "true" => Ok(Value::Integer(1)),
        "false" => Ok(Value::Integer(0)),
        // The largest unsigned numbers of 128 bits wrap, as they do when the program takes them.
        _ => text
            .parse::<i128>()
            .or_else(|_| text.parse::<u128>().map(|value| value as i128))
            .map(Value::Integer)
            .map_err(|_| problem()),
    }
}

/// A value of the cycle: `3`, or `3 + 1`, which is one more each time.
fn read_growing(text: &str) -> Result<(Value, i64), String> {
    let Some((value, growth)) = text.split_once(" + ") else { return Ok((read_value(text)?, 0)) };
    let number = growth.trim().parse().map_err(|_| format!("`{growth}` is no number to grow by"))?;
    Ok((read_value(value.trim())?, number))
}

/// The bytes of a C string.
fn read_string(line: &str) -> Result<Vec<u8>, String> {
    let problem = || format!("`{line}` is no string in quotes");
    let mut rest = line.strip_prefix('"').ok_or_else(problem)?.bytes();
    let mut bytes = Vec::new();
    loop {
        match rest.next().ok_or_else(problem)? {
            b'"' => return Ok(bytes),
            b'\\' => bytes.push(match rest.next().ok_or_else(problem)? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'x' => {
                    let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                    match (digit(), digit()) {
                        (Some(high), Some(low)) => (16 * high + low) as u8,
                        _ => return Err(problem()),
                    }
                }
                other => other,
            }),
            byte => bytes.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, ty: &str, value: &str) -> InputValue {
        InputValue { name: name.to_owned(), ty: ty.to_owned(), value: value.to_owned(), place: None }
    }

    fn counterexample() -> Counterexample {
        Counterexample {
            property: String::from("memsafety"),
            entry: String::from("main"),
            arguments: vec![String::from("program"), String::from("a \"b\" # c\\")],
            integers: Integers::Machine,
            inputs: vec![
                input("__VERIFIER_nondet_int", "i32", "-8"),
                input("uninitialised x", "u8", "7"),
                input("__VERIFIER_nondet_double", "f64", "0.5"),
                input("__VERIFIER_nondet_float", "f32", "inf"),
                input("nondet_long_double", "f80", "bits 0x3fff8000000000000000"),
                input("__VERIFIER_nondet_pointer", "ptr", "null"),
                input("__VERIFIER_nondet_uint128", "u128", "340282366920938463463374607431768211455"),
            ],
            standard_input: (0..=255).collect(),
            failure: Failure::Repetition {
                function: String::from("main"),
                place: None,
                first_step: 1,
                period: 2,
            },
            cycle: None,
            steps: 3,
            trace: evidence::Trace::default(),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let counterexample = counterexample();
        let inputs = read(&write(&counterexample)).unwrap();
        assert_eq!(inputs.property.as_deref(), Some("memsafety"));
        assert_eq!(inputs.function.as_deref(), Some("main"));
        let words: Vec<&[u8]> = counterexample.arguments.iter().map(|word| word.as_bytes()).collect();
        assert_eq!(inputs.arguments, words);
        assert_eq!(inputs.standard_input, counterexample.standard_input);
        assert_eq!(inputs.values.cycle, []);
        assert_eq!(
            inputs.values.once,
            [
                Value::Integer(-8),
                Value::Integer(7),
                Value::Bits(u128::from(0.5f64.to_bits())),
                Value::Bits(u128::from(f32::INFINITY.to_bits())),
                Value::Bits(0x3fff_8000_0000_0000_0000),
                Value::Null,
                Value::Integer(-1),
            ]
        );
    }

    #[test]
    fn what_comes_again_and_again_is_read_back() {
        let cycle = Some(InputCycle { first: 1, growth: vec![0, 0, 0, 0, 0, -3] });
        let inputs = read(&write(&Counterexample { cycle, ..counterexample() })).unwrap();
        assert_eq!(inputs.values.once, [Value::Integer(-8)]);
        assert_eq!(inputs.values.cycle.len(), 6);
        assert_eq!(inputs.values.at(0), Value::Integer(-8));
        let round =
            |round: usize| (1..7).map(|place| inputs.values.at(6 * round + place)).collect::<Vec<_>>();
        assert_eq!(round(0)[..5], round(9)[..5]);
        assert_eq!((round(0)[5], round(2)[5]), (Value::Integer(-1), Value::Integer(-7)));
        assert_eq!(Values::default().at(3), Value::Null);
    }

    #[test]
    fn what_a_compiled_program_cannot_be_given_is_marked() {
        let text = write(&counterexample());
        assert!(
            text.contains("(uninitialised x) = 7    # u8 at an unknown place: no compiled program"),
            "{text}"
        );
        assert!(text.contains("__VERIFIER_nondet_int = -8    # i32"), "{text}");
    }

    #[test]
    fn a_bad_file_is_refused_with_the_line() {
        let problem = |text: &str| read(text).unwrap_err();
        assert_eq!(problem("[values]\nx 5").line, 2);
        assert!(problem("[values]\nx = five").text.contains("`five` is no value"));
        assert!(problem("[cycle]\nx = 5 + y").text.contains("`y` is no number to grow by"));
        assert!(problem("x = 5").text.contains("must come first"));
        assert!(problem("[value]\n").text.contains("no section `value`"));
        assert!(problem("[arguments]\nx").text.contains("in quotes"));
        assert!(problem("[standard input]\n\"\\x4").text.contains("in quotes"));
        assert!(problem("[run]\ninteger = 5").text.contains("no setting"));
        assert_eq!(read("# nothing\n\n"), Ok(Inputs::default()));
    }
}
