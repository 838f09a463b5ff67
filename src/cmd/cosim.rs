pub fn run(_args: &crate::cli::Cosim) -> anyhow::Result<u8> { anyhow::bail!("not yet") }
