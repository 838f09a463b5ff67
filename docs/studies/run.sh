#!/usr/bin/env bash
# Upsets and stuck-at faults in all registers of `default` (registers.md): plans, runs, reports and
# compares twelve campaigns below target/study. Stopped and started again, it goes on.
#   docs/studies/run.sh [--renew]     --renew: also write the tables into registers.md, and the plots beside it
# WARPSMITH names another program than target/release/warpsmith, STUDY another folder.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
out=${STUDY:-$target/study}
mkdir -p "$out"

seed=1
for model in seu stuck-at; do
  for kernel in "${kernels[@]}"; do
    campaign=$out/$kernel-$model
    echo "== $kernel, $model, seed $seed"
    campaign "$campaign" "$kernel" --kind "$model" --site-kind reg --strategy uniform --margin 0.005 --seed "$seed"
    "$WARPSMITH" fault report "$campaign.csv" --html "$out/$kernel-$model.html" --csv "$out/$kernel-$model-rows.csv" \
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
renew docs/studies/registers.md

# The second plot of a page: stages, mean of the campaigns.
for model in seu stuck-at; do
  awk '/<svg/ { n++ } n == 2 { print } n == 2 && /<\/svg>/ { exit }' "$out/$model-stage.html" \
    | sed "s|<svg [^>]*>|&$style|; s/<\/svg>.*/<\/svg>/" > "docs/studies/$model-stages.svg"
done
