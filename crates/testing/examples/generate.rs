//! Prints the generated program of a seed.

fn main() {
    let seed = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    print!("{}", loopscope_testing::generator::generate(seed));
}
