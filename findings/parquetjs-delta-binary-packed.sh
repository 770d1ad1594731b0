#!/bin/sh
# @dsnp/parquetjs 1.8.9 (npm) cannot read a column of INT64 with the encoding DELTA_BINARY_PACKED, which the Parquet format has
# had since version 2.0 and which DuckDB 1.5, polars 1.44 and hyparquet 1.31 read. The file opens, and the first row fails.
#
# Written with hyparquet-writer 0.17.0: one required INT64 column, 1000 values, once with each encoding.
# Seen:
#   PLAIN: 1000 rows
#   DELTA_BINARY_PACKED: invalid encoding: DELTA_BINARY_PACKED
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"type":"module"}' > package.json
npm install --silent --ignore-scripts --no-audit --no-fund @dsnp/parquetjs@1.8.9 hyparquet-writer@0.17.0
cat > try.js <<'JS'
import { writeFileSync } from 'node:fs';
import parquet from '@dsnp/parquetjs';
import { parquetWriteBuffer } from 'hyparquet-writer';

for (const encoding of ['PLAIN', 'DELTA_BINARY_PACKED']) {
  const data = BigInt64Array.from({ length: 1000 }, (_, i) => BigInt(i) * 1000n);
  writeFileSync('x.parquet', Buffer.from(parquetWriteBuffer({ columnData: [{ name: 't', data, type: 'INT64', nullable: false, encoding }] })));
  const reader = await parquet.ParquetReader.openFile('x.parquet');
  try {
    const cursor = reader.getCursor();
    let rows = 0;
    while (await cursor.next()) rows++;
    console.log(`${encoding}: ${rows} rows`);
  } catch (error) {
    console.log(`${encoding}: ${error.message ?? error}`);
  } finally {
    await reader.close();
  }
}
JS
node try.js > seen.txt 2>/dev/null || true
cat seen.txt
grep -qx 'PLAIN: 1000 rows' seen.txt
grep -qx 'DELTA_BINARY_PACKED: invalid encoding: DELTA_BINARY_PACKED' seen.txt
