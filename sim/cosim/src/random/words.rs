//! Programs of the sets beside SM 1.0: instructions in order, and labels.

use super::skeleton::Program;

/// A place in the program.
#[derive(Clone, Copy, Debug)]
pub struct Label(usize);

/// Makes an instruction of the addresses of its labels.
type Make = dyn Fn(&[usize]) -> Vec<u8>;

/// An instruction that depends on the addresses of labels.
struct Open {
    at: usize,
    labels: Vec<Label>,
    make: Box<Make>,
}

/// The program under construction.
#[derive(Default)]
pub struct Code {
    bytes: Vec<u8>,
    labels: Vec<Option<usize>>,
    open: Vec<Open>,
}

impl Program for Code {
    type Label = Label;

    fn bytes(&self) -> u32 {
        self.bytes.len() as u32
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.bytes.len());
    }
}

impl Code {
    /// Appends an instruction.
    pub fn push(&mut self, code: &[u8]) {
        self.bytes.extend(code);
    }

    /// Appends an instruction that `make` makes of its own address and that of a label; its length is always the same.
    pub fn later(&mut self, label: Label, make: impl Fn(usize, usize) -> Vec<u8> + 'static) {
        self.later_all(&[label], move |at, to| make(at, to[0]));
    }

    /// The same of several labels.
    pub fn later_all(&mut self, labels: &[Label], make: impl Fn(usize, &[usize]) -> Vec<u8> + 'static) {
        let at = self.bytes.len();
        let make = move |to: &[usize]| make(at, to);
        self.push(&make(&vec![at; labels.len()]));
        self.open.push(Open { at, labels: labels.to_vec(), make: Box::new(make) });
    }

    /// The bytes of the program.
    ///
    /// # Panics
    /// A label was used and never placed.
    pub fn finish(mut self) -> Vec<u8> {
        for Open { at, labels, make } in self.open {
            let placed = labels.iter().map(|l| self.labels[l.0]);
            let Some(to) = placed.collect::<Option<Vec<usize>>>() else {
                panic!("the generator placed no label for the jump at {at:#x}");
            };
            let code = make(&to);
            self.bytes[at..at + code.len()].copy_from_slice(&code);
        }
        self.bytes
    }
}
