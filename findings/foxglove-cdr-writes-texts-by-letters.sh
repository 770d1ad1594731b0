#!/bin/sh
# @foxglove/cdr 3.5.0 (npm), and @foxglove/rosmsg2-serialization 3.1.0 on top of it, write texts of CDR with the number of their
# letters in UTF-16 in the place of their bytes in UTF-8. A text beyond ASCII loses its end, and zero bytes fill the room of
# what did not fit: "Zürich" is read back as "Züric", "ü" as "\0".
# Seen (Node.js 20.20.2): Zürich as 00010000070000005ac3bc72696300.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts @foxglove/cdr@3.5.0
cat >try.cjs <<'JS'
const { CdrWriter, CdrReader } = require('@foxglove/cdr');
const written = (text) => new CdrWriter().string(text).data;
const hex = Buffer.from(written('Zürich')).toString('hex');
const read = ['abc', 'Zürich', 'ü'].map((text) => new CdrReader(written(text)).string());
console.log(hex, JSON.stringify(read));
const isAsSeen = hex === '00010000070000005ac3bc72696300' && read.join('|') === 'abc|Züric|\0';
process.exit(isAsSeen ? 0 : 1);
JS
node try.cjs
