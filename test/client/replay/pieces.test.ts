import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { NewEvent, ParameterData } from '../../../src/client/models.ts';
import { inOneOrder, oneAhead, rowsBetween } from '../../../src/client/replay/pieces.ts';

function rowsOf(times: readonly number[]): ParameterData {
  return {
    timestamps: times.map(BigInt),
    numericValues: { at: times },
    stringValues: {},
    binaryValues: {},
    tagValues: { lap: times.map(String) },
  };
}

const eventAt = (time: number): NewEvent => ({ id: 'e', timestamp: BigInt(time), value: '' });

async function* inParts<Item, Part>(
  items: readonly Item[],
  size: number,
  make: (part: Item[]) => Part,
): AsyncGenerator<Part> {
  for (let i = 0; i < items.length; i += size) yield make(items.slice(i, i + size));
}

const ascending = fc.array(fc.nat(30)).map((times) => times.sort((a, b) => a - b));

describe('rows and events', () => {
  it('come in one order of time, rows before events, none twice and none left out', async () => {
    await fc.assert(
      fc.asyncProperty(ascending, ascending, fc.integer({ min: 1, max: 7 }), async (rows, events, size) => {
        const pages = inParts(rows, size, rowsOf);
        const windows = inParts(events, 3, (part) => part.map(eventAt));
        const found: [number, string][] = [];
        for await (const piece of inOneOrder(pages, windows)) {
          if (piece.kind === 'events') {
            assert.ok(piece.events.length > 0);
            found.push(...piece.events.map((event): [number, string] => [Number(event.timestamp), 'event']));
            continue;
          }
          const { timestamps, numericValues, tagValues } = piece.rows;
          assert.ok(timestamps.length > 0);
          assert.deepEqual(timestamps.map(Number), numericValues['at']);
          assert.deepEqual(timestamps.map(String), tagValues['lap']);
          found.push(...timestamps.map((time): [number, string] => [Number(time), 'row']));
        }
        const both: [number, string][] = [
          ...rows.map((time): [number, string] => [time, 'row']),
          ...events.map((time): [number, string] => [time, 'event']),
        ];
        const expected = both.sort(([a, x], [b, y]) => a - b || (x === y ? 0 : x === 'row' ? -1 : 1));
        assert.deepEqual(found, expected);
      }),
    );
  });

  it('can be cut', () => {
    assert.deepEqual(rowsBetween(rowsOf([1, 2, 3, 4]), 1, 3), rowsOf([2, 3]));
  });
});

describe('reading one ahead', () => {
  it('gives what there is, then the fault', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      yield 2;
      throw new Error('the third');
    }
    const found: number[] = [];
    await assert.rejects(async () => {
      for await (const item of oneAhead(failing())) found.push(item);
    }, /the third/);
    assert.deepEqual(found, [1, 2]);
  });
});
