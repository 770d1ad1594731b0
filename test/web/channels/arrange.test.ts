import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apart, joined, moved, without } from '../../../web/src/channels/arrange.ts';

const plots = [['Speed'], ['Gear', 'RPM'], ['Fuel']];

describe('the order of plots', () => {
  it('lets a parameter join another, leave it, and go away', () => {
    assert.deepEqual(joined(plots, 'Speed', 'RPM'), [['Gear', 'RPM', 'Speed'], ['Fuel']]);
    assert.deepEqual(apart(plots, 'Gear'), [['Speed'], ['RPM'], ['Gear'], ['Fuel']]);
    assert.deepEqual(without(plots, 'Fuel'), [['Speed'], ['Gear', 'RPM']]);
    assert.deepEqual(apart(plots, 'Speed'), plots);
  });

  it('lets a plot move up and down, and no further than the ends', () => {
    assert.deepEqual(moved(plots, 'RPM', -1), [['Gear', 'RPM'], ['Speed'], ['Fuel']]);
    assert.deepEqual(moved(plots, 'RPM', 1), [['Speed'], ['Fuel'], ['Gear', 'RPM']]);
    assert.deepEqual(moved(plots, 'Speed', -1), plots);
    assert.deepEqual(moved(plots, 'Fuel', 1), plots);
  });
});
