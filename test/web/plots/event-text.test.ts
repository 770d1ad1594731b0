import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventText, isOver } from '../../../web/src/plots/event-text.ts';

describe('what an event says', () => {
  it('is in words where it is one of an alert rule', () => {
    const said = (value: unknown, state: string) => eventText('alert:hot', JSON.stringify(value), { state });
    assert.equal(said({ values: { WaterTemp: 124, Load: 3 } }, 'firing'), 'fires: WaterTemp 124, Load 3');
    assert.equal(said({ values: { WaterTemp: 105 } }, 'resolved'), 'is over: WaterTemp 105');
    assert.equal(said({ noData: true }, 'firing'), 'fires: no rows came');
    assert.equal(
      said({ rowTime: '2100-01-01T00:00:00.000Z', values: { WaterTemp: 130 } }, 'ahead'),
      'left out rows that are ahead of the clock: the last of 2100-01-01T00:00:00.000Z, WaterTemp 130',
    );
    assert.equal(isOver('alert:hot', { state: 'resolved' }), true);
    assert.equal(isOver('alert:hot', { state: 'firing' }), false);
  });

  it('is its text as it is where it is another one, or no JSON', () => {
    assert.equal(eventText('Pit', '{"values":{}}', { state: 'firing' }), '{"values":{}}');
    assert.equal(eventText('alert:hot', 'by hand', { state: 'firing' }), 'by hand');
    assert.equal(eventText('alert:hot', '{"values":{"a":1}}', {}), '{"values":{"a":1}}');
    assert.equal(isOver('Pit', { state: 'resolved' }), false);
  });
});
