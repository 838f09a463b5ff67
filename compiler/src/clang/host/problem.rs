//! Errors of clang in preprocessed text, by their places in it.

use super::lines::NAME;

/// Line, from 1, and byte in it, from 0.
pub(super) type Place = (usize, usize);

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// Where it is.
    pub place: Place,
    /// What clang says.
    pub message: String,
    /// Where the instances of templates were asked for that it is in, the innermost first.
    pub asked: Vec<Place>,
}

/// The errors that clang printed; `None` where one of them has no place in the text.
pub(super) fn problems(printed: &str) -> Option<Vec<Problem>> {
    let mut list: Vec<Problem> = Vec::new();
    for line in printed.lines() {
        let placed = line.strip_prefix(NAME).and_then(|l| l.strip_prefix(':')).and_then(place);
        let Some((place, message)) = placed else {
            // Those of the command line and of the back end.
            if line.contains("error: ") && !line.starts_with(' ') {
                return None;
            }
            continue;
        };
        if let Some(message) = ["error: ", "fatal error: "].iter().find_map(|kind| message.strip_prefix(kind)) {
            list.push(Problem { place, message: message.to_string(), asked: Vec::new() });
        } else if message.starts_with("note: ")
            && (message.ends_with("requested here") || message.contains(" required here"))
        {
            if let Some(last) = list.last_mut() {
                last.asked.push(place);
            }
        }
    }
    Some(list)
}

/// `LINE:COLUMN: ` and what is behind it.
fn place(line: &str) -> Option<(Place, &str)> {
    let (number, behind) = line.split_once(':')?;
    let (column, message) = behind.split_once(": ")?;
    Some(((number.parse().ok()?, column.parse::<usize>().ok()?.saturating_sub(1)), message))
}

#[cfg(test)]
mod tests {
    use super::problems;

    #[test]
    fn errors_with_those_who_asked() {
        let printed = "warpsmith-preprocessed:7:3: error: no member named 'x' in 'S'
warpsmith-preprocessed:9:1: note: in instantiation of function template specialization 'f<S>' requested here
warpsmith-preprocessed:2:1: note: candidate function not viable
warpsmith-preprocessed:8:2: warning: unused
warpsmith-preprocessed:12:5: fatal error: too deep
2 errors generated.\n";
        let list = problems(printed).unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!((list[0].place, list[0].asked.clone()), ((7, 2), vec![(9, 0)]));
        assert_eq!((list[1].place, list[1].message.as_str()), ((12, 4), "too deep"));
        assert_eq!(problems("clang: error: no such option\n"), None);
        assert_eq!(problems(""), Some(vec![]));
    }
}
