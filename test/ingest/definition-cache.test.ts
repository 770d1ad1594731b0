import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../src/domain/parameter-data.ts';
import { noTags } from '../../src/domain/tags.ts';
import { definitionCache } from '../../src/ingest/definition-cache.ts';

const column = (name: string) => ({
  kind: Kind.Numeric,
  name,
  values: Float64Array.of(1),
  present: undefined,
});

const stream = (...names: string[]) => ({
  topic: 't',
  streamId: 's',
  ends: [],
  rows: [
    {
      count: 1,
      base: 0n,
      offsets: Float64Array.of(0),
      tagSets: [noTags],
      tagIndex: undefined,
      columns: names.map(column),
    },
  ],
});

describe('what is said of metrics', () => {
  it('is written once, and again where it changes or the stream is a new one', () => {
    let isNew = false;
    const said = definitionCache({ isNew: () => isNew });
    const write = () => {
      const fresh = said.fresh('w', [stream('laps_total', 'up')], []);
      said.written('w', fresh);
      return fresh.flatMap(({ definitions }) => definitions.map(({ id, description }) => [id, description]));
    };
    assert.deepEqual(write(), []);
    said.learn('w', new Map([['laps', { help: 'Laps' }]]));
    said.learn('other', new Map([['up', { help: 'Not ours' }]]));
    assert.deepEqual(write(), [['laps_total', 'Laps']]);
    assert.deepEqual(write(), []);
    said.learn('w', new Map([['laps', { help: 'Rounds' }]]));
    assert.deepEqual(write(), [['laps_total', 'Rounds']]);
    isNew = true;
    assert.deepEqual(write(), [['laps_total', 'Rounds']]);
  });

  it('is not kept beyond its room, however much is told', () => {
    const said = definitionCache({ isNew: () => false });
    said.learn('w', new Map([['first', { help: 'first' }]]));
    for (let i = 0; i < 300; i++) said.learn('w', new Map([[`m${i}`, { help: 'h'.repeat(65_000) }]]));
    const idsOf = (...names: string[]) =>
      said.fresh('w', [stream(...names)], []).flatMap(({ definitions }) => definitions.map(({ id }) => id));
    assert.deepEqual(idsOf('first', 'm299'), ['m299']);
  });
});
