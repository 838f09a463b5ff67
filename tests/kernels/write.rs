//! Writes the data files of `kernels/`: `cargo run --example kernel_data`.

mod expected;

fn main() -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    for file in expected::all() {
        std::fs::write(root.join(file.path), file.text())?;
        println!("{}: {} words", file.path, file.words.len());
    }
    Ok(())
}
