//! `warpsmith fault plan`: draws faults and writes the campaign file.

use super::{chip, filter};
use crate::cli::fault::{KindArg, Plan as Args, Strategy as StrategyArg};
use crate::cmd::chip::Chip as Described;
use crate::cmd::launch::{chip_for, load};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::{output::print, AGREED};
use anyhow::{anyhow, bail, Result};
use std::fmt::Write;
use std::path::Path;
use warpsmith_fault::campaign::{chip_digest, launch_digest, relative};
use warpsmith_fault::plan::{check, draw, Activity, Model, Plan, Precision, Request, Strategy};
use warpsmith_fault::{Campaign, FaultKind, Golden, Header, Reference, Sites};

pub fn run(args: &Args) -> Result<u8> {
    // Everything that can be refused is refused before the first simulation.
    let request = request(args)?;
    let outputs =
        Files::default().launch(&args.launch).chip(&args.chip).writes("-o", Some(&args.output), Form::Any).check()?;
    let results = super::run::results(&args.output, None);
    if results.exists() && !args.force {
        bail!(
            "-o {}: there are results of a campaign of this name, {}: name another file, or draw it anew with --force and move the results away before `fault run`",
            args.output.display(),
            results.display()
        );
    }
    let launch = load(&args.launch, &args.chip)?;
    let asked = chip_for(&args.chip, &launch)?;
    let described = Described::resolve(&asked)?;
    launch.check_fits(&described.info())?;
    outputs.open()?;
    let mut header = Header {
        config: asked.config().into(),
        set: asked.set.clone(),
        launch: relative(&args.output, &args.launch)?,
        program: launch_digest(&launch),
        power_on: args.power_on,
        plan: command(),
        seed: args.seed,
        ..Header::default()
    };
    if Path::new(&header.config).is_file() {
        let path = relative(&args.output, Path::new(&header.config))?;
        header.config = Path::new(".").join(path).display().to_string();
    }
    let folder = chip::folder(&asked)?;
    let sites = Sites::load(&folder)?;
    header.chip = chip_digest(&folder)?;
    check(&request, &sites)?;
    let golden = chip::golden(args.on.engine, &folder, launch, args.power_on)?;
    header.cycles = golden.cycles();
    let activity = (!args.no_collapse).then(|| activity(&golden, &request)).transpose()?;
    let plan = draw(&request, &sites, header.cycles, activity.as_ref())?;
    header.population = plan.population();
    header.pruned = plan.pruned;
    header.collapsed = plan.collapsed.clone();
    let text = summary(args, &header, &plan);
    let mut campaign = Campaign { header, rows: plan.rows };
    campaign.write(&args.output, &sites)?;
    print(&text)?;
    Ok(AGREED)
}

/// What the fault-free run tells of equal faults. Accesses of memories are known of the native engine alone.
fn activity(golden: &Golden, request: &Request) -> Result<Activity> {
    let mut activity = golden.activity()?.clone();
    let upsets = request.models.iter().any(|m| m.is(FaultKind::is_upset));
    if request.strategy == Strategy::Exhaustive && upsets && golden.is_native() {
        activity.accesses = Reference::new(golden)?.accesses();
    }
    Ok(activity)
}

fn request(args: &Args) -> Result<Request> {
    used(args)?;
    let mut models: Vec<Model> = vec![];
    for kind in &args.kind {
        let model = model(args, *kind)?;
        if models.contains(&model) {
            bail!("--kind {} is given twice", model.name());
        }
        models.push(model);
    }
    if args.strategy != StrategyArg::Weighted && !args.weight.is_empty() {
        bail!("--weight belongs to --strategy weighted");
    }
    let strategy = match args.strategy {
        StrategyArg::Uniform => Strategy::Uniform,
        StrategyArg::Stratified => Strategy::Stratified,
        StrategyArg::Exhaustive => Strategy::Exhaustive,
        StrategyArg::Weighted if args.weight.is_empty() => {
            bail!("--strategy weighted needs a --weight BLOCK=W")
        }
        StrategyArg::Weighted => Strategy::Weighted(args.weight.iter().map(|w| weight(w)).collect::<Result<_>>()?),
    };
    Ok(Request {
        models,
        strategy,
        filter: filter(&args.filter),
        count: args.count,
        precision: Precision { confidence: args.confidence, margin: args.margin, proportion: args.proportion },
        seed: args.seed,
    })
}

fn model(args: &Args, kind: KindArg) -> Result<Model> {
    Ok(match kind {
        KindArg::Seu => Model::Seu,
        KindArg::Mbu => Model::Mbu(pattern(args).parse().map_err(|e: String| anyhow!(e))?),
        KindArg::StuckAt => Model::STUCK,
        KindArg::StuckAt0 => Model::StuckAt(&[FaultKind::StuckAt0]),
        KindArg::StuckAt1 => Model::StuckAt(&[FaultKind::StuckAt1]),
        KindArg::Transient => Model::Transient { duration: args.duration.unwrap_or(1) },
        KindArg::Intermittent => Model::Intermittent {
            duration: args.duration.unwrap_or(0),
            period: args.period.unwrap_or(64),
            active: args.active.unwrap_or(8),
        },
    })
}

/// Bits of a multi-bit upset.
fn pattern(args: &Args) -> &str {
    args.pattern.as_deref().unwrap_or("adjacent-2")
}

/// Refuses options that none of the fault models has.
fn used(args: &Args) -> Result<()> {
    use KindArg::{Intermittent, Mbu, Transient};
    let options: [(&str, bool, &[KindArg], &str); 4] = [
        ("--pattern", args.pattern.is_some(), &[Mbu], "mbu"),
        ("--duration", args.duration.is_some(), &[Transient, Intermittent], "transient or intermittent"),
        ("--period", args.period.is_some(), &[Intermittent], "intermittent"),
        ("--active", args.active.is_some(), &[Intermittent], "intermittent"),
    ];
    for (option, given, kinds, names) in options {
        if given && !args.kind.iter().any(|k| kinds.contains(k)) {
            bail!("{option} belongs to --kind {names}");
        }
    }
    Ok(())
}

/// `BLOCK=W`.
fn weight(text: &str) -> Result<(String, f64)> {
    text.split_once('=')
        .and_then(|(block, w)| Some((block.to_string(), w.parse().ok()?)))
        .ok_or_else(|| anyhow!("--weight {text}: expected BLOCK=W, such as fetch=4"))
}

/// This command, as a shell takes it.
fn command() -> String {
    let quoted = |a: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
        if !a.is_empty() && a.chars().all(plain) {
            return a;
        }
        // One line is what the campaign file has for it.
        format!("'{}'", a.replace('\'', r"'\''").replace(['\n', '\r'], " "))
    };
    let arguments = std::env::args_os().skip(1);
    let words = arguments.map(|a| quoted(a.to_string_lossy().into_owned()));
    format!("warpsmith {}", words.collect::<Vec<_>>().join(" "))
}

/// The draw, for a reader.
fn summary(args: &Args, header: &Header, plan: &Plan) -> String {
    let mut text = format!("fault-free run: {} cycles\n", header.cycles);
    for p in &plan.parts {
        write!(text, "{}: {} possible faults (N), {} drawn", p.model, p.population, p.drawn)
            .expect("a string takes all");
        if p.narrow > 0 {
            write!(text, "; {} sites are too narrow for {}", p.narrow, pattern(args)).expect("a string takes all");
        }
        text.push('\n');
        if plan.pruned {
            writeln!(text, "  upsets of a bit of a memory from an access of its word to the next stand as one row")
                .expect("a string takes all");
        }
        if p.classes > 0 {
            writeln!(text, "  {} provably change nothing and stand as {} rows", p.collapsed, p.classes)
                .expect("a string takes all");
        }
        if args.strategy != StrategyArg::Exhaustive {
            let precision = Precision { confidence: args.confidence, margin: args.margin, proportion: args.proportion };
            let open = p.population - p.collapsed;
            writeln!(
                text,
                "  n = N / (1 + e^2 (N - 1) / (t^2 p (1 - p))) = {} for N = {open}, e = {}, t = {:.4} ({} % confidence), p = {}; {} drawn alike reach e = {:.4}",
                p.asked,
                args.margin,
                precision.t(),
                100.0 * args.confidence,
                args.proportion,
                p.drawn,
                precision.reached(open, p.drawn)
            )
            .expect("a string takes all");
        }
    }
    let rows = plan.rows.len();
    writeln!(text, "{}: {rows} rows", args.output.display()).expect("a string takes all");
    text
}
