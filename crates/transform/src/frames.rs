//! What a call of a function may change: its frame.
//!
//! A frame is read off the statements of a function and of all that it calls. A store goes to the memory of others unless
//! it goes to an object of the function itself by its name; in an open program it may change every variable that others
//! can name, unless it goes to an object by its name. What is not here may do anything, but for functions of the library
//! of which the standard says all that they do.

use std::collections::{BTreeMap, BTreeSet};

use base::Index;
use program::library::effects_of;
use program::{
    Body, Callee, Definition, ExprId, ExprKind, FunctionId, Initial, ObjectRef, Program, StatementKind,
    VariableId,
};

/// What calls change that change nothing.
static NOTHING: Frame = Frame::NOTHING;

/// Functions that print as a format says, and which argument the format is. `%n` writes memory.
const FORMATTED: [(&str, usize); 2] = [("printf", 0), ("fprintf", 1)];

/// A frame that names more variables is one that says nothing: frames stay small however large the program is.
const MOST: usize = 64;

/// What a call may change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame {
    /// Anything that can be changed.
    Everything,
    /// These variables that live as long as the program, and memory or none of it. Objects that the call itself makes
    /// do not count.
    Only {
        /// The variables that are assigned by their names.
        globals: BTreeSet<VariableId>,
        /// Whether the variables that others can name may be changed, too. They are not listed: there may be many.
        exported: bool,
        /// Whether memory may be written.
        memory: bool,
    },
}

impl Frame {
    /// Nothing is changed.
    const NOTHING: Self = Self::Only { globals: BTreeSet::new(), exported: false, memory: false };

    /// Whether memory may be written that was there before the call.
    pub fn writes_memory(&self) -> bool {
        !matches!(self, Self::Only { memory: false, .. })
    }

    /// Whether a variable that lives as long as the program may be assigned.
    pub fn assigns(&self, program: &Program, global: VariableId) -> bool {
        match self {
            Self::Everything => true,
            Self::Only { globals, exported, .. } => {
                *exported && program.globals[global.index()].exported || globals.contains(&global)
            }
        }
    }

    /// Adds what another call may change. Whether that was anything new.
    fn add(&mut self, other: &Self) -> bool {
        let Self::Only { globals, exported, memory } = self else { return false };
        let Self::Only { globals: others, exported: other_exported, memory: other_memory } = other else {
            *self = Self::Everything;
            return true;
        };
        let before = (globals.len(), *exported, *memory);
        globals.extend(others);
        *exported |= other_exported;
        *memory |= other_memory;
        let is_new = (globals.len(), *exported, *memory) != before;
        if globals.len() > MOST {
            *self = Self::Everything;
        }
        is_new
    }

    fn assign(&mut self, global: VariableId) {
        self.add(&Self::Only { globals: BTreeSet::from([global]), exported: false, memory: false });
    }

    /// Memory is written through a pointer that may lead anywhere, or only to objects.
    fn write(&mut self, anywhere: bool) {
        self.add(&Self::Only { globals: BTreeSet::new(), exported: anywhere, memory: true });
    }
}

/// The frames of all functions of a program.
#[derive(Clone, Debug)]
pub struct Frames(BTreeMap<FunctionId, Frame>);

impl Frames {
    /// Finds the frames.
    ///
    /// **Theorem.** Let a function be called, and nothing undefined happen. What its frame does not name has the same value
    /// when the call returns as when it began.
    pub fn of(program: &Program) -> Self {
        let mut frames: BTreeMap<FunctionId, Frame> = BTreeMap::new();
        let mut callers: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
        for (id, function) in program.functions.iter() {
            frames.insert(id, own(program, id));
            let Some(body) = function.body() else { continue };
            for statement in body.statements() {
                if let StatementKind::Call { callee: Callee::Function(callee), arguments, .. } =
                    &statement.kind
                    && !is_plain(program, body, *callee, arguments)
                {
                    callers.entry(*callee).or_default().push(id);
                }
            }
        }
        let mut left: Vec<FunctionId> = frames.keys().copied().collect();
        while let Some(callee) = left.pop() {
            if program.functions[callee].no_return {
                continue;
            }
            let frame = frames[&callee].clone();
            for caller in callers.get(&callee).into_iter().flatten() {
                if frames.get_mut(caller).is_some_and(|own| own.add(&frame)) {
                    left.push(*caller);
                }
            }
        }
        Self(frames)
    }

    /// What a function may change.
    pub fn of_function(&self, function: FunctionId) -> &Frame {
        self.0.get(&function).unwrap_or(&Frame::Everything)
    }

    /// What calls in a body may change, as long as names of objects stand in it.
    pub fn in_body<'a>(&'a self, program: &Program, body: &Body) -> CallFrames<'a> {
        let mut plain = BTreeSet::new();
        for statement in body.statements() {
            if let StatementKind::Call { callee: Callee::Function(callee), arguments, .. } = &statement.kind
                && is_plain(program, body, *callee, arguments)
            {
                plain.insert((*callee, arguments.clone()));
            }
        }
        CallFrames { frames: self, plain }
    }
}

/// What the calls in a body may change.
#[derive(Clone, Debug)]
pub struct CallFrames<'a> {
    frames: &'a Frames,
    /// The calls that print, and write nothing back.
    plain: BTreeSet<(FunctionId, Vec<ExprId>)>,
}

impl CallFrames<'_> {
    /// What a call may change.
    pub fn of_call(&self, callee: Callee, arguments: &[ExprId]) -> &Frame {
        match callee {
            Callee::Function(function) if self.plain.contains(&(function, arguments.to_vec())) => &NOTHING,
            Callee::Function(function) => self.frames.of_function(function),
            Callee::Pointer(_) => &Frame::Everything,
        }
    }
}

/// Whether a call prints, and its format says that it writes nothing back.
fn is_plain(program: &Program, body: &Body, callee: FunctionId, arguments: &[ExprId]) -> bool {
    let callee = &program.functions[callee];
    let format = FORMATTED.iter().find(|(name, _)| callee.name == *name).map(|(_, place)| *place);
    let object = format
        .filter(|_| matches!(callee.definition, Definition::External))
        .and_then(|place| arguments.get(place))
        .map(|&format| &body.expressions[format].kind);
    let Some(ExprKind::Object(ObjectRef::Global(object))) = object else { return false };
    let object = &program.objects[*object];
    matches!(&object.initial, Initial::Bytes { bytes, pointers }
        if !object.writable && pointers.is_empty() && !writes_back(bytes))
}

/// Whether a format has the conversion `%n`, or may have it.
fn writes_back(format: &[u8]) -> bool {
    let mut bytes = format.iter().copied();
    while bytes.by_ref().any(|byte| byte == b'%') {
        let mut conversion = bytes.by_ref().skip_while(|byte| !byte.is_ascii_alphabetic() && *byte != b'%');
        let is_length = |byte: &u8| b"hlqjzLt".contains(byte);
        let first = conversion.next();
        let last = match first {
            Some(byte) if is_length(&byte) => conversion.find(|byte| !is_length(byte)),
            other => other,
        };
        if last == Some(b'n') {
            return true;
        }
    }
    false
}

/// What a function changes itself.
fn own(program: &Program, id: FunctionId) -> Frame {
    let function = &program.functions[id];
    let body = match &function.definition {
        Definition::Body(body) => body,
        Definition::Unsupported { .. } => return Frame::Everything,
        Definition::External => {
            let effects = effects_of(&function.name);
            let is_known = effects.defined || effects.standard_output;
            let is_formatted = FORMATTED.iter().any(|(name, _)| function.name == *name);
            return match is_known || is_formatted {
                true if effects.only_reads && !is_formatted => Frame::NOTHING,
                true => Frame::Only { globals: BTreeSet::new(), exported: program.world.open, memory: true },
                false => Frame::Everything,
            };
        }
    };
    let mut frame = Frame::NOTHING;
    let written = |frame: &mut Frame, pointer: ExprId| match named_object(body, pointer) {
        Some(ObjectRef::Local(_)) => {}
        Some(ObjectRef::Global(_)) => frame.write(false),
        None => frame.write(program.world.open),
    };
    for statement in body.statements() {
        if let Some(target) = statement.kind.target().filter(|target| target.is_global()) {
            frame.assign(target);
        }
        match &statement.kind {
            StatementKind::Store { pointer, .. } => written(&mut frame, *pointer),
            StatementKind::Copy { destination, .. } | StatementKind::Fill { destination, .. } => {
                written(&mut frame, *destination);
            }
            StatementKind::Variadic { list, .. } => written(&mut frame, *list),
            StatementKind::Unknown { .. } | StatementKind::Call { callee: Callee::Pointer(_), .. } => {
                return Frame::Everything;
            }
            // What callees change is added when all functions are known.
            StatementKind::Call { callee: Callee::Function(_), .. }
            | StatementKind::Assign { .. }
            | StatementKind::Load { .. }
            | StatementKind::Begin { .. }
            | StatementKind::End { .. }
            | StatementKind::Forget { .. }
            | StatementKind::Allocate { .. }
            | StatementKind::Input { .. }
            | StatementKind::Volatile { .. }
            | StatementKind::Assume { .. }
            | StatementKind::Mark(_)
            | StatementKind::Check(_) => {}
        }
    }
    frame
}

/// The object that a pointer goes to by its name.
pub(crate) fn named_object(body: &Body, pointer: ExprId) -> Option<ObjectRef> {
    match body.expressions[pointer].kind {
        ExprKind::Object(object) => Some(object),
        ExprKind::Offset(base, _) => named_object(body, base),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str, name: &str) -> Frame {
        let mut program = parser::parse(text).expect("the test's program parses");
        program.world.open = true;
        let function = program.function_named(name).expect("it has the function");
        Frames::of(&program).of_function(function).clone()
    }

    fn only(globals: &[usize], memory: bool) -> Frame {
        let globals = globals.iter().map(|&place| VariableId::global(place)).collect();
        Frame::Only { globals, exported: false, memory }
    }

    /// Memory, and what others can name.
    fn anywhere() -> Frame {
        Frame::Only { globals: BTreeSet::new(), exported: true, memory: true }
    }

    const CALLS: &str = "data_model LP64
        object $plain: 6 align 1 readonly = x\"256c64200a00\"
        object $back: 4 align 1 readonly = x\"256c6e00\"
        variable $hidden: i32 = 0:i32
        variable $shown: i32 = 0:i32 exported
        external strlen(ptr) -> i32
        external printf(ptr, ...) -> i32
        external unknown()
        external leave() noreturn
        function quiet(%p: ptr) { variable %n: i32 b0: %n := call strlen(%p) call leave() return }
        function inner() { b0: $hidden := 1:i32 call outer() return }
        function outer() { b0: call inner() return }
        function through(%p: ptr) { b0: store %p := 1:i32 return }
        function own() { object o: 4 align 4 b0: store &o := 1:i32 call quiet(&o) return }
        function away() { b0: call unknown() return }
        function prints() { b0: call printf(&$plain, 1:i64) return }
        function prints_back(%p: ptr) { b0: call printf(&$back, %p) return }
        function prints_any(%p: ptr) { b0: call printf(%p) return }
        function by_pointer(%p: ptr) { b0: call *%p() return }";

    #[test]
    fn frames_are_those_of_all_that_is_called() {
        assert_eq!(frame(CALLS, "quiet"), only(&[], false));
        assert_eq!(frame(CALLS, "inner"), only(&[0], false));
        assert_eq!(frame(CALLS, "outer"), only(&[0], false));
        assert_eq!(frame(CALLS, "own"), only(&[], false));
    }

    #[test]
    fn a_store_may_go_to_what_others_can_name() {
        let through = frame(CALLS, "through");
        assert_eq!(through, anywhere());
        let program = parser::parse(CALLS).expect("the test's program parses");
        let [hidden, shown] = [0, 1].map(VariableId::global);
        assert!(through.assigns(&program, shown) && !through.assigns(&program, hidden));
    }

    #[test]
    fn what_prints_writes_back_if_its_format_says_so() {
        assert_eq!(frame(CALLS, "prints"), only(&[], false));
        assert_eq!(frame(CALLS, "prints_back"), anywhere());
        assert_eq!(frame(CALLS, "prints_any"), anywhere());
        for (format, expected) in
            [("%-5.3lln", true), ("%%n", false), ("100%", false), ("%5n", true), ("a%d%hhn", true)]
        {
            assert_eq!(writes_back(format.as_bytes()), expected, "{format}");
        }
    }

    #[test]
    fn what_is_not_here_changes_everything() {
        for name in ["unknown", "away", "by_pointer"] {
            assert_eq!(frame(CALLS, name), Frame::Everything, "{name}");
        }
    }
}
