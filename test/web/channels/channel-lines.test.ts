import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelLines } from '../../../web/src/channels/channel-lines.ts';
import { chosenOf } from '../../../web/src/channels/chosen.ts';
import type { ParameterEntry } from '../../../web/src/channels/parameter-entry.ts';

function entry(id: string, location = '/', description = ''): ParameterEntry {
  return {
    id,
    type: 'Numeric',
    location,
    name: id,
    unit: '',
    ownUnit: '',
    description,
    minimum: undefined,
    maximum: undefined,
    names: undefined,
    expression: '',
    isOfView: false,
  };
}

const spark = (...values: number[]) => ({
  from: 0n,
  bucket: 1n,
  low: values,
  high: values,
  last: values.at(-1),
  to: 0n,
});
const texts = (...given: Parameters<typeof channelLines>) =>
  channelLines(...given).map((line) => (line.group === undefined ? line.entry.id : `[${line.group}]`));

describe('the list of channels', () => {
  const all = [
    entry('Speed', '/Car'),
    entry('TyreTempFL', '/Tyres', 'Tread, front left'),
    entry('X', '/Car'),
  ];

  it('has channels by location, favourites first and once', () => {
    assert.deepEqual(texts(all, '', []), ['[/Car]', 'Speed', 'X', '[/Tyres]', 'TyreTempFL']);
    assert.deepEqual(texts(all, '', ['X']), [
      '[Favourites]',
      'X',
      '[/Car]',
      'Speed',
      '[/Tyres]',
      'TyreTempFL',
    ]);
  });

  it('has no line for a location that is the only one, and says nothing', () => {
    assert.deepEqual(texts([entry('a'), entry('b')], '', []), ['a', 'b']);
    assert.deepEqual(texts([entry('a'), entry('b')], '', ['b']), ['[Favourites]', 'b', '[/]', 'a']);
  });

  it('finds several words in any order, in names, locations and descriptions', () => {
    assert.deepEqual(texts(all, ' left  TEMP tyres', []), ['[/Tyres]', 'TyreTempFL']);
    assert.deepEqual(texts(all, 'left speed', []), []);
  });
});

describe('what is plotted at first', () => {
  const sparks = (given: Record<string, ReturnType<typeof spark>>) => new Map(Object.entries(given));

  it('is what is called as one looks at it first, by the shortest name', () => {
    const known = ['WheelSpeedFL', 'Speed', 'Gear', 'Brake'].map((id) => entry(id));
    const seen = sparks({
      WheelSpeedFL: spark(1, 2),
      Speed: spark(1, 2),
      Gear: spark(1, 2),
      Brake: spark(0, 0),
    });
    assert.deepEqual(chosenOf(known, seen), ['Speed', 'Brake', 'Gear']);
  });

  it('is text where there are no numbers', () => {
    const known = ['State', 'Note'].map((id) => ({ ...entry(id), type: 'String' as const }));
    assert.deepEqual(chosenOf(known, sparks({})), ['State', 'Note']);
    assert.deepEqual(chosenOf([...known, entry('a')], sparks({ a: spark(1, 2) })), ['a']);
  });

  it('is what varies most where names say nothing, and nothing that has no rows', () => {
    const known = ['a', 'b', 'c', 'd'].map((id) => entry(id));
    const seen = sparks({ a: spark(5, 5, 5), b: spark(0, 1, 0), c: spark(0, 1, 2) });
    assert.deepEqual(chosenOf(known, seen), ['b', 'c', 'a']);
  });
});
