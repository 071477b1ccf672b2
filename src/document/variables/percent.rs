//! Format specifiers after a percent sign.

/// The length of what `printf` and its relatives replace.
pub(super) fn printf(rest: &str, is_declared: bool) -> Option<usize> {
    let own = conversion(rest, is_declared);
    match named(rest) {
        // `%d%` is a conversion and a percent sign.
        Some(length) if own.is_none_or(|own| own + 1 < length) && length > 4 => Some(length),
        _ => bracketed(rest).or(own).or_else(|| time(rest)),
    }
}

/// A part of a date or a time, as in `%H:%M` or `%-d`.
fn time(rest: &str) -> Option<usize> {
    let body = &rest[1..];
    let flags = body.bytes().take_while(|b| b"-_^EO".contains(b)).count();
    let mut letters = body[flags..].chars();
    let letter = letters.next()?;
    let goes_on = letters.next().is_some_and(char::is_alphanumeric);
    let is_time = flags < 2 && "aAbBcCdDeFgGhHIjklLmMnNpPrRsStTuUVwWxXyYzZ".contains(letter);
    (is_time && !goes_on).then_some(flags + 2)
}

/// The length of a percent sign that is no known conversion, with what it may convert.
pub(super) fn unknown(rest: &str) -> usize {
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
    // `%<PRIu64>` of gettext has nothing after it.
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
pub(super) fn conversion(rest: &str, is_declared: bool) -> Option<usize> {
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
pub(super) fn qt(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let start = if bytes.get(1) == Some(&b'L') { 2 } else { 1 };
    match bytes.get(start)? {
        b'0'..=b'9' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => Some(start + 2),
        b'n' | b'1'..=b'9' => Some(start + 1),
        _ => None,
    }
}
