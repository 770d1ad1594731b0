#!/bin/sh
# Node.js on Linux: process.resourceUsage().maxRSS of a process that was just started begins with the memory of the process that
# started it, and not with its own: a parent with 600 MB starts children that all say 600 MB at least. /proc/self/status tells the
# child's own peak (VmHWM). Whoever asserts what a child takes at most measures the parent.
#
# Seen with npm's package node, 20.20.2 and 24.21.0, on Linux.
#
# Output seen:
#   20 maxRSS of the child is the parent's, VmHWM is its own
#   24 maxRSS of the child is the parent's, VmHWM is its own
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/look.mjs" <<'JS'
import { spawnSync } from 'node:child_process';
const held = Array.from({ length: 60 }, () => Buffer.alloc(10 << 20, 1));
const child = `
  const own = require('node:fs').readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\\s+(\\d+)/)[1];
  console.log(process.resourceUsage().maxRSS, own);
`;
const { stdout } = spawnSync(process.execPath, ['-e', child], { encoding: 'utf8' });
const [told, own] = stdout.split(' ').map(Number);
const isOfParent = told > 500 * 1024;
const isOwn = own < 200 * 1024;
const major = process.versions.node.split('.')[0];
console.log(`${major} maxRSS of the child is ${isOfParent ? "the parent's" : 'its own'}, VmHWM is ${isOwn ? 'its own' : "the parent's"}`);
if (held.length !== 60) throw new Error('the parent holds less');
JS
for version in 20.20.2 24.21.0; do
  mkdir "$folder/$version"
  (cd "$folder/$version" && npm init -y >/dev/null && npm install --silent --no-audit --no-fund "node@$version" >/dev/null)
  "$folder/$version/node_modules/node/bin/node" "$folder/look.mjs" >> "$folder/out"
done
cat "$folder/out"
printf '%s\n' "20 maxRSS of the child is the parent's, VmHWM is its own" "24 maxRSS of the child is the parent's, VmHWM is its own" > "$folder/expected"
diff "$folder/expected" "$folder/out"
