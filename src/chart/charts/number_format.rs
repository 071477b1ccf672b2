//! Numbers and names as figures and tables write them.

/// A number with commas: `10,000`.
pub fn thousands(number: usize) -> String {
    apart(&number.to_string())
}

/// Digits with a comma before every three.
pub(super) fn apart(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Text without meaning for LaTeX.
pub fn latex_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', letter]),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '±' => escaped.push_str("$\\pm$"),
            '–' => escaped.push_str("--"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let numbers = [0, 999, 1_000, 12_345, 1_234_567];
        let written = ["0", "999", "1,000", "12,345", "1,234,567"];
        assert_eq!(numbers.map(thousands), written);
    }

    #[test]
    fn nothing_means_anything_to_latex() {
        assert_eq!(latex_escaped("100 % R&D_a"), "100 \\% R\\&D\\_a");
        let odd = "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}";
        assert_eq!(latex_escaped("\\~^"), odd);
        assert_eq!(latex_escaped("1.0 ± 0.1, –"), "1.0 $\\pm$ 0.1, --");
    }
}
