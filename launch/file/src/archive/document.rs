//! The text of a launch file with other paths; comments and order stay.

use toml_edit::{value, DocumentMut, Item, TableLike, Value};

/// Sections whose `file`, and that of their `expect`, is a path.
const SECTIONS: [&str; 6] = ["constant", "global", "expect", "buffer", "symbol", "texture"];

/// Gives every file of data the name that `rename` tells.
///
/// # Errors
/// Those of `rename`.
pub(super) fn rename_data<E>(
    document: &mut DocumentMut, rename: &mut dyn FnMut(&str) -> Result<String, E>,
) -> Result<(), E> {
    for key in SECTIONS {
        let Some(section) = document.get_mut(key) else { continue };
        match section {
            Item::ArrayOfTables(tables) => tables.iter_mut().try_for_each(|t| in_table(t, rename))?,
            Item::Value(Value::Array(list)) => {
                let mut tables = list.iter_mut().filter_map(Value::as_inline_table_mut);
                tables.try_for_each(|t| in_table(t, rename))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn in_table<E>(table: &mut dyn TableLike, rename: &mut dyn FnMut(&str) -> Result<String, E>) -> Result<(), E> {
    if let Some(name) = table.get("file").and_then(Item::as_str) {
        let renamed = rename(name)?;
        set(table, "file", &renamed);
    }
    match table.get_mut("expect").and_then(Item::as_table_like_mut) {
        Some(expect) => in_table(expect, rename),
        None => Ok(()),
    }
}

/// Gives a key a text; spaces and comments around it stay.
pub(super) fn set(table: &mut dyn TableLike, key: &str, text: &str) {
    let mut new = value(text);
    if let (Some(old), Some(new)) = (table.get(key).and_then(Item::as_value), new.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    // A new entry would lose the comment in front of its key.
    match table.get_mut(key) {
        Some(item) => *item = new,
        None => {
            table.insert(key, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_change_and_nothing_else() {
        let text = "# head\nprogram = \"a.cu\"  # why\nbuffer = [{ name = \"a\", file = \"../x.bin\" }]\n\n[[symbol]] # s\nname = \"t\"\nfile = \"y.bin\"\nexpect = { file = \"z.hex\", max_ulp = 1 }\n";
        let mut document: DocumentMut = text.parse().expect("TOML");
        let mut rename = |name: &str| Ok::<_, ()>(format!("data/{}", name.trim_start_matches("../")));
        rename_data(&mut document, &mut rename).expect("names");
        set(document.as_table_mut(), "program", "a.ptx");
        let wanted = text.replace("a.cu", "a.ptx").replace("../x.bin", "data/x.bin");
        let wanted = wanted.replace("y.bin", "data/y.bin").replace("z.hex", "data/z.hex");
        assert_eq!(document.to_string(), wanted);
    }
}
