//! Witnesses in the older exchange format, GraphML version 1.0: a path to the violation, with the values that calls return;
//! for a run that never ends a cycle; for a proof the loops with their invariants.

use std::fmt::Write;

use evidence::{Counterexample, Failure};

use super::{DividedProof, EntryKind, Problem, Sites, Task, own, returned};

/// The attributes of the format that are used: for what, which, and what is meant where one is missing.
const KEYS: [(&str, &str, &str); 20] = [
    ("graph", "witness-type", ""),
    ("graph", "sourcecodelang", ""),
    ("graph", "producer", ""),
    ("graph", "specification", ""),
    ("graph", "programfile", ""),
    ("graph", "programhash", ""),
    ("graph", "architecture", ""),
    ("graph", "creationtime", ""),
    ("graph", "loopscope", ""),
    ("node", "entry", "false"),
    ("node", "violation", "false"),
    ("node", "cyclehead", "false"),
    ("node", "invariant", "true"),
    ("node", "invariant.scope", ""),
    ("edge", "startline", ""),
    ("edge", "endline", ""),
    ("edge", "enterLoopHead", "false"),
    ("edge", "assumption", ""),
    ("edge", "assumption.scope", ""),
    ("edge", "assumption.resultfunction", ""),
];

/// Of an edge that leads to the head of a loop.
const HEAD: [(&str, &str); 1] = [("enterLoopHead", "true")];

/// A violating run as a violation witness.
pub fn violation(task: &Task, sites: &Sites, run: &Counterexample) -> String {
    let mut graph = Graph::new(task, "violation_witness", &own::write_run(run));
    graph.node(&[("entry", "true")]);
    for input in returned(sites, run) {
        let (line, assumption) = (input.place.line.to_string(), format!("\\result == {};", input.value));
        let next = graph.node(&[]);
        graph.edge(
            next - 1,
            next,
            &line,
            &[
                ("assumption", &assumption),
                ("assumption.scope", &run.entry),
                ("assumption.resultfunction", input.name),
            ],
        );
    }
    let line = run.failure.place().map_or(1, |place| sites.physical(place).line).to_string();
    match &run.failure {
        Failure::Violation { .. } => {
            let last = graph.node(&[("violation", "true")]);
            graph.edge(last - 1, last, &line, &[]);
        }
        Failure::Repetition { .. } | Failure::Recurrence { .. } => {
            let head = graph.node(&[("cyclehead", "true")]);
            graph.edge(head - 1, head, &line, &HEAD);
            let body = graph.node(&[]);
            graph.edge(head, body, &line, &[]);
            graph.edge(body, head, &line, &HEAD);
        }
    }
    graph.end()
}

/// A proof as a correctness witness.
pub fn proof(task: &Task, sites: &Sites, divided: &DividedProof) -> String {
    let mut graph = Graph::new(task, "correctness_witness", &divided.own);
    graph.node(&[("entry", "true")]);
    for (place, point) in sites.points.iter().enumerate() {
        let is_here = |entry: &&super::Entry| entry.point == place && entry.kind == EntryKind::LoopInvariant;
        let parts: Vec<String> =
            divided.entries.iter().filter(is_here).map(|entry| format!("( {} )", entry.value)).collect();
        if parts.is_empty() {
            continue;
        }
        let invariant = parts.join(" && ");
        let head = graph.node(&[("invariant", &invariant), ("invariant.scope", &point.function)]);
        graph.edge(0, head, &sites.physical(&point.place).line.to_string(), &HEAD);
    }
    graph.end()
}

/// Our own part of a witness that we have written, with the line on which it starts, and whether it is a proof.
///
/// # Errors
/// If it is none.
pub fn own_part(text: &str) -> Result<(String, usize, bool), Problem> {
    let start = "<data key=\"loopscope\">";
    let missing = || Problem {
        line: 1,
        text: String::from(
            "expected a GraphML witness that Loopscope has written: those of others have no inputs",
        ),
    };
    let at = text.find(start).ok_or_else(missing)?;
    let (own, _) = text[at + start.len()..].split_once("</data>").ok_or_else(missing)?;
    let is_proof = text.contains("<data key=\"witness-type\">correctness_witness</data>");
    let own = own.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    Ok((own, text[..at].lines().count(), is_proof))
}

/// The digest of the program that a witness is for.
pub fn digest(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<data key=\"programhash\">")?;
    rest.split_once("</data>").map(|(digest, _)| digest)
}

/// The specification that a witness is for.
pub fn specification(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<data key=\"specification\">")?;
    rest.split_once("</data>").map(|(found, _)| found.replace("&amp;", "&"))
}

struct Graph {
    text: String,
    nodes: usize,
    edges: usize,
}

impl Graph {
    fn new(task: &Task, kind: &str, own: &str) -> Self {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
        );
        for (of, name, default) in KEYS {
            let _ =
                write!(text, " <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"string\" for=\"{of}\"");
            match default {
                "" => text.push_str("/>\n"),
                _ => _ = writeln!(text, "><default>{default}</default></key>"),
            }
        }
        text.push_str(" <graph edgedefault=\"directed\">\n");
        let (file, digest) = task.files.first().map_or(("", ""), |(file, digest)| (file, digest));
        for (key, value) in [
            ("witness-type", kind),
            ("sourcecodelang", "C"),
            ("producer", concat!("Loopscope ", env!("CARGO_PKG_VERSION"))),
            ("specification", &task.specification),
            ("programfile", file),
            ("programhash", digest),
            ("architecture", &format!("{}bit", task.bits)),
            ("creationtime", &task.time),
            ("loopscope", own),
        ] {
            data(&mut text, "  ", key, value);
        }
        Self { text, nodes: 0, edges: 0 }
    }

    fn node(&mut self, attributes: &[(&str, &str)]) -> usize {
        let _ = writeln!(self.text, "  <node id=\"N{}\">", self.nodes);
        attributes.iter().for_each(|(key, value)| data(&mut self.text, "   ", key, value));
        self.text.push_str("  </node>\n");
        self.nodes += 1;
        self.nodes - 1
    }

    fn edge(&mut self, from: usize, to: usize, line: &str, attributes: &[(&str, &str)]) {
        let _ = writeln!(self.text, "  <edge id=\"E{}\" source=\"N{from}\" target=\"N{to}\">", self.edges);
        let lines = [("startline", line), ("endline", line)];
        lines.iter().chain(attributes).for_each(|(key, value)| data(&mut self.text, "   ", key, value));
        self.text.push_str("  </edge>\n");
        self.edges += 1;
    }

    fn end(mut self) -> String {
        self.text.push_str(" </graph>\n</graphml>\n");
        self.text
    }
}

fn data(text: &mut String, indent: &str, key: &str, value: &str) {
    let _ = writeln!(text, "{indent}<data key=\"{key}\">{}</data>", escaped(value));
}

/// Text inside an element of XML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
