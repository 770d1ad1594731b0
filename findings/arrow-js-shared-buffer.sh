#!/bin/sh
# npm apache-arrow 21.2.0: tableToIPC writes a stream that cannot be read where two columns of a table are views of one buffer, as two
# columns made of one Float64Array are. The body is written once, and its length in the message counts it twice.
#
# Seen on 2026-11-28 with Node.js 20:
#   one array for each column: {"a":1,"b":1} {"a":2,"b":2}
#   one array for both: Expected to read 32 bytes for message body, but only read 24.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund apache-arrow@21.2.0 >/dev/null
cat >try.mjs <<'JS'
import { Float64, makeData, makeVector, Table, tableFromIPC, tableToIPC } from 'apache-arrow';
const column = (data) => makeVector(makeData({ type: new Float64(), length: data.length, data }));
const array = new Float64Array([1, 2]);
const read = (a, b) => {
  const bytes = tableToIPC(new Table({ a: column(a), b: column(b) }), 'stream');
  try {
    return tableFromIPC(bytes).toArray().map((row) => JSON.stringify(row)).join(' ');
  } catch (error) {
    return error.message;
  }
};
console.log(`one array for each column: ${read(array, array.slice())}`);
console.log(`one array for both: ${read(array, array)}`);
JS
node try.mjs | tee out
grep -q '^one array for each column: {"a":1,"b":1} {"a":2,"b":2}$' out
grep -q '^one array for both: Expected to read' out
