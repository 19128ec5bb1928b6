//! Graphs as SVG pictures that stand on their own: no scripts, no fonts to fetch.

use std::fmt::Write;

use crate::graph::Graph;
use crate::layout::{CHARACTER, LINE, Layout, MARGIN, layout};

/// The picture of a graph.
pub fn svg(graph: &Graph) -> String {
    let drawn = layout(graph);
    let title_width = graph.title.chars().count() as f64 * CHARACTER * 1.3 + 2.0 * MARGIN;
    let (width, height) = (drawn.width.max(title_width).ceil(), drawn.height.ceil());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"11\">\n"
    );
    let _ = writeln!(svg, "<title>{}</title>", escaped(&graph.title));
    svg.push_str(MARKERS);
    let _ = writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>");
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{}</text>",
        escaped(&graph.title)
    );
    edges(&mut svg, graph, &drawn);
    boxes(&mut svg, graph, &drawn);
    svg.push_str("</svg>\n");
    svg
}

const MARKERS: &str = concat!(
    "<defs>\n",
    "<marker id=\"forward\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">",
    "<path d=\"M0 0L8 4L0 8z\" fill=\"#445566\"/></marker>\n",
    "<marker id=\"back\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">",
    "<path d=\"M0 0L8 4L0 8z\" fill=\"#c0392b\"/></marker>\n",
    "</defs>\n",
);

fn boxes(svg: &mut String, graph: &Graph, drawn: &Layout) {
    for (node, at) in graph.nodes.iter().zip(&drawn.boxes) {
        let (x, y) = (at.x - at.width / 2.0, at.y - at.height / 2.0);
        let _ = writeln!(
            svg,
            "<g><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\" fill=\"{}\" stroke=\"#445566\"/>",
            at.width,
            at.height,
            node.paint.colour()
        );
        for (row, line) in node.lines.iter().enumerate() {
            let (x, y) = (x + MARGIN, y + MARGIN / 2.0 + LINE * (row as f64 + 0.75));
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" xml:space=\"preserve\">{}</text>",
                escaped(line)
            );
        }
        svg.push_str("</g>\n");
    }
}

fn edges(svg: &mut String, graph: &Graph, drawn: &Layout) {
    for (edge, points) in graph.edges.iter().zip(&drawn.routes) {
        let [first, .., _] = points.as_slice() else { continue };
        let (colour, marker) = if edge.back { ("#c0392b", "back") } else { ("#445566", "forward") };
        let mut path = format!("M{:.1} {:.1}", first.0, first.1);
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            // A curve that leaves and arrives vertically, unless the edge runs sideways.
            let middle = (y0 + y1) / 2.0;
            let _ = if (y0 - y1).abs() < 1.0 || (x0 - x1).abs() < 1.0 {
                write!(path, "L{x1:.1} {y1:.1}")
            } else {
                write!(path, "C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}")
            };
        }
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" marker-end=\"url(#{marker})\"/>"
        );
        if !edge.label.is_empty() {
            let next = points[1];
            let (x, y) = (first.0 + (next.0 - first.0) * 0.3 + 4.0, first.1 + (next.1 - first.1) * 0.3 + 3.0);
            let label = escaped(&edge.label);
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"9\" fill=\"{colour}\">{label}</text>"
            );
        }
    }
}

/// Text as XML wants it; characters that XML does not allow are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Node, Paint};

    #[test]
    fn text_is_escaped_and_every_box_is_drawn() {
        let graph = Graph {
            title: String::from("f"),
            nodes: vec![
                Node {
                    name: String::from("b0"),
                    lines: vec![String::from("i < n && \"x\"\u{1}")],
                    paint: Paint::Head,
                },
                Node {
                    name: String::from("b1"),
                    lines: vec![String::from("return")],
                    paint: Paint::Inside(2),
                },
            ],
            edges: vec![
                Edge { from: 0, to: 1, label: String::from("no"), back: false },
                Edge { from: 0, to: 0, label: String::new(), back: true },
            ],
        };
        let picture = svg(&graph);
        assert!(picture.contains("i &lt; n &amp;&amp; &quot;x&quot;\u{fffd}"));
        assert_eq!(picture.matches("<rect").count(), 3, "the background and two boxes");
        assert_eq!(picture.matches("<path d=").count(), 4, "two markers and two edges");
    }
}
