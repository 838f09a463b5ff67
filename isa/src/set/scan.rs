//! Reading the text of one instruction.

/// An error in the text of one instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {}: {message}", column + 1)]
pub struct TextError {
    /// Byte of the text, from 0.
    pub column: usize,
    /// Bytes concerned, at least 1.
    pub length: usize,
    /// Byte up to which the text makes sense: of several readings, the one that goes furthest explains most.
    pub read: usize,
    /// Expected, found, remedy.
    pub message: String,
}

/// A place in a text that moves on as things are read. Copies keep the place, so that a reader can try.
#[derive(Clone, Copy, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// The start of a text.
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// Moves on to byte `at` of the text, the start of a character.
    pub fn skip(&mut self, at: usize) {
        self.at = at;
    }

    /// Byte of the next thing, blanks passed over.
    pub fn column(&mut self) -> usize {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.at
    }

    /// The text from here on, blanks included.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// True at the end of the text.
    pub fn done(&mut self) -> bool {
        self.column() == self.text.len()
    }

    /// Passes over `mark` if it comes next, after blanks.
    pub fn eat(&mut self, mark: &str) -> bool {
        self.column();
        self.eat_here(mark)
    }

    /// Passes over `mark` if it comes next, without blanks.
    pub fn eat_here(&mut self, mark: &str) -> bool {
        let yes = self.rest().starts_with(mark);
        self.at += if yes { mark.len() } else { 0 };
        yes
    }

    /// Passes over `.name`, in upper or lower case, where the whole suffix is that.
    pub fn eat_suffix(&mut self, name: &str) -> bool {
        let mut ahead = *self;
        let yes = ahead.eat_here(".") && ahead.word().eq_ignore_ascii_case(name);
        if yes {
            *self = ahead;
        }
        yes
    }

    /// Passes over `mark`.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn need(&mut self, mark: &str) -> Result<(), TextError> {
        if self.eat(mark) {
            return Ok(());
        }
        self.expected(&format!("`{mark}`"))
    }

    /// The next letters, digits, `_` and `$`, after blanks; empty when none come next.
    pub fn word(&mut self) -> &'a str {
        self.column();
        self.run(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    }

    /// The characters from here on that `is` holds for.
    pub fn run(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !is(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// An unsigned number, decimal, `0x` or `0b`, of at most `bits` bits.
    ///
    /// # Errors
    /// No number, or one that is too large.
    pub fn number(&mut self, bits: u32) -> Result<u64, TextError> {
        let column = self.column();
        let mut ahead = *self;
        let word = ahead.word();
        let Some(value) = number(word) else {
            return self.expected("a number such as 31 or 0x1f");
        };
        if u128::from(value) > super::low_bits(bits) {
            return Err(TextError {
                column,
                length: word.len(),
                read: column + word.len(),
                message: format!("{word} does not fit the {bits} bits of the field"),
            });
        }
        *self = ahead;
        Ok(value)
    }

    /// A signed number of at most `bits` bits, sign included; `-` may stand before any notation.
    ///
    /// # Errors
    /// No number, or one that does not fit.
    pub fn signed(&mut self, bits: u32) -> Result<i64, TextError> {
        let column = self.column();
        let mut ahead = *self;
        let minus = ahead.eat("-");
        let value = i128::from(ahead.number(64)?);
        let value = if minus { -value } else { value };
        let limit = 1i128 << (bits - 1);
        if value < -limit || value >= limit {
            return Err(TextError {
                column,
                length: ahead.at - column,
                read: ahead.at,
                message: format!("{value} does not fit {bits} bits with sign"),
            });
        }
        *self = ahead;
        Ok(value as i64)
    }

    /// The error that something else was expected here.
    ///
    /// # Errors
    /// Always.
    pub fn expected<T>(&mut self, what: &str) -> Result<T, TextError> {
        let column = self.column();
        let mut ahead = *self;
        let word = match ahead.word() {
            "" => ahead.rest().chars().next().map(String::from),
            w => Some(w.to_string()),
        };
        let (found, length) = match word {
            Some(w) => (format!("`{w}`"), w.len()),
            None => ("the end".into(), 1),
        };
        Err(TextError { column, length, read: column, message: format!("expected {what}, found {found}") })
    }

    /// An error about the text from `column` to here.
    ///
    /// # Errors
    /// Always.
    pub fn fault<T>(&self, column: usize, message: impl Into<String>) -> Result<T, TextError> {
        Err(TextError { column, length: self.at.saturating_sub(column).max(1), read: self.at, message: message.into() })
    }
}

/// The value of a number in decimal, `0x` or `0b`.
pub fn number(word: &str) -> Option<u64> {
    let lower = word.to_ascii_lowercase();
    if let Some(h) = lower.strip_prefix("0x") {
        u64::from_str_radix(h, 16).ok()
    } else if let Some(b) = lower.strip_prefix("0b") {
        u64::from_str_radix(b, 2).ok()
    } else {
        lower.parse().ok()
    }
}

/// The first row whose reading succeeds, or the error of the reading that went furthest.
///
/// # Errors
/// No row reads the text.
pub fn furthest<T>(rows: &[usize], read: impl Fn(usize) -> Result<T, TextError>) -> Result<T, TextError> {
    let mut best: Option<TextError> = None;
    for &row in rows {
        match read(row) {
            Ok(found) => return Ok(found),
            Err(e) if best.as_ref().is_none_or(|b| e.read > b.read) => best = Some(e),
            Err(_) => {}
        }
    }
    Err(best.unwrap_or_else(|| TextError {
        column: 0,
        length: 1,
        read: 0,
        message: "no form of the instruction".into(),
    }))
}
