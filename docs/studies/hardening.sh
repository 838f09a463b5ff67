#!/usr/bin/env bash
# Upsets in all registers and memories of the plain chip and of five protected ones (hardening.md): synthesizes the chips,
# plans, runs and compares the campaigns below target/hardening. Stopped and started again, it goes on.
#   docs/studies/hardening.sh [--renew]     --renew: also write the tables into hardening.md
# COUNT changes the upsets of a campaign, AREA=no leaves out synthesis; WARPSMITH and STUDY as in run.sh.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
out=${STUDY:-$target/hardening}
count=${COUNT:-10000}
mkdir -p "$out"

control=(scheduler scoreboard warps fetch controller dispatch issue)
declare -A options=(
  [plain]="--config default"
  [memories-secded]="--config default --set harden.warpsmith=secded"
  [memories-parity]="--config default --set harden.warpsmith=parity"
  [control-tmr]="--config default $(printf -- '--set harden.%s=tmr ' "${control[@]}")"
  [control-dmr]="--config default $(printf -- '--set harden.%s=dmr ' "${control[@]}")"
  [hardened]="--config hardened"
)
chips=(plain memories-parity memories-secded control-dmr control-tmr hardened)

# Nothing is synthesized twice for the same Verilog.
area() {
  local chip=$1 digest
  shift
  "$WARPSMITH" emit "$@" --set trace=false --out "$out/rtl" > "$out/emit.txt"
  digest=$(grep -v '^//' "$out/rtl/warpsmith.v" | sha256sum)
  if [ "$(cat "$out/$chip/verilog" 2>/dev/null)" != "$digest" ] || [ ! -e "$out/$chip/report.json" ]; then
    rm -f "$out/$chip/report.json"
    [ "${AREA:-yes}" = no ] && return
    "$WARPSMITH" synth --target xilinx "$@" --out "$out/$chip" > "$out/$chip.synth.txt"
    echo "$digest" > "$out/$chip/verilog"
  fi
}

seed=1
for chip in "${chips[@]}"; do
  mkdir -p "$out/$chip"
  read -ra set <<< "${options[$chip]}"
  for kernel in "${kernels[@]}"; do
    echo "== $chip, $kernel, seed $seed"
    campaign "$out/$chip/$kernel" "$kernel" "${set[@]}" --kind seu --count "$count" --seed "$seed"
    seed=$((seed + 1))
  done
done
# The scheduler's stage alone, for the smallest set of its blocks that holds nine tenths of its harm.
mkdir -p "$out/scheduler"
for kernel in "${kernels[@]}"; do
  echo "== scheduler, $kernel, seed $seed"
  campaign "$out/scheduler/$kernel" "$kernel" --config default --kind seu --count "$count" --seed "$seed" \
    --name '*.u_warps.*' --name '*.u_dispatch.*' --name '*.u_scoreboard.*' --name '*.u_issue.*'
  seed=$((seed + 1))
done
for chip in "${chips[@]}"; do
  echo "== $chip, area"
  read -ra set <<< "${options[$chip]}"
  area "$chip" "${set[@]}"
done

# The campaigns of a folder, in the order of the kernels.
of() { printf "$out/$1/%s.csv " "${kernels[@]}"; }
# Keys down to the one with which their sum reaches a part of the harm, in per cent: folder, title, part.
first() {
  "$WARPSMITH" fault compare $(of "$1") --by key --markdown | awk -F ' [|] ' -v title="$2" -v part="$3" '
    BEGIN { printf "%s\n\n| key | bits | part | so far | AVF, mean |\n| --- | --: | --: | --: | --: |\n", title }
    /^Parts/ { exit }
    /^[|] [a-z]/ && !/^[|] key / && !done {
      sub(/<br>.*/, "", $5); print $1 " | " $2 " | " $3 " | " $4 " | " $5 " |"; done = $4 >= part
    }'
}
first plain 'Keys: AVF × bits, in % of the sum of all.' 99 > "$out/first.md"
first scheduler 'Scheduler: AVF × bits, in % of the sum of its stage.' 90 > "$out/scheduler.md"
for chip in "${chips[@]}"; do
  "$WARPSMITH" fault compare $(of "$chip") --by class --markdown | grep -v '^| [a-z]*: ' > "$out/$chip.md"
done
plot=()
[ -e "$out/plain/report.json" ] && plot=(--svg "$out/front.svg")
"$WARPSMITH" fault protections "${chips[@]/#/$out/}" "${plot[@]}" | tee "$out/protections.md"

[ "${1:-}" = --renew ] || exit 0
renew docs/studies/hardening.md
