//! The files of NIST's validation program, CAVP: `.rsp`, and what has their form.
//!
//! ```text
//! # a comment
//! [ENCRYPT]            a section, or
//! [Keylen = 128]       a parameter of the cases that follow
//!
//! COUNT = 0            a case: its fields up to an empty line
//! KEY = 0011…
//! FAIL                 a field without a value
//! ```

/// A test case: the names are in upper case, the values as they stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The number of its first line.
    pub line: usize,
    /// The section: `ENCRYPT`, or nothing.
    pub section: String,
    parameters: Vec<(String, String)>,
    fields: Vec<(String, String)>,
}

impl Case {
    /// The field of this name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        value(&self.fields, name)
    }

    /// The bytes of the field of this name.
    ///
    /// # Errors
    /// Which field is missing or is no bytes, and where.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        let digits = self.text(name).ok_or_else(|| format!("line {}: no {name}", self.line))?;
        let wrong = || format!("line {}: {name} is not hexadecimal", self.line);
        let digit = |digit: &u8| (*digit as char).to_digit(16).map(|digit| digit as u8);
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> =
            pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
        bytes.filter(|_| rest.is_empty()).ok_or_else(wrong)
    }

    /// The number in the parameter of this name.
    ///
    /// # Errors
    /// Which parameter is missing or is no number, and where.
    pub fn number(&self, name: &str) -> Result<usize, String> {
        let number = value(&self.parameters, name).and_then(|value| value.parse().ok());
        number.ok_or_else(|| format!("line {}: no number [{name}]", self.line))
    }
}

fn value<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The cases of a file.
///
/// # Errors
/// The first line that has another form, or a field or case that is there twice.
pub fn parse(file: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let (mut section, mut parameters) = (String::new(), Vec::<(String, String)>::new());
    // Whether the last case may have more fields.
    let mut open = false;
    for (line, text) in (1..).zip(file.lines()) {
        let text = text.trim();
        if text.is_empty() {
            open = false;
        } else if text.starts_with('#') {
        } else if let Some(text) = text.strip_prefix('[') {
            let text = text.strip_suffix(']').ok_or_else(|| format!("line {line}: no ]"))?;
            open = false;
            if let Some((name, value)) = pair(text) {
                parameters.retain(|(known, _)| *known != name);
                parameters.push((name, value));
            } else {
                section = text.trim().to_uppercase();
            }
        } else {
            let (name, value) = match pair(text) {
                Some(field) => field,
                None if text == "FAIL" => (text.to_owned(), String::new()),
                None => return Err(format!("line {line}: {text:?} is nothing known")),
            };
            if !open {
                open = true;
                let (section, parameters) = (section.clone(), parameters.clone());
                cases.push(Case { line, section, parameters, fields: Vec::new() });
            }
            let case = cases.last_mut().expect("a case was begun");
            if case.text(&name).is_some() {
                return Err(format!("line {line}: {name} is there twice"));
            }
            case.fields.push((name, value));
        }
    }
    Ok(cases)
}

fn pair(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    Some((name.trim().to_uppercase(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# a comment\r\n\r\n[Keylen = 128]\r\n[Taglen = 96]\r\n\r\nCount = 0\r\nKey = 00fF\r\nPT = \r\n\r\n\
        Count = 1\nFAIL\n[DECRYPT]\n[Taglen = 32]\nCount = 0\nKey = 0";

    #[test]
    fn cases_have_sections_parameters_and_fields() {
        let cases = parse(FILE).unwrap();
        let [first, second, third] = &cases[..] else { panic!("{cases:?}") };
        assert_eq!((first.line, first.section.as_str()), (6, ""));
        assert_eq!((first.number("KEYLEN"), first.number("TAGLEN")), (Ok(128), Ok(96)));
        assert_eq!((first.bytes("KEY"), first.bytes("PT")), (Ok(vec![0, 0xff]), Ok(vec![])));
        assert_eq!((first.text("COUNT"), first.text("FAIL")), (Some("0"), None));
        assert_eq!((second.text("COUNT"), second.text("FAIL")), (Some("1"), Some("")));
        assert_eq!(
            (third.section.as_str(), third.number("KEYLEN"), third.number("TAGLEN")),
            ("DECRYPT", Ok(128), Ok(32))
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_said() {
        let cases = parse(FILE).unwrap();
        assert_eq!(cases[1].bytes("KEY"), Err("line 10: no KEY".to_owned()));
        assert_eq!(cases[2].bytes("KEY"), Err("line 14: KEY is not hexadecimal".to_owned()));
        assert_eq!(cases[0].number("IVLEN"), Err("line 6: no number [IVLEN]".to_owned()));
        assert!(parse("Key: 00").is_err());
        assert!(parse("[Keylen = 128").is_err());
        assert!(parse("Count = 0\nKey = 00\nKey = 01").is_err());
    }
}
