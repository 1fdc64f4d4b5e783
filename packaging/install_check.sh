#!/bin/sh
# Installs the command from the packages that would be uploaded, in a directory of its own, and runs it.
#
#     install_check.sh [OPTION OF CARGO INSTALL...]
#
# The crates are packed, unpacked elsewhere and pointed at each other, as if they came from the registry; then
# `cargo install` builds the command from them. Takes a whole release build; with --debug, and with --offline after any
# other build, it is quicker.
set -eu
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
work=$(mktemp -d "${TMPDIR:-/tmp}/lookalike-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$cargo" package --workspace --exclude lookalike-testing --exclude lookalike-python --exclude lookalike-research \
    --locked --no-verify --allow-dirty --quiet --target-dir "$work/packed"
mkdir "$work/crates"
for crate in "$work"/packed/package/*.crate; do
    tar -xzf "$crate" -C "$work/crates"
done
{
    echo "[patch.crates-io]"
    for folder in "$work"/crates/*/; do
        name=$(sed -n '/^\[package\]/,/^\[/s/^name = "\(.*\)"/\1/p' "$folder/Cargo.toml")
        echo "$name = { path = \"${folder%/}\" }"
    done
} > "$work/config.toml"
cli=$(echo "$work"/crates/lookalike-cli-*)
(cd "$work" && "$cargo" install --path "$cli" --root "$work/root" --config "$work/config.toml" --target-dir "$work/target" "$@")
"$work/root/bin/lookalike" --version
"$work/root/bin/lookalike" dedup samples --output "$work/clean" --quiet
test -s "$work/clean/summary.json"
ls -l "$work/root/bin/lookalike"
