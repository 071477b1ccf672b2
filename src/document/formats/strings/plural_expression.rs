//! The rule by which gettext chooses a plural form: an expression of C in `n`.

/// A rule as a PO file's `Plural-Forms` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PluralRule {
    pub num_forms: usize,
    expression: Expression,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Number(u64),
    N,
    Not(Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// More forms than any language has.
const MAX_FORMS: usize = 16;

/// How deep expressions may be nested.
const MAX_DEPTH: usize = 64;

/// The first numbers, which cover every form of every known rule.
const NUMBERS: std::ops::Range<u64> = 0..1_001;

impl PluralRule {
    /// Reads `nplurals=2; plural=n != 1;`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let value = |name: &str| {
            let at = text.find(name)?;
            let rest = text[at + name.len()..].trim_start().strip_prefix('=')?;
            Some(rest.split(';').next().unwrap_or(rest).trim())
        };
        let num_forms = value("nplurals")?.parse().ok()?;
        if !(1..=MAX_FORMS).contains(&num_forms) {
            return None;
        }
        // `nplurals` holds the word, too.
        let text = &text[text.find("nplurals")? + "nplurals".len()..];
        let at = text.find("plural")?;
        let rest = text[at + "plural".len()..].trim_start().strip_prefix('=')?;
        let source = rest.split([';', '\n']).next().unwrap_or(rest);
        let mut parser = Parser {
            rest: source,
            depth: 0,
        };
        let expression = parser.choice()?;
        parser.rest.trim().is_empty().then_some(Self {
            num_forms,
            expression,
        })
    }

    /// The form of a number.
    pub(super) fn form(&self, n: u64) -> usize {
        let form = usize::try_from(self.expression.value(n)).unwrap_or(usize::MAX);
        form.min(self.num_forms - 1)
    }

    /// Whether a form says `n = 1`, and whether it says any other number.
    pub(super) fn says_one(&self, form: usize) -> (bool, bool) {
        let others = NUMBERS.filter(|&n| n != 1).any(|n| self.form(n) == form);
        (self.form(1) == form, others)
    }

    /// Some numbers of a form, for translators.
    pub(super) fn examples(&self, form: usize) -> String {
        const SHOWN: usize = 5;
        let numbers: Vec<u64> = NUMBERS
            .filter(|&n| self.form(n) == form)
            .take(SHOWN + 1)
            .collect();
        let mut shown: Vec<String> = numbers.iter().take(SHOWN).map(u64::to_string).collect();
        if numbers.len() > SHOWN {
            shown.push("…".to_owned());
        }
        shown.join(", ")
    }
}

impl Expression {
    fn value(&self, n: u64) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::N => n,
            Self::Not(inner) => u64::from(inner.value(n) == 0),
            Self::Choice(condition, yes, no) => {
                if condition.value(n) == 0 {
                    no.value(n)
                } else {
                    yes.value(n)
                }
            }
            Self::Binary(operator, left, right) => {
                let left = left.value(n);
                match *operator {
                    "&&" => return u64::from(left != 0 && right.value(n) != 0),
                    "||" => return u64::from(left != 0 || right.value(n) != 0),
                    _ => {}
                }
                let right = right.value(n);
                match *operator {
                    "==" => u64::from(left == right),
                    "!=" => u64::from(left != right),
                    "<=" => u64::from(left <= right),
                    ">=" => u64::from(left >= right),
                    "<" => u64::from(left < right),
                    ">" => u64::from(left > right),
                    "+" => left.wrapping_add(right),
                    "-" => left.wrapping_sub(right),
                    "*" => left.wrapping_mul(right),
                    "/" => left.checked_div(right).unwrap_or_default(),
                    _ => left.checked_rem(right).unwrap_or_default(),
                }
            }
        }
    }
}

/// Operators of two sides, those that bind least first.
const LEVELS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, mark: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn choice(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let condition = self.binary(0)?;
        let expression = if self.takes("?") {
            let yes = self.choice()?;
            if !self.takes(":") {
                return None;
            }
            let no = self.choice()?;
            Expression::Choice(Box::new(condition), Box::new(yes), Box::new(no))
        } else {
            condition
        };
        self.depth -= 1;
        Some(expression)
    }

    fn binary(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expression> {
        if self.takes("(") {
            let inner = self.choice()?;
            return self.takes(")").then_some(inner);
        }
        if self.takes("!") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return None;
            }
            let inner = self.unary()?;
            self.depth -= 1;
            return Some(Expression::Not(Box::new(inner)));
        }
        if self.takes("n") {
            return Some(Expression::N);
        }
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..digits].parse().ok()?;
        self.rest = &self.rest[digits..];
        Some(Expression::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_gettext_are_followed() {
        let rule = |text: &str| PluralRule::parse(text).expect("a rule");
        let english = rule("nplurals=2; plural=n != 1;");
        assert_eq!(
            (english.form(0), english.form(1), english.form(5)),
            (1, 0, 1)
        );
        assert_eq!(english.says_one(0), (true, false));
        let russian = rule(
            "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n",
        );
        let forms: Vec<usize> = [1, 21, 2, 12, 5, 111].map(|n| russian.form(n)).into();
        assert_eq!(forms, [0, 0, 1, 2, 2, 2]);
        assert_eq!(russian.says_one(0), (true, true));
        assert_eq!(russian.examples(1), "2, 3, 4, 22, 23, …");
        assert_eq!(rule("nplurals=1; plural=0").form(7), 0);
        assert_eq!(rule("nplurals=2; plural= !(n==1)").form(1), 0);
    }

    #[test]
    fn what_is_no_rule_is_none() {
        for text in [
            "",
            "nplurals=INTEGER; plural=EXPRESSION;",
            "nplurals=0; plural=0;",
            "nplurals=99; plural=0;",
            "nplurals=2; plural=n+;",
            "nplurals=2; plural=(n;",
            "nplurals=2;",
        ] {
            assert_eq!(PluralRule::parse(text), None, "{text}");
        }
        let deep = format!("nplurals=2; plural={}n", "(".repeat(100_000));
        assert_eq!(PluralRule::parse(&deep), None);
        assert_eq!(
            PluralRule::parse("nplurals=2; plural=n/0").map(|rule| rule.form(1)),
            Some(0)
        );
    }
}
