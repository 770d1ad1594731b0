import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NumericRows } from '../../src/domain/numeric-rows.ts';
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

  it('is written of rows whose names were looked at before, where something else is said or the stream is a new one', () => {
    let isNew = false;
    const said = definitionCache({ isNew: () => isNew });
    const names = ['laps_total', 'up'];
    const rows = () =>
      new NumericRows(
        { count: 1, base: 0n, offsets: Float64Array.of(0), tagSets: [noTags], tagIndex: undefined },
        names,
        Float64Array.of(1, 2),
        0,
      );
    const idsOf = (isWritten = true) => {
      const fresh = said.fresh('w', [{ ...stream(), rows: [rows()] }], []);
      if (isWritten) said.written('w', fresh);
      return fresh.flatMap(({ definitions }) => definitions.map(({ id }) => id));
    };
    const learn = (name: string, help: string) => said.learn('w', new Map([[name, { help }]]));
    learn('other', 'Other');
    for (let i = 0; i < 2; i++) assert.deepEqual(idsOf(), []);
    learn('laps', 'Laps');
    // What did not arrive is told again.
    for (let i = 0; i < 3; i++) assert.deepEqual(idsOf(false), ['laps_total']);
    assert.deepEqual(idsOf(), ['laps_total']);
    for (let i = 0; i < 3; i++) assert.deepEqual(idsOf(), []);
    learn('laps', 'Laps');
    assert.deepEqual(idsOf(), []);
    learn('up', 'Up');
    assert.deepEqual(idsOf(), ['up']);
    for (let i = 0; i < 2; i++) assert.deepEqual(idsOf(), []);
    isNew = true;
    assert.deepEqual(idsOf(), names);
    isNew = false;
    assert.deepEqual(idsOf(), []);
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
