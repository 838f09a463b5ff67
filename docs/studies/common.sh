# What the studies share; they source it. Sets WARPSMITH, kernels, target; `out` is the folder of the study's results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=${CARGO_TARGET_DIR:-target}
if [ -z "${WARPSMITH:-}" ]; then
  ${CARGO:-cargo} build --release --quiet --bin warpsmith
  WARPSMITH=$target/release/warpsmith
fi
kernels=(vector_add saxpy reduction transpose matmul_tiled black_scholes)

# Draws and runs a campaign: its file without .csv, kernel, options of `fault plan`. One that stands as the same command
# draws it goes on where it was stopped.
campaign() {
  local file=$1 kernel=$2
  shift 2
  "$WARPSMITH" fault plan "kernels/$kernel/launch.toml" "$@" -o "$file.new.csv" > "$file.plan.txt"
  # The line of the command names the file.
  if [ -e "$file.csv" ] && cmp -s <(grep -v '^# plan' "$file.csv") <(grep -v '^# plan' "$file.new.csv"); then
    rm "$file.new.csv"
  else
    rm -f "$file.db"
    mv "$file.new.csv" "$file.csv"
  fi
  "$WARPSMITH" fault run "$file.csv"
}

# Writes tables into a page: what stands between `<!-- table: NAME TITLE -->` and `<!-- end of table -->` is that table of
# $out/NAME.md, from the line that begins with TITLE to the end of its rows.
renew() {
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
  ' "$1" > "$1.part"
  mv "$1.part" "$1"
}

# A plot that stands alone brings its own colours for the dark.
style='<style>svg { background: #ffffff } @media (prefers-color-scheme: dark) { svg { background: #14181f } [fill="#1D2433"] { fill: #e3e7ee } [fill="#5F6B80"] { fill: #9aa5b8 } [stroke="#1D2433"] { stroke: #e3e7ee } [stroke="#5F6B80"] { stroke: #9aa5b8 } [stroke="#DDE2EA"] { stroke: #343c4a } [fill="#B8C0CC"] { fill: #4d586a } [fill="#E3E7ED"] { fill: #2c3542 } }</style>'
