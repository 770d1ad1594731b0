#!/bin/sh
# Node.js 24: DecompressionStream('gzip') refuses a file of several members, as bgzip, pigz and `cat a.gz b.gz` make them; up to 22 it
# unpacks all of them. zlib.gunzipSync takes them in all versions (RFC 1952, section 2.2: a file is a series of members).
#
# Seen with npm's package node, 22.23.3 and 24.21.0.
#
# Output seen:
#   22 stream ab zlib ab
#   24 stream Trailing junk found after the end of the compressed stream zlib ab
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/look.mjs" <<'JS'
import { gunzipSync, gzipSync } from 'node:zlib';
const two = Buffer.concat([gzipSync('a'), gzipSync('b')]);
const stream = new Blob([two]).stream().pipeThrough(new DecompressionStream('gzip'));
const told = await new Response(stream).text().catch((error) => error.cause?.message ?? error.message);
console.log(`${process.versions.node.split('.')[0]} stream ${told} zlib ${gunzipSync(two)}`);
JS
for version in 22.23.3 24.21.0; do
  mkdir "$folder/$version"
  (cd "$folder/$version" && npm init -y >/dev/null && npm install --silent --no-audit --no-fund "node@$version" >/dev/null)
  "$folder/$version/node_modules/node/bin/node" "$folder/look.mjs" >> "$folder/out"
done
cat "$folder/out"
printf '%s\n' '22 stream ab zlib ab' '24 stream Trailing junk found after the end of the compressed stream zlib ab' > "$folder/expected"
diff "$folder/expected" "$folder/out"
