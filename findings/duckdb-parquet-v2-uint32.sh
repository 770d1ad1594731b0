#!/bin/sh
# DuckDB 1.5.5 (npm @duckdb/node-api) with PARQUET_VERSION v2 stores a UINTEGER column as deltas (DELTA_BINARY_PACKED), and writes the
# first value as a number of 33 bits, though the column is an INT32. hyparquet 1.31.5 reads INT32 deltas into 32 bits with a sign, and cuts
# that first value: 4294967295 and 4294967294 become 2147483647 and 2147483646, without a word. Numbers below 2147483648 are right, and so
# is the same column in version 1 of the pages. DuckDB itself reads it back as it was.
#
# Seen on 2026-12-01 with Node.js 20:
#   v1 hyparquet: 4294967295 4294967294
#   v2 hyparquet: 2147483647 2147483646
#   v2 duckdb: 4294967295 4294967294
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund @duckdb/node-api@1.5.5-r.5 hyparquet@1.31.5 >/dev/null
cat >try.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetReadObjects } from 'hyparquet';
const duckdb = await (await DuckDBInstance.create()).connect();
const select = 'SELECT (4294967295 - i)::UINTEGER AS v FROM range(2) t(i)';
for (const version of ['v1', 'v2']) {
  const path = `${version}.parquet`;
  await duckdb.run(`COPY (${select}) TO '${path}' (FORMAT parquet, PARQUET_VERSION ${version})`);
  const bytes = readFileSync(path);
  const rows = await parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) });
  console.log(`${version} hyparquet: ${rows.map(({ v }) => Number(v) >>> 0).join(' ')}`);
}
const back = (await duckdb.runAndReadAll("SELECT v FROM 'v2.parquet'")).getRows();
console.log(`v2 duckdb: ${back.map(([v]) => v).join(' ')}`);
JS
node try.mjs | tee out
printf '%s\n' 'v1 hyparquet: 4294967295 4294967294' 'v2 hyparquet: 2147483647 2147483646' 'v2 duckdb: 4294967295 4294967294' | diff - out
