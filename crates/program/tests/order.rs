//! Tests of the weak topological order.

use base::Index;
use loopscope_program::order::{Element, order};

fn text(elements: &[Element]) -> String {
    let one = |element: &Element| match element {
        Element::Block(block) => block.index().to_string(),
        Element::Component(component) => {
            format!("({} {})", component.head.index(), text(&component.rest)).replace(" )", ")")
        }
    };
    elements.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn order_of(blocks: &str) -> String {
    let program = format!("data_model LP64 function f(%c: bool) {{ {blocks} }}");
    let program = parser::parse(&program).expect("the test's program parses");
    text(&order(program.functions.values().next().and_then(|f| f.body()).expect("a body")))
}

#[test]
fn loops_become_components() {
    assert_eq!(
        order_of(
            "b0: goto b1  b1: if %c goto b2 else b5  b2: if %c goto b3 else b4  b3: goto b2
             b4: goto b1  b5: return"
        ),
        "0 (1 (2 3) 4) 5"
    );
    assert_eq!(order_of("b0: goto b1  b1: if %c goto b1 else b2  b2: return"), "0 (1) 2");
}

#[test]
fn loops_with_two_entries_are_cut_at_the_first() {
    let order = order_of("b0: if %c goto b1 else b2  b1: goto b2  b2: if %c goto b1 else b3  b3: return");
    assert!(order == "0 (1 2) 3" || order == "0 (2 1) 3", "{order}");
}
