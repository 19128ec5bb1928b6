//! `loopscope dump`: text and pictures.

use crate::common::{Folder, NESTED};

#[test]
fn dumps_come_as_text_and_pictures() {
    let folder = Folder::with("a.c", NESTED);
    let text = folder.run(&["dump", "--program", "a.c"]);
    assert_eq!(text.code, Some(0), "{text:?}");
    assert!(text.output.contains("function sum") && text.output.contains("loop while"), "{text:?}");
    let one = folder.run(&["dump", "--program", "--function", "none", "a.c"]);
    assert!(one.output.contains("none") && !one.output.contains("function sum("), "{one:?}");
    let loops = folder.run(&["dump", "--loops", "a.c"]);
    assert!(loops.output.contains("a.c:4 for") && loops.output.contains("a.c:6 while"), "{loops:?}");
    for what in ["--cfg", "--loops"] {
        let dot = folder.run(&["dump", what, "--format", "dot", "--function", "sum", "a.c"]);
        assert!(dot.output.starts_with("digraph \"") && dot.output.trim_end().ends_with('}'), "{dot:?}");
        let svg = folder.run(&["dump", what, "--format", "svg", "--function", "sum", "-o", "f.svg", "a.c"]);
        assert_eq!(svg.code, Some(0), "{svg:?}");
        let picture = std::fs::read_to_string(folder.path().join("f.svg")).expect("the picture is written");
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    }
}
