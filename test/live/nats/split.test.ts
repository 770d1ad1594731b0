import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Column, isPresent, Kind, type Rows } from '../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../src/domain/tags.ts';
import type { LiveContent } from '../../../src/live/live-package.ts';
import { decodePackage, encodePackage } from '../../../src/live/nats/package.ts';
import { sizeOfRows, splitContent } from '../../../src/live/nats/split.ts';

const place = { workspace: 'w', topic: 't', streamId: 's' };

/** Rows of every kind, with gaps and a tag set for each. */
function mixed(count: number): Rows {
  const texts = Array.from({ length: count }, (_, i) => Buffer.from('x'.repeat(i % 7)));
  let end = 0;
  return {
    count,
    base: 5n,
    offsets: Float64Array.from({ length: count }, (_, i) => i * i),
    tagSets: Array.from({ length: count }, (_, i) => tagSet([['row', String(i)]])),
    tagIndex: Uint32Array.from({ length: count }, (_, i) => count - 1 - i),
    columns: [
      {
        kind: Kind.Numeric,
        name: 'n',
        values: Float64Array.from({ length: count }, (_, i) => i / 7),
        present: Uint8Array.from({ length: (count + 7) >> 3 }, (_, i) => (i * 37) & 255),
      },
      {
        kind: Kind.String,
        name: 's',
        bytes: new Uint8Array(Buffer.concat(texts)),
        ends: Uint32Array.from(texts, ({ length }) => (end += length)),
        present: undefined,
      },
    ],
  };
}

/** Each value as text, by row and column. */
function valuesOf(all: readonly Rows[]): string[] {
  const found: string[] = [];
  for (const { count, base, offsets, tagSets, tagIndex, columns } of all) {
    for (let row = 0; row < count; row++) {
      const at = `${base + BigInt(offsets[row]!)} ${tagSets[tagIndex?.[row] ?? 0]!.key}`;
      for (const column of columns) {
        if (isPresent(column.present, row)) found.push(`${at} ${column.name} ${textOf(column, row)}`);
      }
    }
  }
  return found.sort();
}

function textOf(column: Column, row: number): string {
  if (column.kind === Kind.Numeric) return String(column.values[row]);
  const start = row === 0 ? 0 : column.ends[row - 1]!;
  return Buffer.from(column.bytes.subarray(start, column.ends[row])).toString();
}

function rowsOf(content: LiveContent): readonly Rows[] {
  return content.type === 'parameterData' ? content.rows : [];
}

describe('a write that is larger than a package', () => {
  it('goes in parts that hold all of its values, each small enough', () => {
    for (const count of [1, 8, 9, 500, 1001]) {
      const whole = mixed(count);
      const parts = splitContent({ type: 'parameterData', rows: [whole, mixed(3)] }, 2000);
      const arrived = parts.flatMap((content) =>
        rowsOf(decodePackage(encodePackage({ ...place, content })).content),
      );
      assert.deepEqual(valuesOf(arrived), valuesOf([whole, mixed(3)]));
      for (const rows of parts.flatMap(rowsOf)) assert.ok(sizeOfRows(rows) <= 2000 || rows.count <= 8);
    }
  });

  it('is one part where it is small', () => {
    const content: LiveContent = { type: 'parameterData', rows: [mixed(10)] };
    assert.deepEqual(splitContent(content, 1 << 20), [content]);
  });

  it('may be events or definitions', () => {
    const events = Array.from({ length: 100 }, (_, i) => ({
      id: `e${i}`,
      timestamp: BigInt(i),
      value: 'v'.repeat(50),
      tags: tagSet([]),
    }));
    const parts = splitContent({ type: 'eventData', events }, 1000);
    assert.ok(parts.length > 5);
    assert.deepEqual(
      parts.flatMap((part) => (part.type === 'eventData' ? part.events : [])),
      events,
    );
    assert.equal(splitContent({ type: 'eventData', events: [] }, 1000).length, 1);
  });
});
