import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { emptyView, formatView, parseView, type View } from '../../../web/src/state/view-text.ts';

const name = fc.string({
  unit: fc.constantFrom('a', 'é', ',', '/', '\\', '&', '=', '#', '%', ' '),
  minLength: 1,
});
const view: fc.Arbitrary<View> = fc.record(
  {
    search: fc.string(),
    topic: fc.string(),
    streams: fc.array(fc.record({ topic: name, streamId: name }, { noNullPrototype: true })),
    plots: fc.array(fc.array(name, { minLength: 1 })),
    range: fc.option(
      fc.tuple(fc.bigInt(-(2n ** 62n), 0n), fc.bigInt(0n, 2n ** 62n)).map(([from, to]) => ({ from, to })),
      { nil: undefined },
    ),
    mode: fc.constantFrom('time', 'overlay', 'xy', 'table'),
    overlayTag: fc.string(),
    overlayValues: fc.array(name),
    alignBy: fc.string(),
    across: fc.option(
      fc.tuple(
        fc.double({ max: -Number.MIN_VALUE, noDefaultInfinity: true, noNaN: true }),
        fc.double({ min: 0, noDefaultInfinity: true, noNaN: true }),
      ),
      { nil: undefined },
    ),
    xy: fc.tuple(name, name, name),
    bands: fc.string(),
    live: fc.boolean(),
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
});
