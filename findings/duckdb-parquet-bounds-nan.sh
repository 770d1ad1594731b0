#!/bin/sh
# DuckDB 1.5.5 (npm @duckdb/node-api) takes the bounds of a Parquet column to hold for its NaN, too. The format has NaN left out of them
# ("NaNs should not be written to min or max statistics fields"), so a column of NaN, 1, 2 has the bounds 1 and 2. A filter that these
# bounds fulfil is dropped, and NaN is counted with it; one that they cannot fulfil skips the row group with its NaN, which DuckDB orders
# above all numbers. The same rows as a table give other counts.
#
# Seen on 2026-11-30 with Node.js 20:
#   bounds: 1 2
#   v < 5: 3 in the file, 2 in a table
#   v > 2: 0 in the file, 1 in a table
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund @duckdb/node-api@1.5.5-r.5 hyparquet@1.31.5 hyparquet-writer@0.17.0 >/dev/null
cat >try.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
const bytes = parquetWriteBuffer({ columnData: [{ name: 'v', data: [NaN, 1, 2], type: 'DOUBLE' }] });
writeFileSync('v.parquet', new Uint8Array(bytes));
const { min_value, max_value } = parquetMetadata(bytes).row_groups[0].columns[0].meta_data.statistics;
console.log(`bounds: ${min_value} ${max_value}`);
const duckdb = await (await DuckDBInstance.create()).connect();
await duckdb.run("CREATE TABLE t AS SELECT * FROM 'v.parquet'");
const count = async (from, where) =>
  (await duckdb.runAndReadAll(`SELECT count(*) FROM ${from} WHERE ${where}`)).getRows()[0][0];
for (const where of ['v < 5', 'v > 2'])
  console.log(`${where}: ${await count("'v.parquet'", where)} in the file, ${await count('t', where)} in a table`);
JS
node try.mjs | tee out
printf '%s\n' 'bounds: 1 2' 'v < 5: 3 in the file, 2 in a table' 'v > 2: 0 in the file, 1 in a table' | diff - out
