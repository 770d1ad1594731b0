import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatLastView,
  joinedView,
  lastViewOf,
  parseLastView,
  seenAgain,
} from '../../../web/src/channels/last-view.ts';
import { emptyView, type View } from '../../../web/src/state/view-text.ts';

const one = { topic: 'cars', streamId: 'one' };
const two = { topic: 'cars', streamId: 'two' };
const shown: View = {
  ...emptyView,
  search: 'x',
  streams: [one],
  plots: [['Speed'], ['Brake']],
  range: { from: 1n, to: 2n },
  mode: 'overlay',
  lapsBy: { kind: 'tag', name: 'lap' },
  picks: [{ stream: one, value: '3' }],
  alignBy: 'Distance',
  across: [10, 20],
  zone: 'local',
  a: 1n,
  live: true,
  savedId: 'id',
};

describe('the last view of a topic', () => {
  it('is kept as text, without what is no picture', () => {
    const kept = parseLastView(formatLastView(lastViewOf(shown)));
    assert.deepEqual(kept, lastViewOf(shown));
    for (const name of ['search', 'live', 'savedId']) assert.ok(!(name in kept), name);
  });

  it('is seen again of the same runs, or of some of them', () => {
    const { range, picks, across, a, mode } = seenAgain(lastViewOf(shown), [
      { topic: 'Cars', streamId: 'one' },
    ]);
    assert.deepEqual(
      { range, picks, across, a, mode },
      {
        range: shown.range,
        picks: shown.picks,
        across: shown.across,
        a: 1n,
        mode: 'overlay',
      },
    );
    const both = lastViewOf({ ...shown, streams: [one, two] });
    assert.deepEqual(seenAgain(both, [two]).range, shown.range);
  });

  it('gives other runs its mode and layout, not its times', () => {
    const again = seenAgain(lastViewOf(shown), [two]);
    for (const name of ['range', 'across', 'a', 'shifts', 'overlayValues'] as const)
      assert.ok(!(name in again), name);
    assert.deepEqual(
      [again.mode, again.alignBy, again.plots, again.zone],
      ['overlay', 'Distance', shown.plots, 'local'],
    );
    assert.deepEqual(again.picks, shown.picks);
    // Values of the tag are laps of the runs that were open.
    const values = lastViewOf({ ...shown, picks: [], overlayValues: ['2'] });
    assert.deepEqual(seenAgain(values, [two]).picks, [{ stream: one, value: '2' }]);
  });

  it('has what another tab chose for the topic meanwhile, and of what both chose that of the last one', () => {
    const math = (...names: string[]) => names.map((name) => ({ name, expression: '1', unit: '' }));
    const then: View = { ...shown, math: math('old'), looks: { Speed: { colour: 1 } }, sectors: [100] };
    const theirs: View = {
      ...then,
      plots: [['Gear']],
      math: math('old', 'theirs'),
      looks: { Speed: { colour: 2 }, Gear: { colour: 3 } },
      sectors: [100, 200],
      units: ['mph'],
    };
    // What is shown may come from an address, and need not be what was kept.
    const mine: View = { ...then, math: math('old', 'address'), plots: [['Fuel']] };
    const changed: View = {
      ...mine,
      math: math('old', 'address', 'mine'),
      looks: { Speed: { colour: 4 } },
      range: { from: 3n, to: 4n },
    };
    const [own, seen, now, kept] = [changed, mine, theirs, then].map(lastViewOf);
    assert.deepEqual(joinedView(own!, seen!, now!, kept!), {
      ...own,
      math: math('old', 'address', 'mine', 'theirs'),
      looks: { Speed: { colour: 4 }, Gear: { colour: 3 } },
      sectors: [100, 200],
      units: ['mph'],
    });
  });
});
