import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { emptyView, formatView, parseView, type View } from '../../../web/src/state/view-text.ts';

const name = fc.string({
  unit: fc.constantFrom('a', 'é', ',', '/', '\\', '&', '=', '#', '%', ' '),
  minLength: 1,
});
// An address has no negative zero.
const place = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const view: fc.Arbitrary<View> = fc.record(
  {
    search: fc.string(),
    topic: fc.string(),
    streams: fc.array(fc.record({ topic: name, streamId: name }, { noNullPrototype: true })),
    plots: fc.array(fc.array(name, { minLength: 1 })),
    math: fc.uniqueArray(
      fc.record({ name, expression: name, unit: fc.string() }, { noNullPrototype: true }),
      { selector: (channel) => channel.name },
    ),
    heights: fc.dictionary(name, fc.double({ min: 0.001, max: 1000, noNaN: true }), {
      noNullPrototype: true,
    }),
    scales: fc.dictionary(
      name,
      fc.tuple(
        fc.double({ max: -Number.MIN_VALUE, noDefaultInfinity: true, noNaN: true }),
        fc.double({ min: 0, noDefaultInfinity: true, noNaN: true }),
      ),
      { noNullPrototype: true },
    ),
    looks: fc.dictionary(
      name,
      fc.oneof(
        fc.record(
          {
            colour: fc.integer({ min: 0, max: 7 }),
            width: fc.constantFrom('thin', 'wide', 'widest'),
            drawn: fc.constantFrom('line', 'steps'),
            unit: fc.constantFrom('km/h', 'lb·ft', 'US gal', '°C'),
          },
          { noNullPrototype: true },
        ),
        fc.record({ unit: fc.constantFrom('%', 'in Hg, or so') }, { noNullPrototype: true }),
      ),
      { noNullPrototype: true },
    ),
    units: fc.array(name),
    logs: fc.array(name),
    states: fc.array(name),
    names: fc.dictionary(
      name,
      fc.dictionary(fc.integer().map(String), fc.string(), { noNullPrototype: true }),
      { noNullPrototype: true },
    ),
    beside: fc.subarray(['xy', 'histogram', 'spectrum', 'sectors', 'report', 'video'] as const),
    video: fc.option(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), { nil: undefined }),
    sectors: fc
      .uniqueArray(fc.double({ min: Number.MIN_VALUE, noDefaultInfinity: true, noNaN: true }), {
        maxLength: 39,
      })
      .map((marks) => marks.toSorted((a, b) => a - b)),
    beacons: fc.string(),
    histogram: fc.string(),
    spectrum: fc.string(),
    spectrumWindow: fc.string(),
    spectrumPieces: fc.integer({ min: 1, max: 1024 }),
    report: fc.array(name),
    reportRuns: fc.boolean(),
    reportSort: fc.string(),
    range: fc.option(
      fc.tuple(fc.bigInt(-(2n ** 62n), 0n), fc.bigInt(0n, 2n ** 62n)).map(([from, to]) => ({ from, to })),
      { nil: undefined },
    ),
    mode: fc.constantFrom('time', 'overlay', 'table'),
    lapsBy: fc.option(
      fc.oneof(
        fc.record(
          { kind: fc.constantFrom('tag', 'channel'), name: fc.string({ minLength: 1 }) },
          { noNullPrototype: true },
        ),
        fc.constant({ kind: 'none' as const, name: '' }),
      ),
      { nil: undefined },
    ),
    overlayValues: fc.array(fc.oneof(name, fc.constant(''))),
    picks: fc.array(
      fc.record(
        { stream: fc.record({ topic: name, streamId: name }, { noNullPrototype: true }), value: name },
        { noNullPrototype: true },
      ),
    ),
    alignBy: fc.string(),
    shifts: fc.dictionary(
      name,
      fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value + 0),
      {
        noNullPrototype: true,
      },
    ),
    across: fc.option(
      fc.tuple(
        fc.double({ max: -Number.MIN_VALUE, noDefaultInfinity: true, noNaN: true }),
        fc.double({ min: 0, noDefaultInfinity: true, noNaN: true }),
      ),
      { nil: undefined },
    ),
    xy: fc.tuple(name, name, name),
    xyAs: fc.constantFrom('', 'points', 'density'),
    xyWith: fc.subarray(['fit', 'hull'] as const),
    map: fc.option(fc.tuple(name, name, fc.constantFrom('', 'Speed')), { nil: undefined }),
    bands: fc.string(),
    live: fc.boolean(),
    panel: fc.constantFrom('laps', 'measure', 'map', 'events', 'none'),
    zone: fc.constantFrom('utc', 'local'),
    a: fc.option(fc.bigInt(-(2n ** 62n), 2n ** 62n), { nil: undefined }),
    placeA: fc.option(place, { nil: undefined }),
    placeB: fc.option(place, { nil: undefined }),
    sheets: fc.array(fc.record({ name, parts: fc.string() }, { noNullPrototype: true }), { maxLength: 4 }),
    sheet: fc.constant(0),
    savedId: fc.string(),
    savedTag: fc.string(),
    b: fc.option(fc.bigInt(-(2n ** 62n), 2n ** 62n), { nil: undefined }),
  },
  { noNullPrototype: true },
);

describe('the address of a view', () => {
  it('holds all of it', () => {
    fc.assert(fc.property(view, (shown) => assert.deepEqual(parseView(formatView(shown)), shown)));
  });

  it('is empty for the empty view, and what cannot be understood is left out', () => {
    assert.equal(formatView(emptyView), '');
    assert.deepEqual(parseView('#from=5&to=4&mode=?&s=alone&p=,&what=7'), { ...emptyView, plots: [[]] });
  });

  it('leaves out times that no row can have', () => {
    for (const field of ['from=0&to=9223372036854775808', 'from=-9223372036854775809&to=0', 'from=x&to=0'])
      assert.equal(parseView(field).range, undefined, field);
    const { range, a, b } = parseView(
      'from=-9223372036854775808&to=9223372036854775807&a=9999999999999999999&b=7',
    );
    assert.deepEqual(range, { from: -(2n ** 63n), to: 2n ** 63n - 1n });
    assert.deepEqual([a, b], [undefined, 7n]);
  });
});
