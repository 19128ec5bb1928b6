//! The programs of the paper (Berdine and others, POPL 2007), written from its text. `nondet` is any number.

/// Fig. 2, its lines 81 to 91 being lines 3 to 13 here, with one of the two conditions of the inner loop.
pub fn figure_2(condition: &str) -> String {
    format!(
        "int main(void) {{
    int x = nondet(), y = nondet(), a = nondet(), b = nondet();
    while (nondet()) {{
        while (x > a && y > b) {{
            if (nondet()) {{
                do {{
                    x = x - 1;
                }} while ({condition});
            }} else {{
                y = y - 1;
            }}
        }}
    }}
    return 0;
}}"
    )
}

/// The loop with three numbers of section 5.
pub const THREE: &str = "int main(void) { int x = nondet(), y = nondet(), z = nondet();
    if (x <= z || y <= z) return 0;
    while (x + y > z) {
        if (nondet()) { x = x - 1; } else { if (nondet()) { y = y - 1; } else { z = z + 1; } }
    }
    return 0; }";

/// Bubble sort without its array (Fig. 4a, example 4; the program is that of Cousot and Halbwachs, 1978).
pub const BUBBLE_SORT: &str = "int main(void) { int n = nondet(), b = n, j, t;
    while (b >= 1) {
        j = 1;
        t = 0;
        while (j <= b - 1) {
            if (nondet()) { t = j; }
            j = j + 1;
        }
        if (t == 0) return 0;
        b = t;
    }
    return 0; }";

/// Heap sort without its array (Fig. 4a, example 3; the program is that of Cousot and Halbwachs, 1978).
pub const HEAP_SORT: &str = "int main(void) { int n = nondet(), l, r, i, j;
    if (n < 2 || n > 1000000) return 0;
    l = n / 2 + 1;
    r = n;
    if (l >= 2) { l = l - 1; } else { r = r - 1; }
    while (r >= 2) {
        i = l;
        j = 2 * i;
        while (j <= r) {
            if (j <= r - 1) { if (nondet()) { j = j + 1; } }
            if (nondet()) break;
            i = j;
            j = 2 * j;
        }
        if (l >= 2) { l = l - 1; } else { r = r - 1; }
    }
    return 0; }";

/// Section 2: the outer loop is left whatever the inner one does.
pub const AROUND: &str = "int main(void) { int x = nondet(), a = nondet();
        while (x > a) {
            x = x - 1;
            while (nondet()) {}
        }
        return 0; }";

/// Section 4: signs are enough.
pub const SIGNS: &str = "int main(void) { int x = nondet(), k = nondet();
    while (x < 0 && k > 0)
        x = x * x + k;
    return 0; }";

/// Section 5: a number that approaches a fixed one.
pub const APPROACH: &str =
    "int main(void) { int x = nondet(), y = nondet(); while (x < y) x = x + 1; return 0; }";

/// All of them.
#[allow(dead_code, reason = "the measurement uses it")]
pub fn all() -> Vec<(&'static str, String)> {
    let fixed = [
        ("three numbers", THREE),
        ("bubble sort", BUBBLE_SORT),
        ("heap sort", HEAP_SORT),
        ("a loop around another", AROUND),
        ("signs", SIGNS),
        ("approach", APPROACH),
    ];
    let mut all: Vec<_> = fixed.into_iter().map(|(name, text)| (name, text.to_owned())).collect();
    all.insert(0, ("figure 2", figure_2("x > 10")));
    all.insert(1, ("figure 2, inner loop open", figure_2("nondet()")));
    all
}
