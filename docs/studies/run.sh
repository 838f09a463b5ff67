#!/usr/bin/env bash
# Upsets and stuck-at faults in all registers of `default` (registers.md): plans, runs, reports and
# compares twelve campaigns below target/study. Stopped and started again, it goes on.
#   docs/studies/run.sh [--renew]     --renew: also write the tables into registers.md, and the plots beside it
# WARPSMITH names another program than target/release/warpsmith, STUDY another folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-target}
out=${STUDY:-$target/study}
if [ -z "${WARPSMITH:-}" ]; then
  ${CARGO:-cargo} build --release --quiet --bin warpsmith
  WARPSMITH=$target/release/warpsmith
fi
kernels=(vector_add saxpy reduction transpose matmul_tiled black_scholes)
mkdir -p "$out"

seed=1
for model in seu stuck-at; do
  for kernel in "${kernels[@]}"; do
    campaign=$out/$kernel-$model.csv
    echo "== $kernel, $model, seed $seed"
    "$WARPSMITH" fault plan "kernels/$kernel/launch.toml" --kind "$model" --site-kind reg \
      --strategy uniform --margin 0.005 --seed "$seed" -o "$campaign" > "$out/$kernel-$model.plan.txt"
    "$WARPSMITH" fault run "$campaign"
    "$WARPSMITH" fault report "$campaign" --html "$out/$kernel-$model.html" --csv "$out/$kernel-$model-rows.csv" \
      > "$out/$kernel-$model.txt"
    seed=$((seed + 1))
  done
done

# One table: name, model, options.
table() {
  local name=$1 model=$2
  shift 2
  local campaigns=("${kernels[@]/#/$out/}")
  "$WARPSMITH" fault compare "${campaigns[@]/%/-$model.csv}" "$@" --markdown --html "$out/$name.html" > "$out/$name.md"
  "$WARPSMITH" fault compare "${campaigns[@]/%/-$model.csv}" "$@"
}
for model in seu stuck-at; do
  for by in class stage block; do
    echo
    echo "== $model by $by"
    table "$model-$by" "$model" --by "$by"
  done
done

[ "${1:-}" = --renew ] || exit 0
# What stands between `<!-- table: NAME TITLE -->` and `<!-- end of table -->` is that table of $out/NAME.md,
# from the line that begins with TITLE to the end of its rows.
page=docs/studies/registers.md
awk -v out="$out" '
  /^<!-- end of table -->/ { skip = 0 }
  !skip { print }
  /^<!-- table: / {
    file = out "/" $3 ".md"
    title = $0
    sub(/^<!-- table: [^ ]+ /, "", title)
    sub(/ -->$/, "", title)
    on = 0
    while ((getline line < file) > 0) {
      if (line ~ /^[A-Za-z]/) on = index(line, title) == 1
      if (on && line != "") { print line; if (line !~ /^\|/) print "" }
    }
    close(file)
    skip = 1
  }
' "$page" > "$page.part"
mv "$page.part" "$page"

# The second plot of a page: stages, mean of the campaigns. Alone it brings its own colours for the dark.
style='<style>svg { background: #ffffff } @media (prefers-color-scheme: dark) { svg { background: #14181f } [fill="#1D2433"] { fill: #e3e7ee } [fill="#5F6B80"] { fill: #9aa5b8 } [stroke="#1D2433"] { stroke: #e3e7ee } [stroke="#DDE2EA"] { stroke: #343c4a } [fill="#B8C0CC"] { fill: #4d586a } [fill="#E3E7ED"] { fill: #2c3542 } }</style>'
for model in seu stuck-at; do
  awk '/<svg/ { n++ } n == 2 { print } n == 2 && /<\/svg>/ { exit }' "$out/$model-stage.html" \
    | sed "s|<svg [^>]*>|&$style|; s/<\/svg>.*/<\/svg>/" > "docs/studies/$model-stages.svg"
done
