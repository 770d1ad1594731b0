import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isShort, skipShortValue, skipValue } from '../../../src/hub/protocol/skip-value.ts';
import { whole } from '../../../src/turns/steps.ts';
import { openScan, type Scan } from '../../../src/wire/json/json-scanner.ts';

interface Skipped {
  readonly skipped: string;
  readonly depth: number;
}

/** In steps, and at once where that goes: both ways give the same, or the same error. */
function skip(text: string): Skipped {
  const skipped = (way: (scan: Scan) => number): Skipped => {
    const scan = openScan(Buffer.from(text));
    const depth = way(scan);
    return { skipped: Buffer.from(text).toString('utf8', 0, scan.at), depth };
  };
  const inSteps = () => skipped((scan) => whole(skipValue(scan)));
  if (!isShort(openScan(Buffer.from(text)))) return inSteps();
  let atOnce: Skipped;
  try {
    atOnce = skipped(skipShortValue);
  } catch (error) {
    assert.throws(inSteps, { message: (error as Error).message });
    throw error;
  }
  assert.deepEqual(inSteps(), atOnce);
  return atOnce;
}

describe('skipping a value', () => {
  it('ends where the value ends, whatever it is', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(',1]', ']', '}', ',"a":2}'), (json, behind) => {
        assert.equal(skip(json + behind).skipped, json);
      }),
    );
  });

  it('ends where the value ends, whether it is short or long and numbers, strings or brackets follow', () => {
    const numbers = fc.integer({ min: 0, max: 200 }).map((length) => new Array<number>(length).fill(1.5));
    const piece = fc.oneof(
      numbers,
      fc.string(),
      fc.array(numbers, { maxLength: 3 }),
      fc.record({ a: numbers, '"}]': fc.string() }),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.constantFrom(',1]', ',{"a":[]}'), (pieces, behind) => {
        const json = JSON.stringify(pieces);
        assert.equal(skip(json + behind).skipped, json);
      }),
    );
  });

  it('takes a time that grows with the length, not with its square', () => {
    // Millions of brackets, each of which could make a reader look to the end for the next one.
    const text = `${'['.repeat(3_000_000)}${'{'.repeat(3_000_000)}`;
    assert.throws(() => skip(text), { code: 'bad_json' });
  });

  it('is not misled by brackets, quotes and backslashes in strings', () => {
    assert.equal(skip('["]}","\\"]","\\\\"],1').skipped, '["]}","\\"]","\\\\"]');
  });

  it('tells the deepest level', () => {
    assert.equal(skip('"[[["').depth, 0);
    assert.equal(skip('[1,{"a":[]},2]').depth, 3);
    assert.equal(skip('['.repeat(100_000) + ']'.repeat(100_000)).depth, 100_000);
  });

  it('refuses what never ends, and what is no value', () => {
    for (const text of ['[1', '"abc', '"abc\\', '', ',1', ']', '{"a":"b}']) {
      assert.throws(() => skip(text), { code: 'bad_json' }, text);
    }
  });
});
