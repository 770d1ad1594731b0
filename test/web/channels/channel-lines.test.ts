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
    written: [],
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

  it('is a tree by dots, slashes and locations; what one channel alone has is no branch', () => {
    const tree = [
      entry('CAN1.Engine.Speed'),
      entry('CAN1.Engine.Temp'),
      entry('CAN1.Gearbox.Oil'),
      entry('Lambda 0.5'),
      entry('Tyre/FL/Temp'),
      entry('Tyre/FR/Temp'),
      entry('Pump', '/Car/Fuel'),
      entry('Level', '/Car/Fuel'),
      entry('Gap', '/Car/Wing'),
    ];
    const told = channelLines(tree, '', []).map((line) =>
      line.group === undefined
        ? `${' '.repeat(line.depth)}${line.label}`
        : `${' '.repeat(line.depth)}[${line.group}]${line.count}`,
    );
    assert.deepEqual(told, [
      'Lambda 0.5',
      '[CAN1]3',
      ' Gearbox.Oil',
      ' [Engine]2',
      '  Speed',
      '  Temp',
      '[Tyre]2',
      ' FL/Temp',
      ' FR/Temp',
      '[/Car]3',
      ' [Fuel]2',
      '  Pump',
      '  Level',
      ' [Wing]1',
      '  Gap',
    ]);
  });

  it('has one branch for what stands in each other with nothing beside', () => {
    assert.deepEqual(texts([entry('/imu/data.x'), entry('/imu/data.y')], '', []), [
      '[/imu/data]',
      '/imu/data.x',
      '/imu/data.y',
    ]);
  });

  it('of very many channels is closed, until one opens it or looks for something', () => {
    const many = Array.from({ length: 300 }, (_, i) => entry(`Box${i % 3}.Channel${i}`));
    assert.deepEqual(texts(many, '', []), ['[Box0]', '[Box1]', '[Box2]']);
    assert.equal(texts(many, '', [], ['Box1']).length, 103);
    assert.deepEqual(texts(many, 'channel299', []), ['Box2.Channel299']);
    assert.deepEqual(texts(all, '', [], ['/Car']), ['[/Car]', '[/Tyres]', 'TyreTempFL']);
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
