#!/bin/sh
# Node.js: a program that gets at the collector with v8.setFlagsFromString('--expose-gc') makes the code that it keeps from then on
# (vm.Script, createCachedData) useless for the next start: the flag is part of what the engine compares, and cachedDataRejected is
# true there. No error tells. With --no-expose-gc set again behind it the code is taken, and the collector that was found still works.
#
# Seen with npm's package node, 20.20.2, 24.21.0 and 26.10.0.
#
# Output seen:
#   20 as it is: taken; with the flag: rejected; with the flag taken back: taken
#   24 as it is: taken; with the flag: rejected; with the flag taken back: taken
#   26 as it is: taken; with the flag: rejected; with the flag taken back: taken
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/look.mjs" <<'JS'
import { execFileSync } from 'node:child_process';
const source = 'function add(a, b) { return a + b; } add(1, 2);';
const make = `
  const { setFlagsFromString } = require('node:v8');
  const { runInNewContext, Script } = require('node:vm');
  const [how] = process.argv.slice(1);
  if (how !== 'as it is') setFlagsFromString('--expose-gc');
  const collect = how === 'as it is' ? () => {} : runInNewContext('gc');
  if (how === 'with the flag taken back') setFlagsFromString('--no-expose-gc');
  collect();
  console.log(new Script(${JSON.stringify(source)}).createCachedData().toString('base64'));
`;
const take = `
  const { Script } = require('node:vm');
  const cachedData = Buffer.from(process.argv[1], 'base64');
  console.log(new Script(${JSON.stringify(source)}, { cachedData }).cachedDataRejected ? 'rejected' : 'taken');
`;
const run = (code, argument) => execFileSync(process.execPath, ['-e', code, argument], { encoding: 'utf8' }).trim();
const told = ['as it is', 'with the flag', 'with the flag taken back'].map((how) => `${how}: ${run(take, run(make, how))}`);
console.log(`${process.versions.node.split('.')[0]} ${told.join('; ')}`);
JS
for version in 20.20.2 24.21.0 26.10.0; do
  mkdir "$folder/$version"
  (cd "$folder/$version" && npm init -y >/dev/null && npm install --silent --no-audit --no-fund "node@$version" >/dev/null)
  "$folder/$version/node_modules/node/bin/node" "$folder/look.mjs" >> "$folder/out"
done
cat "$folder/out"
for major in 20 24 26; do
  echo "$major as it is: taken; with the flag: rejected; with the flag taken back: taken"
done > "$folder/expected"
diff "$folder/expected" "$folder/out"
