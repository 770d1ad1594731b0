import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type protobuf from 'protobufjs';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { makeMcap } from './made-mcap.ts';
import { descriptorOf, rootOf } from './made-protobuf.ts';
import { columnsOf, fileOf } from './read-mcap.ts';

async function opened(name: string, data: Uint8Array, messages: readonly Uint8Array[]): Promise<LoggedFile> {
  const schema = { name, encoding: 'protobuf', data };
  return openMcap(fileOf(await makeMcap([{ topic: 'p', encoding: 'protobuf', schema, messages }])));
}

/** Messages as protobufjs writes them. */
async function written(
  root: protobuf.Root,
  name: string,
  ...messages: readonly object[]
): Promise<LoggedFile> {
  const type = root.lookupType(name);
  const bytes = messages.map((message) => type.encode(type.fromObject(message)).finish());
  return opened(name, descriptorOf(root), bytes);
}

async function valuesOf(log: LoggedFile): Promise<Record<string, unknown[]>> {
  const { 'p times': _times, ...columns } = await columnsOf(log);
  return columns;
}

const race = `syntax = "proto3"; package race;
  message Wheel { float temp = 1; optional int32 slip = 2; }
  enum Mode { OFF = 0; ON = 1; BACK = -1; }`;

describe('the types of a protobuf schema', () => {
  it('are found by names that are relative to their scope', async () => {
    const root = rootOf(
      `${race} message Car { Wheel wheel = 1; geo.Vec pos = 2; Other.In inner = 3; Mode mode = 4; } message Other { message In { Wheel w = 1; message Wheel { double own = 1; } } }`,
      'syntax = "proto3"; package race.geo; message Vec { double x = 1; }',
    );
    const car = { wheel: { temp: 90.5, slip: 3 }, pos: { x: 1.5 }, inner: { w: { own: 2.5 } }, mode: 'BACK' };
    const log = await written(root, 'race.Car', car);
    assert.deepEqual(await valuesOf(log), {
      'p.wheel.temp': [90.5],
      'p.wheel.slip': [3],
      'p.pos.x': [1.5],
      'p.inner.w.own': [2.5],
      'p.mode': [-1],
    });
  });

  it('say what the numbers of enumerations stand for', async () => {
    const root = rootOf(
      `${race} message Car { Mode mode = 1; repeated Mode modes = 2; map<string, Mode> by = 3; }`,
    );
    const log = await written(root, 'race.Car', { mode: 'ON', modes: ['ON', 'OFF'], by: { a: 'BACK' } });
    assert.deepEqual(await valuesOf(log), {
      'p.mode': [1],
      'p.modes[0]': [1],
      'p.modes[1]': [0],
      'p.by.a': [-1],
    });
    for (const { name, valueNames } of log.tables[0]!.channels)
      assert.deepEqual(valueNames, { 0: 'OFF', 1: 'ON', '-1': 'BACK' }, name);
  });
});

describe('a map of protobuf', () => {
  it('has its values by key, in whatever order they stand', async () => {
    const root = rootOf(
      `${race} message Car { map<string, double> temps = 1; map<int32, Wheel> wheels = 2; }`,
    );
    const log = await written(
      root,
      'race.Car',
      { temps: { oil: 90, water: 80 }, wheels: { '-1': { temp: 1.5 }, 7: { temp: 2.5, slip: 4 } } },
      { temps: { water: 81, oil: 91 } },
    );
    assert.deepEqual(await valuesOf(log), {
      'p.temps.oil': [90, 91],
      'p.temps.water': [80, 81],
      'p.wheels.-1.temp': [1.5, null],
      'p.wheels.7.temp': [2.5, null],
      'p.wheels.7.slip': [4, null],
    });
  });

  it('has keys of all kinds, more than 16, and entries without key or value', async () => {
    const kinds = 'int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64'.split(' ');
    const fields = kinds.map((kind, i) => `map<${kind}, string> ${kind} = ${i + 1};`).join(' ');
    const root = rootOf(
      `syntax = "proto3"; message M { ${fields} map<bool, int32> b = 20; map<string, int32> many = 21; }`,
    );
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i]));
    const type = root.lookupType('M');
    const given = { ...Object.fromEntries(kinds.map((kind) => [kind, { 5: kind }])), b: { true: 1 }, many };
    // Field 20 with an empty entry, and field 21 with one that has a key only.
    const rest = Buffer.from([0xa2, 0x01, 0, 0xaa, 0x01, 3, 0x0a, 1, 0x7a]);
    const bytes = Buffer.concat([type.encode(type.fromObject(given)).finish(), rest]);
    assert.deepEqual(await valuesOf(await opened('M', descriptorOf(root), [bytes])), {
      ...Object.fromEntries(kinds.map((kind) => [`p.${kind}.5 text`, [kind]])),
      'p.b.true': [1],
      'p.b.false': [0],
      ...Object.fromEntries(Object.entries(many).map(([key, value]) => [`p.many.${key}`, [value]])),
      'p.many.z': [0],
    });
  });
});

describe('a value of protobuf', () => {
  it('of 64 bits keeps its digits where a double would round it', async () => {
    const kinds = ['int64', 'uint64', 'sint64', 'fixed64', 'sfixed64'];
    const root = rootOf(
      `syntax = "proto3"; message M { ${kinds.map((kind, i) => `${kind} ${kind} = ${i + 1};`).join(' ')} }`,
    );
    const of = (signed: string, unsigned = signed) =>
      Object.fromEntries(
        kinds.map((kind) => [kind, kind.startsWith('u') || kind === 'fixed64' ? unsigned : signed]),
      );
    const small = [
      '0',
      '1',
      '-1',
      '9007199254740991',
      '-9007199254740992',
      '4294967296',
      '-4294967297',
      '4611686018427387904',
    ];
    const numbers = await valuesOf(
      await written(root, 'M', ...small.map((text) => of(text, text.replace('-', '')))),
    );
    for (const kind of kinds) {
      const isUnsigned = kind.startsWith('u') || kind === 'fixed64';
      assert.deepEqual(
        numbers[`p.${kind}`],
        small.map((text) => Number(isUnsigned ? text.replace('-', '') : text)),
        kind,
      );
    }
    const wide = ['-9007199254740993', '7', '-9223372036854775807'];
    const log = await written(
      root,
      'M',
      ...wide.map((text) => of(text, text.replace('-', ''))),
      of('5', '18446744073709551615'),
    );
    const texts = await valuesOf(log);
    assert.deepEqual(texts['p.sint64 text'], [...wide, '5']);
    assert.deepEqual(texts['p.sfixed64 text'], [...wide, '5']);
    assert.deepEqual(texts['p.int64 text'], [...wide, '5']);
    const unsigned = ['9007199254740993', '7', '9223372036854775807', '18446744073709551615'];
    assert.deepEqual(texts['p.uint64 text'], unsigned);
    assert.deepEqual(texts['p.fixed64 text'], unsigned);
    assert.match(log.notes!.join('\n'), /p\.int64 is text, .* digits of -9007199254740993 in message 1/);
  });

  it('of every other kind is as it was written; arrays may stand together or apart', async () => {
    const root =
      rootOf(`syntax = "proto3"; message M { double d = 1; float f = 2; int32 i = 3; uint32 u = 4; sint32 s = 5; fixed32 x = 6;
      sfixed32 sx = 7; bool b = 8; string t = 9; bytes raw = 10; repeated sint32 a = 11; repeated sint32 c = 12 [packed = false]; repeated double ds = 13; repeated string ts = 14; }`);
    const log = await written(root, 'M', {
      ...{ d: -1.5, f: 0.25, i: -2147483648, u: 4294967295, s: -2147483648, x: 4294967295, sx: -7, b: true },
      ...{ t: 'ü', raw: Buffer.from('ab'), a: [1, -2], c: [3, -4], ds: [0.5], ts: ['', 'y'] },
    });
    assert.deepEqual(await valuesOf(log), {
      ...{ 'p.d': [-1.5], 'p.f': [0.25], 'p.i': [-2147483648], 'p.u': [4294967295], 'p.s': [-2147483648] },
      ...{ 'p.x': [4294967295], 'p.sx': [-7], 'p.b': [1], 'p.t text': ['ü'], 'p.a[0]': [1], 'p.a[1]': [-2] },
      ...{ 'p.c[0]': [3], 'p.c[1]': [-4], 'p.ds[0]': [0.5], 'p.ts[0] text': [''], 'p.ts[1] text': ['y'] },
    });
    assert.deepEqual(log.leftOut, ['p.raw (bytes)']);
  });

  it('that is absent is 0, unless it is optional or one of several', async () => {
    const root = rootOf(
      `${race} message Car { double a = 1; optional double o = 2; oneof x { int32 p = 3; string q = 4; } Wheel w = 5; string s = 6; Mode m = 7; }`,
    );
    const log = await written(root, 'race.Car', { a: 1, o: 0, p: 0, w: {}, s: 'x', m: 1 }, {}, { q: '' });
    assert.deepEqual(await valuesOf(log), {
      'p.a': [1, 0, 0],
      'p.o': [0, null, null],
      'p.p': [0, null, null],
      'p.q text': [null, null, ''],
      'p.w.temp': [0, null, null],
      'p.s text': ['x', '', ''],
      'p.m': [1, 0, 0],
    });
  });

  it('of a known type of Google is as its schema says: times, durations, wrappers, Any', async () => {
    const root = rootOf(
      `syntax = "proto3"; package google.protobuf; message Timestamp { int64 seconds = 1; int32 nanos = 2; }
        message Any { string type_url = 1; bytes value = 2; } message DoubleValue { double value = 1; }`,
      `${race} message Car { google.protobuf.Timestamp at = 1; google.protobuf.Any any = 2; google.protobuf.DoubleValue v = 3; google.protobuf.Any other = 4; }`,
    );
    const wheel = root.lookupType('race.Wheel').encode({ temp: 1.5 }).finish();
    const log = await written(root, 'race.Car', {
      at: { seconds: 1_700_000_000, nanos: 5 },
      any: { type_url: 'type.googleapis.com/race.Wheel', value: wheel },
      v: {},
      other: { type_url: 'x/unknown.Type', value: wheel },
    });
    assert.deepEqual(await valuesOf(log), {
      'p.at.seconds': [1_700_000_000],
      'p.at.nanos': [5],
      'p.any.type_url text': ['type.googleapis.com/race.Wheel'],
      'p.any.value.temp': [1.5],
      'p.v.value': [0],
      'p.other.type_url text': ['x/unknown.Type'],
    });
    assert.deepEqual(log.leftOut, ['p.other.value (the schema does not say what x/unknown.Type is)']);
  });
});

describe('a message of protobuf', () => {
  const root = rootOf(
    `syntax = "proto2"; message M { optional int32 a = 1; optional group G = 2 { optional int32 b = 3; repeated group H = 4 { optional string c = 5; } } optional M m = 6; }`,
  );

  it('may have groups, which are fields between marks', async () => {
    const type = root.lookupType('M');
    const bytes = type.encode(type.fromObject({ a: 1, g: { b: 2, h: [{ c: 'x' }, { c: 'y' }] } })).finish();
    assert.ok(bytes.includes((2 << 3) | 3), 'there is a group');
    const columns = await valuesOf(await opened('M', descriptorOf(root), [bytes]));
    assert.deepEqual(columns, {
      'p.a': [1],
      'p.g.b': [2],
      'p.g.h[0].c text': ['x'],
      'p.g.h[1].c text': ['y'],
    });
  });

  it('may have fields that its schema does not have, groups too', async () => {
    // 9: a group with a varint in it, 10: a varint, 11: eight bytes, 12: bytes.
    const unknown = [0x4b, 0x08, 1, 0x4c, 0x50, 1, 0x59, 1, 2, 3, 4, 5, 6, 7, 8, 0x62, 2, 1, 2];
    const columns = await valuesOf(
      await opened('M', descriptorOf(root), [Uint8Array.from([...unknown, 8, 5])]),
    );
    assert.equal(columns['p.a']![0], 5);
  });

  it('is the parts of it put together where it stands several times', async () => {
    const parts = Uint8Array.from([0x32, 2, 8, 5, 0x32, 4, 0x32, 2, 8, 6]);
    const columns = await valuesOf(await opened('M', descriptorOf(root), [parts]));
    assert.equal(columns['p.m.a']![0], 5);
    assert.equal(columns['p.m.m.a']![0], 6);
  });

  it('without bytes is right', async () => {
    const empty = rootOf('syntax = "proto3"; message Empty {} message M { Empty e = 1; int32 a = 2; }');
    const log = await written(empty, 'M', { e: {}, a: 1 }, {});
    assert.deepEqual(await valuesOf(log), { 'p.a': [1, 0] });
    await assert.rejects(
      written(empty, 'Empty', {}, {}),
      /no message is read of p \(without values, 2 messages\)$/,
    );
  });

  it('that is not what its schema says is refused with its number', async () => {
    for (const bytes of [
      [8],
      [10, 1, 1],
      [0x0b],
      [0x0c],
      [0x13, 0x08, 1],
      [0x13, 0x24],
      [0xff],
      [8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ]) {
      await assert.rejects(
        opened('M', descriptorOf(root), [Uint8Array.of(8, 1), Uint8Array.from(bytes)]),
        /message 2 of p cannot be read/,
        String(bytes),
      );
    }
  });
});
