import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { EventRow } from '../../src/domain/event-data.ts';
import { Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { noTags, tagSet } from '../../src/domain/tags.ts';
import { spanLimit } from '../../src/domain/timestamp.ts';
import { rowsOfEvents } from '../../src/ingest/event-rows.ts';

function eventsOf(all: readonly Rows[]): EventRow[] {
  return all.flatMap(({ count, base, offsets, tagSets, tagIndex, columns: [column] }) =>
    Array.from({ length: count }, (_, row) => {
      assert.ok(column?.kind === Kind.Event && column.present === undefined);
      const start = row === 0 ? 0 : column.ends[row - 1]!;
      return {
        id: column.name,
        timestamp: base + BigInt(offsets[row]!),
        value: Buffer.from(column.bytes.subarray(start, column.ends[row])).toString(),
        tags: tagSets[tagIndex?.[row] ?? 0]!,
      };
    }),
  );
}

describe('events as rows', () => {
  it('are all there, by id and identity in the order in which they came, each piece within its span', () => {
    const event = fc.record<EventRow>(
      {
        id: fc.constantFrom('a', 'b'),
        timestamp: fc.oneof(
          fc.bigInt({ min: 0n, max: 3n }),
          fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, -1n),
        ),
        value: fc.string({ unit: 'grapheme', maxLength: 4 }),
        tags: fc.constantFrom(noTags, tagSet([['lap', '1']])),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const rows = rowsOfEvents(events);
        for (const { count, columns, offsets } of rows) {
          assert.equal(columns.length, 1);
          assert.equal(offsets.length, count);
          assert.ok(offsets.every((offset) => offset >= 0 && offset < spanLimit));
        }
        const byIdentity = (all: readonly EventRow[]) => {
          const groups = new Map<string, EventRow[]>();
          for (const one of all) {
            const identity = `${one.id} ${one.timestamp} ${one.tags.key}`;
            groups.set(identity, [...(groups.get(identity) ?? []), one]);
          }
          return groups;
        };
        assert.deepEqual(byIdentity(eventsOf(rows)), byIdentity(events));
      }),
    );
  });
});
