import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Example } from '../../src/http/examples/example.ts';
import { examples } from '../../src/http/examples/story.ts';
import { type Reply, send, startService } from './service.ts';

type Json = Record<string, unknown>;

const service = await startService();
/** What stands in an answer instead of a text that an example shows and that differs each time. */
const actual = new Map<string, string>();

function sendExample({ call, params = {}, query = {}, accept, body }: Example): Promise<Reply> {
  const [method, path] = call.split(' ') as [string, string];
  const address = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    assert.ok(value !== undefined, `the parameter ${name} has a value`);
    return encodeURIComponent(actual.get(value) ?? value);
  });
  const asked = new URLSearchParams(query).toString();
  const isText = typeof body === 'string';
  const text = isText ? body : JSON.stringify(body);
  return send(service.url, address + (asked === '' ? '' : `?${asked}`), {
    method,
    ...(body !== undefined && { body: text }),
    headers: {
      // Node sends none of its own with a DELETE.
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
      ...(isText && { 'content-type': 'text/plain' }),
      ...(accept !== undefined && { accept }),
    },
  });
}

/** The answer with the example's texts in the place of those that differ each time, which are remembered. */
function settled(got: unknown, shown: unknown, varying: readonly string[]): unknown {
  if (Array.isArray(got) && Array.isArray(shown)) return got.map((one, i) => settled(one, shown[i], varying));
  if (typeof got !== 'object' || got === null || typeof shown !== 'object' || shown === null) return got;
  const entries = Object.entries(got).map(([name, value]) => {
    const example = (shown as Json)[name];
    if (!varying.includes(name) || typeof example !== 'string')
      return [name, settled(value, example, varying)];
    assert.equal(typeof value, 'string');
    assert.equal(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value as string),
      /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(example),
    );
    actual.set(example, value as string);
    return [name, example];
  });
  return Object.fromEntries(entries);
}

describe('the examples of the OpenAPI document', () => {
  for (const example of examples) {
    it(`are true: ${example.call}: ${example.summary}`, async () => {
      const { status = 200, answer, accept, varying = [] } = example;
      const reply = await sendExample(example);
      assert.equal(reply.status, status, reply.text);
      if (answer === undefined) return;
      if (accept !== undefined) {
        assert.equal(String(reply.headers['content-type']).split(';', 1)[0], accept);
        assert.equal(reply.text, answer);
      } else {
        assert.deepEqual(settled(reply.json(), answer, varying), answer);
      }
    });
  }

  it('have times that every tool shows as they are', () => {
    for (const digits of JSON.stringify(examples).match(/(?<=[[:,])\d{16,}/g) ?? []) {
      assert.equal(String(BigInt(Number(digits))), digits);
    }
  });
});
