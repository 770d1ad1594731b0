import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { staticFile } from '../../src/http/static-file.ts';

const bytes = Buffer.from('a line of a page\n'.repeat(1000));
const headers = { 'Cache-Control': 'no-cache' };
const file = staticFile({ bytes, type: 'text/html', headers });
const ask = (acceptEncoding?: string, ifNoneMatch?: string) => file({ acceptEncoding, ifNoneMatch });

async function bodyOf(answer: Awaited<ReturnType<typeof ask>>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.chunks ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a kept file', () => {
  it('comes in the form that the client takes, each with a tag of its own', async () => {
    const tags = new Set<string>();
    for (const [accept, coding, read] of [
      [undefined, undefined, (body: Buffer) => body],
      ['br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
    ] as const) {
      const answer = await ask(accept);
      assert.equal(answer.headers?.['Content-Encoding'], coding);
      assert.equal(answer.vary, 'Accept-Encoding');
      assert.deepEqual(read(await bodyOf(answer)), bytes);
      tags.add(answer.headers!['ETag']!);
    }
    assert.equal(tags.size, 3);
  });

  it('is compressed once', async () => {
    const [first, again] = await Promise.all([ask('br'), ask('br, gzip')]);
    const later = await ask('br');
    // The same memory: nothing was made for the second and the third.
    const chunkOf = (answer: typeof first) => [...(answer.chunks as Iterable<Uint8Array>)][0];
    assert.equal(chunkOf(again), chunkOf(first));
    assert.equal(chunkOf(later), chunkOf(first));
  });

  it('is not sent to a client that has it', async () => {
    const tag = (await ask('gzip')).headers!['ETag']!;
    for (const given of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await ask('gzip', given);
      assert.equal(answer.status, 304, given);
      assert.equal(answer.chunks, undefined);
      assert.equal(answer.headers?.['ETag'], tag);
      assert.equal(answer.vary, 'Accept-Encoding');
    }
    // The tag of another form, and of something else.
    assert.equal((await ask('br', tag)).status, undefined);
    assert.equal((await ask('gzip', '"other"')).status, undefined);
  });

  it('is left as it is where it is short, or an image', async () => {
    for (const [type, content] of [
      ['text/html', Buffer.from('short')],
      ['image/png', randomBytes(5000)],
    ] as const) {
      const answer = await staticFile({ bytes: content, type, headers })({
        acceptEncoding: 'br, gzip',
        ifNoneMatch: undefined,
      });
      assert.deepEqual(await bodyOf(answer), content);
      assert.equal(answer.vary, undefined);
    }
  });
});
