//! The properties that can be asked for: by name, or in the words of a property file of the competition on
//! software verification (SV-COMP).

use program::Obligation;
use program::interpret::ObligationSet;

/// A property of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// No assertion fails and no error function is called.
    UnreachCall,
    /// Memory is used as C allows.
    MemorySafety(MemorySafety),
    /// No signed arithmetic leaves the range of its type.
    NoOverflow,
    /// Every run ends.
    Termination,
    /// No obligation of these kinds fails. Nobody asks for it by name: lists of obligations do.
    Obligations(ObligationSet),
}

/// Which parts of memory safety are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemorySafety {
    /// Every access is inside a live object.
    pub dereference: bool,
    /// Only live heap objects are freed.
    pub free: bool,
    /// No heap object is lost.
    pub tracking: bool,
}

/// An unknown property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyError {
    /// A name that is none of the known ones.
    UnknownName(String),
    /// A line of a property file that is not understood.
    UnknownFormula(String),
    /// A property file without a single `CHECK`.
    Empty,
    /// A property file that asks for things that cannot be asked for together.
    Mixed(Property, Property),
}

impl Property {
    /// The properties that have names.
    const NAMED: [(&'static str, Self); 7] = [
        ("unreach-call", Property::UnreachCall),
        ("memsafety", Property::MemorySafety(MemorySafety::ALL)),
        ("no-overflow", Property::NoOverflow),
        ("termination", Property::Termination),
        ("valid-deref", Property::MemorySafety(MemorySafety { dereference: true, ..MemorySafety::NONE })),
        ("valid-free", Property::MemorySafety(MemorySafety { free: true, ..MemorySafety::NONE })),
        ("valid-memtrack", Property::MemorySafety(MemorySafety { tracking: true, ..MemorySafety::NONE })),
    ];

    /// The names that [`Property::from_name`] knows.
    pub fn names() -> [&'static str; 7] {
        Self::NAMED.map(|(name, _)| name)
    }

    /// The property with this name.
    pub fn from_name(name: &str) -> Result<Self, PropertyError> {
        let found = Self::NAMED.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, property)| property).ok_or_else(|| PropertyError::UnknownName(name.to_owned()))
    }

    /// The property that the text of an SV-COMP property file means: lines of `CHECK( init(main()), LTL(…) )`.
    pub fn from_property_file(text: &str) -> Result<Self, PropertyError> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let mut result: Option<Self> = None;
        for line in lines {
            let next = Self::from_formula(line)?;
            result = Some(match result {
                None => next,
                Some(so_far) => so_far.and(next).ok_or(PropertyError::Mixed(so_far, next))?,
            });
        }
        result.ok_or(PropertyError::Empty)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        let found = Self::NAMED.into_iter().find(|(_, named)| named == self);
        match (found, self) {
            (Some((name, _)), _) => name,
            (None, Property::Obligations(_)) => "obligations",
            (None, _) => "memsafety",
        }
    }

    /// The text of an SV-COMP property file that means this property of runs from a function.
    pub fn specification(&self, entry: &str) -> String {
        let formulas: Vec<&str> = match self {
            Property::UnreachCall => vec!["G ! call(reach_error())"],
            Property::NoOverflow => vec!["G ! overflow"],
            Property::Termination => vec!["F end"],
            Property::MemorySafety(parts) => {
                let all = [
                    (parts.free, "G valid-free"),
                    (parts.dereference, "G valid-deref"),
                    (parts.tracking, "G valid-memtrack"),
                ];
                all.into_iter().filter(|(asked, _)| *asked).map(|(_, formula)| formula).collect()
            }
            Property::Obligations(_) => Vec::new(),
        };
        let lines: Vec<String> =
            formulas.iter().map(|formula| format!("CHECK( init({entry}()), LTL({formula}) )")).collect();
        lines.join("\n")
    }

    /// The obligations whose failure violates the property. For termination there are none: a run that goes on for
    /// ever does.
    pub fn obligations(&self) -> ObligationSet {
        use Obligation::*;
        let kinds: &[Obligation] = match self {
            Property::UnreachCall => &[Assertion, ReachError],
            Property::MemorySafety(parts) => return parts.obligations(),
            Property::NoOverflow => &[SignedOverflow],
            Property::Termination => &[],
            Property::Obligations(kinds) => return *kinds,
        };
        kinds.iter().copied().collect()
    }

    fn from_formula(line: &str) -> Result<Self, PropertyError> {
        let unknown = || PropertyError::UnknownFormula(line.to_owned());
        // Spaces mean nothing in these formulas.
        let dense: String = line.chars().filter(|character| !character.is_whitespace()).collect();
        let formula = dense
            .strip_prefix("CHECK(init(")
            .and_then(|rest| rest.split_once("()),LTL("))
            .and_then(|(_, rest)| rest.strip_suffix("))"))
            .ok_or_else(unknown)?;
        match formula {
            "G!call(reach_error())" | "G!call(__VERIFIER_error())" | "Gassert" => Ok(Property::UnreachCall),
            "G!overflow" => Ok(Property::NoOverflow),
            "Fend" => Ok(Property::Termination),
            "Gvalid-deref" | "Gvalid-free" | "Gvalid-memtrack" => Self::from_name(&formula[1..]),
            _ => Err(unknown()),
        }
    }

    /// Both properties as one, if there is such a one.
    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Property::MemorySafety(a), Property::MemorySafety(b)) => {
                Some(Property::MemorySafety(MemorySafety {
                    dereference: a.dereference || b.dereference,
                    free: a.free || b.free,
                    tracking: a.tracking || b.tracking,
                }))
            }
            (a, b) => (a == b).then_some(a),
        }
    }
}

impl MemorySafety {
    /// All parts.
    pub const ALL: Self = Self { dereference: true, free: true, tracking: true };

    /// No part.
    const NONE: Self = Self { dereference: false, free: false, tracking: false };

    fn obligations(self) -> ObligationSet {
        use Obligation::*;
        let mut set = ObligationSet::EMPTY;
        if self.dereference {
            set = set.with(OutOfBounds).with(Null).with(Dangling).with(StringTermination);
        }
        if self.free {
            set = set.with(InvalidFree);
        }
        if self.tracking {
            set = set.with(Leak);
        }
        set
    }
}

impl std::fmt::Display for PropertyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = Property::names().join(", ");
        match self {
            PropertyError::UnknownName(name) => {
                write!(f, "unknown property `{name}`: expected one of {known}, or a property file (`.prp`)")
            }
            PropertyError::UnknownFormula(line) => write!(
                f,
                "unknown property `{line}`: expected `CHECK( init(main()), LTL(FORMULA) )` where FORMULA is one of \
                 `G ! call(reach_error())`, `G valid-deref`, `G valid-free`, `G valid-memtrack`, `G ! overflow`, `F end`"
            ),
            PropertyError::Empty => f.write_str("the property file holds no `CHECK( init(main()), LTL(…) )`"),
            PropertyError::Mixed(first, second) => write!(
                f,
                "{} and {} cannot be asked for together: ask for one of them at a time",
                first.name(),
                second.name()
            ),
        }
    }
}

impl std::error::Error for PropertyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in Property::names() {
            let property = Property::from_name(name).unwrap();
            assert_eq!(property.name(), name);
            assert_eq!(Property::from_property_file(&property.specification("main")), Ok(property));
        }
        let error = Property::from_name("bounds").unwrap_err().to_string();
        assert!(
            error.contains("`bounds`") && error.contains("unreach-call, memsafety, no-overflow, termination")
        );
    }

    #[test]
    fn property_files_are_understood() {
        let parse = Property::from_property_file;
        assert_eq!(parse("CHECK( init(main()), LTL(G ! call(reach_error())) )\n"), Ok(Property::UnreachCall));
        assert_eq!(
            parse("CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )"),
            Ok(Property::UnreachCall)
        );
        assert_eq!(parse("\nCHECK( init(main()), LTL(G ! overflow) )\n\n"), Ok(Property::NoOverflow));
        assert_eq!(parse("CHECK(init(main()),LTL(F end))"), Ok(Property::Termination));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )\n";
        assert_eq!(parse(memory), Ok(Property::MemorySafety(MemorySafety::ALL)));
    }

    #[test]
    fn other_property_files_are_refused() {
        let parse = Property::from_property_file;
        assert_eq!(parse(" \n"), Err(PropertyError::Empty));
        assert!(matches!(
            parse("CHECK( init(main()), LTL(G ! data-race) )"),
            Err(PropertyError::UnknownFormula(_))
        ));
        let mixed = "CHECK( init(main()), LTL(F end) )\nCHECK( init(main()), LTL(G ! overflow) )";
        assert_eq!(parse(mixed), Err(PropertyError::Mixed(Property::Termination, Property::NoOverflow)));
    }

    #[test]
    fn termination_has_no_obligations() {
        assert!(Property::Termination.obligations().is_empty());
        assert!(Property::MemorySafety(MemorySafety::ALL).obligations().contains(Obligation::Leak));
    }
}
