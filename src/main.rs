//! The command line `warpsmith`: parse, dispatch, one error line, exit code.

mod cli;
mod cmd;
mod message;

use clap::Parser;
use std::io::ErrorKind;
use std::panic;
use std::process::ExitCode;
use warpsmith_isa::message::plain;

/// Exit code of everything that could not run.
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    // A panic is a bug; the user still gets one line and a defined exit code.
    panic::set_hook(Box::new(|info| {
        eprintln!("warpsmith: internal error, please report it: {}", plain(&info.to_string().replace('\n', " ")));
    }));
    let cli = match cli::Cli::try_parse_from(cli::cc::respelled(std::env::args_os().collect())) {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    match panic::catch_unwind(|| cmd::dispatch(cli.command)) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(e)) if is_broken_pipe(&e) => ExitCode::SUCCESS,
        // What went wrong is that a program was ended.
        Ok(Err(_)) if cmd::interrupt::asked() => {
            eprintln!("warpsmith: stopped");
            ExitCode::from(cmd::interrupt::INTERRUPTED)
        }
        Ok(Err(e)) => {
            eprintln!("warpsmith: {}", message::text(&e));
            ExitCode::from(COULD_NOT_RUN)
        }
        Err(_) => ExitCode::from(COULD_NOT_RUN),
    }
}

/// Help and version go to stdout; a mistake goes to stderr in our form.
fn usage(e: &clap::Error) -> ExitCode {
    if !e.use_stderr() {
        // The reader may have closed the pipe: nothing to report to.
        let _ = e.print();
        return ExitCode::SUCCESS;
    }
    let text = plain(&e.to_string());
    eprint!("warpsmith: {}", text.strip_prefix("error: ").unwrap_or(&text));
    ExitCode::from(COULD_NOT_RUN)
}

/// The reader of our output went away (`warpsmith isa list | head`): not an error.
fn is_broken_pipe(e: &anyhow::Error) -> bool {
    e.chain().any(|c| c.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe))
}
