#!/bin/sh
# npm apache-arrow 21.2.0: a file of Arrow IPC that tableToIPC writes has no schema message behind its first mark, though the format
# says that a file is a stream between marks ("IPC File Format"). So it cannot be read as a stream; the schema stands in the footer only.
# Files of polars have the message.
#
# Seen on 2026-11-28 with Node.js 20:
#   first message of a stream: Schema
#   first message of a file: RecordBatch
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund apache-arrow@21.2.0 >/dev/null
cat >try.mjs <<'JS'
import { MessageHeader, tableFromArrays, tableToIPC } from 'apache-arrow';
import { Message } from 'apache-arrow/ipc/metadata/message';
const table = tableFromArrays({ a: new Float64Array([1, 2]) });
for (const [form, from] of [['stream', 0], ['file', 8]]) {
  const bytes = tableToIPC(table, form);
  const size = new DataView(bytes.buffer, bytes.byteOffset).getInt32(from + 4, true);
  const { headerType } = Message.decode(bytes.subarray(from + 8, from + 8 + size));
  console.log(`first message of a ${form}: ${MessageHeader[headerType]}`);
}
JS
node try.mjs | tee out
grep -q '^first message of a stream: Schema$' out
grep -q '^first message of a file: RecordBatch$' out
