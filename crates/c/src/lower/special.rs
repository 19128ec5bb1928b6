//! Declarations that mean more than C says: assembler names, aliases, weak symbols, constructors, sections; and what keeps
//! functions from being represented whatever their bodies say.

use program::DataModel;
use rucc_sema::{DeclFlags, DeclId, DeclKind, Linkage, Priority, StrId};

use super::Unsupported;
use super::startup::{Place, order, runs_by_itself};
use super::symbols::{Alias, Entity, is_version};
use super::unit::UnitLowering;
use crate::frontend::Unit;

/// Directives of the assembler that define and change nothing.
const HARMLESS_DIRECTIVES: [&str; 4] = [".symver", ".ident", ".file", ".type"];

impl UnitLowering<'_> {
    /// Why no function of the unit can be represented, if so.
    pub(super) fn refused(&self) -> Option<Unsupported> {
        let unit = self.unit;
        // The whole file is the place.
        let span = rucc_diag::Span::DUMMY;
        if let Some(flag) = unit.unsupported_flags.first() {
            return Some(Unsupported {
                reason: format!("compiled with {flag}, which is not supported"),
                span,
            });
        }
        let model = if unit.target.pointer_width == 32 { DataModel::Ilp32 } else { DataModel::Lp64 };
        if model != self.linker.program.data_model {
            let reason = String::from("compiled with pointers of another width than the first file");
            return Some(Unsupported { reason, span });
        }
        let asm = unit.tast.file_asms().iter().find(|asm| !is_harmless(&unit.text(asm.template)))?;
        Some(Unsupported { reason: String::from("assembler outside functions"), span: asm.span })
    }

    /// Why a function cannot be represented although its body could be, if so.
    pub(super) fn obstacle(&self, decl: DeclId) -> Option<Unsupported> {
        let unit = self.unit;
        let span = unit.tast.definition_span(decl);
        if let Some(refusal) = self.refusal.clone() {
            return Some(Unsupported {
                span: if refusal.span.is_dummy() { span } else { refusal.span },
                ..refusal
            });
        }
        if let Some(span) = unit.error_in(decl) {
            return Some(Unsupported { reason: String::from("an error in its source text"), span });
        }
        let naked = unit.tast[decl].flags.contains(DeclFlags::NAKED);
        let versions = unit.tast.versions(decl).is_some();
        let reason = match (naked, versions) {
            (true, _) => "a function that is only assembler: the attribute naked",
            (false, true) => "several versions of a function for several machines",
            (false, false) => return None,
        };
        Some(Unsupported { reason: reason.to_owned(), span })
    }

    /// The name that the linker knows a declaration by.
    pub(super) fn symbol(&self, decl: DeclId) -> String {
        let declared = &self.unit.tast[decl];
        let name = self.name(decl);
        let name = rucc_sema::library_name(&name).map_or(name, str::to_owned);
        let is_reference = declared.flags.contains(DeclFlags::WEAKREF);
        match declared.asm_label.filter(|_| !is_reference && declared.linkage == Linkage::External) {
            Some(label) => {
                let label = self.unit.text(label);
                let is_library = declared.kind == DeclKind::Function && declared.body.is_none();
                if is_library && is_version(&name, &label) { name } else { label }
            }
            None => name,
        }
    }

    /// Adds what counts even if nothing in C names it.
    pub(super) fn declare_special(&mut self) {
        let unit = self.unit;
        for decl in unit.decls().filter(|&decl| unit.tast[decl].linkage != Linkage::None) {
            let declared = &unit.tast[decl];
            let is_function = declared.kind == DeclKind::Function;
            if is_function && (declared.alias.is_some() || self.symbol(decl) == "main") {
                self.function(decl);
            } else if declared.kind == DeclKind::Object && declared.alias.is_some() {
                self.object(decl, "");
            }
            let section = unit.tast.section(decl).map(|section| unit.text(section));
            if section.is_some_and(|section| runs_by_itself(&section)) {
                let reason = String::from("a section of functions that run before or after main");
                let location = self.location(unit.tast.decl_span(decl));
                self.linker.startup.refused.get_or_insert((reason, location));
            }
        }
        self.declare_startup();
    }

    /// Adds the constructors and destructors, in the order in which they are defined.
    fn declare_startup(&mut self) {
        let unit = self.unit;
        let has_a_place = |decl: &&DeclId| {
            let declared = &unit.tast[**decl];
            declared.kind == DeclKind::Function && declared.body.is_some() && declared.startup.asked()
        };
        let mut decls: Vec<DeclId> = unit.tast.top_level().iter().filter(has_a_place).copied().collect();
        decls.sort_by_key(|&decl| (unit.tast.definition_span(decl).lo, decl));
        decls.dedup();
        let number = |priority: Priority| match priority {
            Priority::Unnumbered => None,
            Priority::Numbered(number) => Some(number),
        };
        let file = self.linker.startup.files;
        self.linker.startup.files += 1;
        for decl in decls {
            let function = self.function(decl);
            let place = |priority| Place { order: order(number(priority)), file, function };
            let asked = unit.tast[decl].startup;
            self.linker.startup.before.extend(asked.before.map(place));
            self.linker.startup.after.extend(asked.after.map(place));
        }
    }

    /// Keeps what is said of a function or an object besides its type.
    pub(super) fn note_symbol(&mut self, decl: DeclId, entity: Entity) {
        let unit = self.unit;
        let declared = &unit.tast[decl];
        let is_weak = declared.flags.contains(DeclFlags::WEAK);
        if let (Entity::Function(id), Some(label)) = (entity, declared.asm_label) {
            let label = unit.text(label);
            if is_version(&self.symbol(decl), &label) {
                self.linker.symbols.versions.push((id, label));
            }
        }
        if unit.tast.is_ifunc(decl) {
            self.refuse(entity, "an indirect function, which is chosen when the program starts");
        } else if declared.flags.contains(DeclFlags::RETURNS_TWICE)
            && !is_known_to_return_twice(&self.name(decl))
        {
            self.refuse(entity, "a function that may return twice");
        } else if let Some(target) = declared.alias {
            self.alias(entity, target, if is_weak { Alias::Weak } else { Alias::Strong });
        } else if let Some(target) =
            declared.asm_label.filter(|_| declared.flags.contains(DeclFlags::WEAKREF))
        {
            // A weak reference has the name of its target as its label.
            self.alias(entity, target, Alias::Reference);
        } else if declared.asm_label.is_some() && self.shares_a_local_name(decl) {
            self.refuse(entity, "an assembler name that two declarations have");
        } else if is_weak && declared.body.is_none() && declared.state == rucc_sema::Definition::Declared {
            self.linker.symbols.weakly_declared.insert(entity);
        }
    }

    fn refuse(&mut self, entity: Entity, reason: &str) {
        self.linker.symbols.refused.insert(entity, reason.to_owned());
    }

    fn alias(&mut self, entity: Entity, target: StrId, alias: Alias) {
        let target = self.unit.text(target);
        let decls = self.unit.decls().filter(|&decl| self.symbol(decl) == target);
        let is_definition = |&decl: &DeclId| {
            let declared = &self.unit.tast[decl];
            declared.linkage != Linkage::None
                && declared.alias.is_none_or(|other| self.unit.text(other) != target)
        };
        let found: Vec<DeclId> = decls.filter(is_definition).collect();
        let meaning = match (entity, found.first()) {
            (Entity::Function(_), Some(&decl)) if self.unit.tast[decl].kind == DeclKind::Function => {
                Entity::Function(self.function(decl))
            }
            (Entity::Object(_), Some(&decl)) if self.unit.tast[decl].kind == DeclKind::Object => {
                Entity::Object(self.object(decl, ""))
            }
            _ => return self.refuse(entity, "an alias of a name that the file does not declare"),
        };
        self.linker.symbols.aliases.push((entity, meaning, alias));
    }

    /// Whether the assembler name of a declaration is also that of another one, and one of them is `static`. Names of
    /// other files are made one by the linker.
    fn shares_a_local_name(&self, decl: DeclId) -> bool {
        let unit = self.unit;
        let name = |decl: DeclId| {
            unit.tast[decl].asm_label.map_or_else(|| self.name(decl), |label| unit.text(label))
        };
        let is_local = |decl: DeclId| unit.tast[decl].linkage == Linkage::Internal;
        let label = name(decl);
        unit.decls().any(|other| {
            other != decl
                && unit.tast[other].linkage != Linkage::None
                && (is_local(decl) || is_local(other))
                && name(other) == label
        })
    }
}

impl Unit {
    /// All declarations, also those in functions.
    pub(super) fn decls(&self) -> impl Iterator<Item = DeclId> + use<> {
        (0..self.tast.counts().decls).map(DeclId::from_usize)
    }

    /// The text of a string.
    fn text(&self, string: StrId) -> String {
        self.tast[string].elements.iter().filter_map(|&unit| char::from_u32(unit)).collect()
    }
}

/// The functions that the lowering knows to return twice.
fn is_known_to_return_twice(name: &str) -> bool {
    ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext"].contains(&name)
}

/// Whether a text for the assembler defines and changes nothing.
fn is_harmless(text: &str) -> bool {
    let lines = text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty());
    lines
        .into_iter()
        .all(|line| HARMLESS_DIRECTIVES.contains(&line.split_whitespace().next().unwrap_or(line)))
}
