#!/bin/sh
# @fastify/compress 9.2.0 (npm, with fastify 5.12.8) sends some texts as they are and says that they are compressed.
#
# Before it compresses an answer it looks whether that is compressed already: two bytes that would do as the head of zlib (RFC 1950, section 2.2)
# are enough. Many pairs of letters do: `H,`, `80`, `XG`, `hb`, `x^`. An answer of 1 KiB or more that begins with one goes out unchanged, with
# `Content-Encoding: gzip` (or br), and no client can read it. So a table in CSV whose first column is called H arrives broken.
#
# Seen:
#   begins with "T,": gzip, reads back
#   begins with "H,": gzip, and the bytes are the text itself
#   begins with "80": gzip, and the bytes are the text itself
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund @fastify/compress@9.2.0 fastify@5.12.8 >/dev/null
cat > try.mjs <<'JS'
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import compress from '@fastify/compress';
import { fastify } from 'fastify';

const texts = ['T,', 'H,', '80'].map((begin) => `${begin}Speed\n${'1,2\n'.repeat(1000)}`);
const app = fastify();
await app.register(compress);
app.get('/:n', (call, reply) => reply.type('text/csv').send(texts[call.params.n]));
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const ask = (path) =>
  new Promise((resolve, reject) => {
    request(`${url}${path}`, { headers: { 'accept-encoding': 'gzip' } }, async (answer) => {
      const bytes = [];
      for await (const piece of answer) bytes.push(piece);
      resolve({ coding: answer.headers['content-encoding'], bytes: Buffer.concat(bytes) });
    })
      .on('error', reject)
      .end();
  });

const seen = [];
for (const [n, text] of texts.entries()) {
  const { coding, bytes } = await ask(`/${n}`);
  const isText = bytes.toString() === text;
  const isRead = !isText && gunzipSync(bytes).toString() === text;
  seen.push(`${coding} ${isText ? 'text' : isRead ? 'read' : 'neither'}`);
  const what = isText ? ', and the bytes are the text itself' : isRead ? ', reads back' : ', and something else';
  console.log(`begins with "${text.slice(0, 2)}": ${coding}${what}`);
}
await app.close();
process.exit(seen.join() === 'gzip read,gzip text,gzip text' ? 0 : 1);
JS
node try.mjs
