import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Column, Kind } from '../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../src/domain/tags.ts';
import {
  createEventAnswer,
  type EventAnswerOptions,
  type EventBlock,
  tagsOfColumns,
  tagsOfSets,
} from '../../../src/wire/answers/event-data-json.ts';
import { rowsOf } from '../../store/embedded/rows.ts';

const noTags = { json: ['{}'], index: undefined };

/** A block at the times, a column per event; null where it did not happen. */
function block(
  times: readonly bigint[],
  columns: readonly (readonly (string | number | null)[] | undefined)[],
  tags: EventBlock['tags'] = noTags,
): EventBlock {
  const base = times[0] ?? 0n;
  return {
    count: times.length,
    base,
    offsets: Float64Array.from(times, (time) => Number(time - base)),
    columns: columns.map((cells) => cells && columnOf(times, cells)),
    tags,
  };
}

function columnOf(times: readonly bigint[], cells: readonly (string | number | null)[]): Column {
  const [column] = rowsOf(times.map((time, i) => ({ time, cells: { x: cells[i]! } }))).columns;
  return column!.kind === Kind.Numeric ? column! : { ...column!, kind: Kind.Event };
}

function answer(blocks: readonly EventBlock[], options: Partial<EventAnswerOptions> = {}) {
  const made = createEventAnswer({
    eventIds: ['pit', 'crash'],
    keepEmpty: true,
    int64AsString: false,
    ...options,
  });
  let bytes = 0;
  for (const one of blocks) bytes += made.add(one, 0);
  const { chunks, rows } = made.finish();
  return { text: Buffer.concat([...chunks]).toString(), rows, bytes };
}

describe('the answer of /events/data', () => {
  it('has the rows of each event by its id, times exact', () => {
    const { text, rows } = answer([
      block(
        [-5n, 7n],
        [
          ['in', null],
          ['"a"', 'é\u0000'],
        ],
      ),
      block([2n ** 63n - 1n], [['out'], undefined]),
    ]);
    assert.equal(
      text,
      '{"data":{"pit":[{"timestamp":-5,"value":"in","tags":{}},{"timestamp":9223372036854775807,"value":"out","tags":{}}],' +
        '"crash":[{"timestamp":-5,"value":"\\"a\\"","tags":{}},{"timestamp":7,"value":"é\\u0000","tags":{}}]}}',
    );
    assert.equal(rows, 4);
  });

  it('has times as strings where that is asked for, and counts as numbers', () => {
    const { text } = answer([block([5n], [[3], undefined])], { int64AsString: true });
    assert.equal(text, '{"data":{"pit":[{"timestamp":"5","value":3,"tags":{}}],"crash":[]}}');
  });

  it('keeps events without rows only where that is asked for', () => {
    assert.equal(answer([]).text, '{"data":{"pit":[],"crash":[]}}');
    assert.equal(answer([], { keepEmpty: false }).text, '{"data":{}}');
    const one = answer([block([1n], [undefined, ['x']])], { keepEmpty: false });
    assert.equal(one.text, '{"data":{"crash":[{"timestamp":1,"value":"x","tags":{}}]}}');
    assert.equal(answer([], { eventIds: [] }).text, '{"data":{}}');
  });

  it('has the tags of each row', () => {
    const sets = [tagSet([]), tagSet([['lap', '"1"']]), tagSet([['__proto__', 'x']])];
    const tags = { json: tagsOfSets(sets), index: Uint32Array.of(1, 0, 2) };
    const { text } = answer([block([1n, 2n, 3n], [['a', 'b', 'c'], undefined], tags)]);
    assert.deepEqual(
      [...text.matchAll(/"tags":(\{[^}]*\})/g)].map(([, json]) => json),
      ['{"lap":"\\"1\\""}', '{}', '{"__proto__":"x"}'],
    );
  });

  it('has the tags of groups, without those that a row does not have', () => {
    const columns = [
      { texts: ['s1', 's2'], index: Uint32Array.of(0, 1, 0) },
      { texts: [undefined, '7'], index: Uint32Array.of(0, 1, 0) },
    ];
    const { json, index } = tagsOfColumns({ count: 3, tags: columns }, ['streamId', 'lap']);
    assert.deepEqual(
      [...index!].map((place) => json[place]),
      ['{"streamId":"s1"}', '{"streamId":"s2","lap":"7"}', '{"streamId":"s1"}'],
    );
    const one = tagsOfColumns({ count: 2, tags: [{ texts: ['x'], index: undefined }] }, ['topic']);
    assert.deepEqual(
      [...one.index!].map((place) => one.json[place]),
      ['{"topic":"x"}', '{"topic":"x"}'],
    );
    assert.deepEqual(tagsOfColumns({ count: 1, tags: [] }, []).json, ['{}']);
  });

  it('is whole when it is long, and says how long it grows', () => {
    const value = 'v'.repeat(1000);
    const blocks = Array.from({ length: 300 }, (_, i) => block([BigInt(i)], [[value], [value]]));
    const { text, rows, bytes } = answer(blocks);
    const { data } = JSON.parse(text) as { data: Record<string, { timestamp: number }[]> };
    assert.deepEqual(
      data['crash']!.map(({ timestamp }) => timestamp),
      Array.from({ length: 300 }, (_, i) => i),
    );
    assert.equal(rows, 600);
    assert.ok(Math.abs(bytes - text.length) < 100);
  });
});
