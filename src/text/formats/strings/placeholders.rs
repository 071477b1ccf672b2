//! Placeholders and tags in the strings of programs: what a translation must have as it is.

/// How a format's strings are written.
#[derive(Debug, Clone, Copy)]
pub(in crate::text::formats) struct Dialect {
    pub percent: Percent,
    /// Whether `{0}` and `{name}` are placeholders.
    pub braces: bool,
    /// Whether a percent sign that means itself is doubled.
    pub doubles_percent: bool,
    /// Whether a space may stand between a percent sign and its letter: the file says that it is such a format.
    pub is_declared: bool,
}

/// The meaning of a percent sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text::formats) enum Percent {
    /// `%s`, `%1$s`, `%@`, `%(name)s`, `%{name}`.
    Printf,
    /// `%1`, `%L1`, `%n`.
    Qt,
    /// Nothing.
    Literal,
}

impl Dialect {
    pub const PLAIN: Self = Self {
        percent: Percent::Printf,
        braces: true,
        doubles_percent: false,
        is_declared: false,
    };

    pub const QT: Self = Self {
        percent: Percent::Qt,
        ..Self::PLAIN
    };

    /// The dialect of one value: where something is formatted, percent signs that mean themselves are doubled.
    pub fn of(self, value: &str) -> Self {
        let is_format = |at: usize| {
            let found = self.find(value, at);
            matches!(found, Some((_, Found::Placeholder)))
                && conversion(&value[at..], self.is_declared).is_some()
        };
        let formats = self.is_declared || value.match_indices('%').any(|(at, _)| is_format(at));
        Self {
            doubles_percent: self.percent == Percent::Printf && formats,
            ..self
        }
    }

    /// Reads the placeholder at byte `at`: its length and kind.
    pub fn find(self, text: &str, at: usize) -> Option<(usize, Found)> {
        let rest = &text[at..];
        let placeholder = |length: usize| (length, Found::Placeholder);
        match rest.as_bytes().first()? {
            b'%' => self.percent(text, at),
            b'{' if self.braces => braced(rest).map(placeholder),
            b'$' if self.braces => dollar(rest).map(placeholder),
            b'#' | b'@' if self.braces && rest[1..].starts_with('{') => {
                braced(&rest[1..]).map(|length| placeholder(length + 1))
            }
            b'<' => tag(rest),
            b'&' => reference(rest).map(placeholder),
            _ => None,
        }
    }

    fn percent(self, text: &str, at: usize) -> Option<(usize, Found)> {
        let rest = &text[at..];
        match self.percent {
            Percent::Literal => None,
            Percent::Qt => qt(rest).map(|length| (length, Found::Placeholder)),
            Percent::Printf => {
                if rest.starts_with("%%") {
                    let found = if self.doubles_percent {
                        Found::PercentSign
                    } else {
                        Found::Placeholder
                    };
                    return Some((2, found));
                }
                let Some(length) = printf(rest, self.is_declared) else {
                    // Where other signs are doubled, one that is not stays as it is.
                    return self
                        .doubles_percent
                        .then(|| (unknown(rest), Found::Placeholder));
                };
                // As in "50%discount".
                let follows_digit = text[..at].ends_with(|c: char| c.is_ascii_digit());
                let goes_on = text[at + length..].starts_with(char::is_alphabetic);
                let is_sure = self.is_declared || !(follows_digit && goes_on);
                is_sure.then_some((length, Found::Placeholder))
            }
        }
    }
}

/// A part of a string beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text::formats) enum Found {
    Placeholder,
    /// `%%`, which means `%`.
    PercentSign,
    Open,
    Close,
    /// `<br>`.
    Break,
    /// A tag without a partner.
    Point,
    /// A character that no translation may have.
    Control,
}

/// The length of what `printf` and its relatives replace.
fn printf(rest: &str, is_declared: bool) -> Option<usize> {
    let own = conversion(rest, is_declared);
    match named(rest) {
        // `%d%` is a conversion and a percent sign.
        Some(length) if own.is_none_or(|own| own + 1 < length) && length > 4 => Some(length),
        _ => bracketed(rest).or(own),
    }
}

/// The length of a percent sign that is no known conversion, with what it may convert.
fn unknown(rest: &str) -> usize {
    let format = rest[1..]
        .bytes()
        .take_while(|b| b"-+#.0123456789".contains(b))
        .count();
    let goes_on = rest[1 + format..].starts_with(|c: char| c.is_ascii_alphabetic());
    if goes_on { format + 2 } else { 1 }
}

/// `%name%`.
fn named(rest: &str) -> Option<usize> {
    let name = &rest[1..];
    let length = name
        .bytes()
        .take_while(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
        .count();
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && name[length..].starts_with('%') && !name[length + 1..].starts_with('%'))
        .then_some(length + 2)
}

/// `%{name}`, `%<name>s`.
fn bracketed(rest: &str) -> Option<usize> {
    let body = &rest[1..];
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
    };
    if let Some(inner) = body.strip_prefix('{') {
        let end = inner.find('}')?;
        return is_name(&inner[..end]).then_some(end + 3);
    }
    let inner = body.strip_prefix('<')?;
    let end = inner.find('>')?;
    // `%<PRIu64>` of gettext has nothing behind it.
    if !is_name(&inner[..end]) || inner.starts_with("PRI") {
        return None;
    }
    let after = &inner[end + 1..];
    let format = after
        .bytes()
        .take_while(|b| b"-+0#.123456789".contains(b))
        .count();
    let letter = after[format..].chars().next()?;
    letter.is_ascii_alphabetic().then_some(end + 3 + format + 1)
}

/// `%[(name)][1$][flags][width][.precision][length]letter`.
fn conversion(rest: &str, is_declared: bool) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut place = 1;
    let many = |place: &mut usize, is_it: &dyn Fn(u8) -> bool| {
        let start = *place;
        while bytes.get(*place).is_some_and(|&byte| is_it(byte)) {
            *place += 1;
        }
        *place > start
    };
    let is_named = bytes.get(place) == Some(&b'(');
    if is_named {
        place += rest[place..].find(')')? + 1;
        if rest[1..place].contains(['\n', '%']) {
            return None;
        }
    }
    let digits = place;
    if many(&mut place, &|b| b.is_ascii_digit()) && bytes.get(place) == Some(&b'$') {
        place += 1;
    } else {
        place = digits;
    }
    // Apple's and Java's.
    many(&mut place, &|b| {
        b"-+#0'".contains(&b) || b == b' ' && is_declared
    });
    if rest[place..].starts_with('<') && !rest[place..].starts_with("<PRI") {
        place += 1;
    }
    let star = |place: &mut usize| {
        many(place, &|b| b.is_ascii_digit() || b == b'*');
        if bytes.get(*place) == Some(&b'$') {
            *place += 1;
        }
    };
    star(&mut place);
    if bytes.get(place) == Some(&b'.') {
        place += 1;
        star(&mut place);
    }
    // `%#@files@` of Apple's plurals.
    if bytes.get(place) == Some(&b'@') && rest[..place].contains('#') {
        let name = &rest[place + 1..];
        let length = name
            .bytes()
            .take_while(|&b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
            .count();
        return (length > 0 && name[length..].starts_with('@')).then_some(place + length + 2);
    }
    // `<PRId64>` of gettext.
    if let Some(inner) = rest[place..].strip_prefix("<PRI") {
        return inner.find('>').map(|end| place + 5 + end);
    }
    many(&mut place, &|b| b"hlLqjzt".contains(&b));
    if rest[place..].starts_with("I64") || rest[place..].starts_with("I32") {
        place += 3;
    }
    let letter = *bytes.get(place)?;
    // `%tY` of Java has taken its `t` already.
    let is_time = place > 1
        && bytes[place - 1] == b't'
        && b"HIklMSLNpzZsQBbhAaCYyjmdeRTrDFc".contains(&letter);
    let is_letter = b"diouxXeEfFgGaAcCsSpn@bBUDOm".contains(&letter) || is_time;
    is_letter.then_some(place + 1)
}

/// `%1`, `%L1`, `%n`, `%Ln`.
fn qt(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let start = if bytes.get(1) == Some(&b'L') { 2 } else { 1 };
    match bytes.get(start)? {
        b'0'..=b'9' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => Some(start + 2),
        b'n' | b'1'..=b'9' => Some(start + 1),
        _ => None,
    }
}

/// `{0}`, `{name}`, `{name:format}`, `{{name}}`, `{}`.
fn braced(rest: &str) -> Option<usize> {
    let depth = rest.bytes().take_while(|&b| b == b'{').count().min(3);
    let close = &"}}}"[..depth];
    let inner = &rest[depth..];
    let end = inner.find('}')?;
    let content = &inner[..end];
    if content.contains(['\n', '{']) || !inner[end..].starts_with(close) || !is_argument(content) {
        // `{{0}` has a placeholder behind its first brace.
        return None;
    }
    Some(2 * depth + end)
}

/// A name or a number, and perhaps how it is formatted.
fn is_argument(content: &str) -> bool {
    let content = content.trim();
    let is_name = |c: char| c.is_alphanumeric() || "_.$@-/[]^&!".contains(c);
    let rest = content.trim_start_matches(is_name).trim_start();
    rest.is_empty() || rest.starts_with([',', ':', '|', '(', '=', '?'])
}

/// `${name}`, `$t(key)`, `$NAME$`, `$1`.
fn dollar(rest: &str) -> Option<usize> {
    let body = &rest[1..];
    if body.starts_with('{') {
        return braced(body).map(|length| length + 1);
    }
    if body.starts_with("t(") {
        return body.find(')').map(|end| end + 2);
    }
    let name = body
        .bytes()
        .take_while(|&b| b.is_ascii_alphanumeric() || b"_@".contains(&b))
        .count();
    if name > 0 && body[name..].starts_with('$') {
        return Some(name + 2);
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let is_price =
        body[digits..].starts_with(|c: char| c == '.' || c == ',' || c.is_alphanumeric());
    (digits == 1 && !is_price).then_some(2)
}

/// A tag of HTML or of a program's own.
fn tag(rest: &str) -> Option<(usize, Found)> {
    if let Some(comment) = rest.strip_prefix("<!--") {
        return comment.find("-->").map(|end| (end + 7, Found::Point));
    }
    let end = rest.find('>')?;
    let inner = &rest[1..end];
    let is_closing = inner.starts_with('/');
    let name = tag_name(inner);
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let after = &inner.trim_start_matches('/')[name.len()..];
    let is_tag = begins
        && !inner.contains('<')
        && (after.is_empty() || after.starts_with(|c: char| c.is_ascii_whitespace() || c == '/'));
    // "a <b and c> d" has no attributes.
    let has_attributes = after
        .trim_end_matches('/')
        .trim()
        .split_ascii_whitespace()
        .all(|word| word.contains(['=', '"', '\'']) || after.contains('='));
    if !is_tag || !has_attributes || is_closing && !after.trim().is_empty() {
        return None;
    }
    let is_void = matches!(
        name.to_ascii_lowercase().as_str(),
        "img" | "hr" | "wbr" | "input" | "meta" | "link"
    );
    let found = match () {
        () if name.eq_ignore_ascii_case("br") => Found::Break,
        () if inner.ends_with('/') || is_void => Found::Point,
        () if is_closing => Found::Close,
        () => Found::Open,
    };
    Some((end + 1, found))
}

/// The name in a tag, or in what stands between its marks.
pub(super) fn tag_name(tag: &str) -> &str {
    let tag = tag.trim_start_matches(['<', '/']);
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c));
    tag.split(ends).next().unwrap_or_default()
}

/// `&nbsp;` or `&#160;`.
fn reference(rest: &str) -> Option<usize> {
    let end = rest.as_bytes().iter().take(12).position(|&b| b == b';')?;
    let name = &rest[1..end];
    let is_reference = match name.strip_prefix('#') {
        Some(number) => {
            let digits = number.trim_start_matches(['x', 'X']);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
        }
        None => (2..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric()),
    };
    is_reference.then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, dialect: Dialect) -> Vec<&str> {
        let dialect = dialect.of(text);
        let (mut found, mut place) = (Vec::new(), 0);
        while place < text.len() {
            if !text.is_char_boundary(place) {
                place += 1;
                continue;
            }
            match dialect.find(text, place) {
                Some((length, _)) => {
                    found.push(&text[place..place + length]);
                    place += length;
                }
                None => place += 1,
            }
        }
        found
    }

    #[test]
    fn placeholders_of_many_languages_are_found() {
        for (text, expected) in [
            ("%s of %d", vec!["%s", "%d"]),
            (
                "%1$s %2$-5.2f %lld %@ %1$@",
                vec!["%1$s", "%2$-5.2f", "%lld", "%@", "%1$@"],
            ),
            ("%(name)s is %(age)d", vec!["%(name)s", "%(age)d"]),
            ("%{count} of %<all>.2f", vec!["%{count}", "%<all>.2f"]),
            ("Hello %name%, %d%% done", vec!["%name%", "%d", "%%"]),
            ("%#@files@ and %1$#@dirs@", vec!["%#@files@", "%1$#@dirs@"]),
            ("%<PRIu64> bytes", vec!["%<PRIu64>"]),
            ("%tY and %1$te", vec!["%tY", "%1$te"]),
            ("%-4r [%t] %s 5 %", vec!["%-4r", "%t", "%s", "%"]),
            ("50% of it, 50%discount, 100 %", vec![]),
            (
                "{0} {name} {{user.name}} {n:N2} {} {see below}",
                vec!["{0}", "{name}", "{{user.name}}", "{n:N2}", "{}"],
            ),
            (
                "${x} #{y} $t(key) $NAME$ $1 $5.00 $1",
                vec!["${x}", "#{y}", "$t(key)", "$NAME$", "$1", "$1"],
            ),
            (
                "<b>x</b><br/> 1 < 2 > 1 <a href=\"x\">y</a> <b and c>",
                vec!["<b>", "</b>", "<br/>", "<a href=\"x\">", "</a>"],
            ),
            ("a&nbsp;b &#160; AT&T; Q & A", vec!["&nbsp;", "&#160;"]),
        ] {
            assert_eq!(found(text, Dialect::PLAIN), expected, "{text}");
        }
    }

    #[test]
    fn qt_has_its_own_placeholders() {
        assert_eq!(
            found("%n file(s), %1 of %L2, %12, 50% s", Dialect::QT),
            ["%n", "%1", "%L2", "%12"]
        );
    }
}
