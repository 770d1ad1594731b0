#!/bin/sh
# parquet-rs 59.3.0 (in npm parquet-wasm 0.8.0) writes Arrow's timestamp[s], duration[ms] and time32[s] as bare INT64 and INT32, without a
# converted or logical type. Only the Arrow schema in the footer (key ARROW:schema, base64) says that they are times, and in which unit:
# readers that do not know this key get plain numbers. timestamp[ms] has its logical type.
#
# Seen on 2026-11-28 with Node.js 20:
#   parquet-rs version 59.3.0
#   s: INT64
#   ms: INT64 TIMESTAMP
#   span: INT64
#   clock: INT32
#   ARROW:schema
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund apache-arrow@21.2.0 parquet-wasm@0.8.0 hyparquet@1.31.5 >/dev/null
cat >try.mjs <<'JS'
import * as arrow from 'apache-arrow';
import { parquetMetadata } from 'hyparquet';
import { Table, writeParquet } from 'parquet-wasm';
const column = (type, data) => arrow.makeVector(arrow.makeData({ type, length: data.length, data }));
const table = new arrow.Table({
  s: column(new arrow.TimestampSecond(), new BigInt64Array([1612191099n])),
  ms: column(new arrow.TimestampMillisecond(), new BigInt64Array([1612191099000n])),
  span: column(new arrow.DurationMillisecond(), new BigInt64Array([100n])),
  clock: column(new arrow.TimeSecond(), new Int32Array([53499])),
});
const bytes = writeParquet(Table.fromIPCStream(arrow.tableToIPC(table, 'stream')));
const metadata = parquetMetadata(bytes);
console.log(metadata.created_by);
for (const { name, type, converted_type, logical_type } of metadata.schema.slice(1))
  console.log(`${name}: ${[type, logical_type?.type ?? converted_type].filter(Boolean).join(' ')}`);
console.log(metadata.key_value_metadata.map(({ key }) => key).join(' '));
JS
node try.mjs | tee out
printf '%s\n' 'parquet-rs version 59.3.0' 's: INT64' 'ms: INT64 TIMESTAMP' 'span: INT64' 'clock: INT32' 'ARROW:schema' | diff - out
