import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Client, ParameterData, ParameterDataQuery } from '../../../src/client/client.ts';
import { firstPlaces, loadRows, type Places } from '../../../web/src/share/rows-page.ts';

interface Row {
  readonly time: bigint;
  readonly value: number;
}

/** Pages of rows that stand in order, as the service gives them: the cursor is a number of rows. */
function serviceOf(topics: Readonly<Record<string, readonly Row[]>>): Pick<Client, 'page'> {
  return {
    async page({ topic = '', cursor = '0', limit }: ParameterDataQuery & { readonly limit: number }) {
      const rows = topics[topic]!;
      const end = Number(cursor) + limit;
      const part = rows.slice(Number(cursor), end);
      const data: ParameterData = {
        timestamps: part.map(({ time }) => time),
        numericValues: { Speed: part.map(({ value }) => value) },
        stringValues: {},
        binaryValues: {},
        tagValues: { topic: part.map(() => topic) },
      };
      return { data, nextCursor: end < rows.length ? String(end) : undefined };
    },
  };
}

const times = fc.array(fc.integer({ min: 0, max: 12 }), { size: 'max', maxLength: 15 });

describe('rows of several queries', () => {
  it('are, page by page, those of all of them in order of time', async () => {
    const limits = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(times, { minLength: 1, maxLength: 3 }),
        limits,
        fc.boolean(),
        async (all, limit, down) => {
          const sign = down ? -1 : 1;
          const topics = Object.fromEntries(
            all.map((own, i) => [
              `topic ${i}`,
              own
                .toSorted((a, b) => sign * (a - b))
                .map((time, row): Row => ({ time: BigInt(time), value: 100 * i + row })),
            ]),
          );
          const queries = Object.keys(topics).map(
            (topic): ParameterDataQuery => ({
              topic,
              ...(down && { order: 'Desc' as const }),
            }),
          );
          const expected = Object.values(topics)
            .flat()
            .toSorted((a, b) => sign * Number(a.time - b.time));
          const shown: Row[] = [];
          let places: Places | undefined = firstPlaces(queries);
          while (places !== undefined) {
            const { data, next } = await loadRows(
              serviceOf(topics),
              queries,
              places,
              limit,
              new AbortController().signal,
            );
            assert.ok(data.timestamps.length === limit || next === undefined);
            const values = data.numericValues['Speed'] ?? [];
            shown.push(...data.timestamps.map((time, row) => ({ time, value: values[row]! })));
            for (const [row, topic] of (data.tagValues['topic'] ?? []).entries())
              assert.equal(topic, `topic ${Math.floor(values[row]! / 100)}`);
            places = next;
          }
          assert.deepEqual(shown, expected);
        },
      ),
    );
  });
});
