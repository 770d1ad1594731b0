import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countingChannels } from '../../../web/src/channels/counting-channels.ts';
import { lapTagOf } from '../../../web/src/laps/lap-names.ts';

const tag = (name: string, first = '1', last = '9', values = 12) => ({ name, values, first, last });

describe('the tag that counts laps', () => {
  it('is found by its name, however that is written', () => {
    for (const name of [
      'lap',
      'Lap',
      'LAP',
      'lap_number',
      'LapNumber',
      'Lap No.',
      'current lap',
      'carLap',
      'Runde',
      'Rundennummer',
      'Vuelta',
    ])
      assert.equal(lapTagOf([tag('driver', 'a', 'b'), tag(name), tag('stint')]), name);
  });

  it('is none where no name speaks of laps, or only of something about them', () => {
    for (const name of ['run', 'overlap', 'collapse', 'bestLap', 'lap time', 'LapTime', 'total_laps_time'])
      assert.equal(lapTagOf([tag(name)]), '', name);
    assert.equal(lapTagOf([tag('lap of', 'first', 'second')]), '');
    assert.equal(lapTagOf([]), '');
  });

  it('is the plainest name that counts, and of two the one with more values', () => {
    assert.equal(lapTagOf([tag('carLap'), tag('LapNumber'), tag('lap')]), 'lap');
    assert.equal(lapTagOf([tag('lap', '1', 'out'), tag('LapNumber')]), 'LapNumber');
    assert.equal(lapTagOf([tag('lap', '1', 'out'), tag('carLap')]), 'lap');
    assert.equal(lapTagOf([tag('Lap', '1', '3', 3), tag('lap', '1', '5', 5)]), 'lap');
  });
});

describe('channels that count laps', () => {
  const channel = (id: string, name = id, type = 'Numeric') => ({ id, name, type });

  it('are found by id, by name and by the last part of the id', () => {
    for (const id of ['Lap', 'LapNumber', 'lap_number', 'Runde', 'CAN1.LapCount', '/ecu/Lap'])
      assert.deepEqual(countingChannels([channel('Speed'), channel(id)]), [id]);
    assert.deepEqual(countingChannels([channel('ch17', 'Lap Number')]), ['ch17']);
    for (const id of ['LapTime', 'bestLap', 'LapDistance', 'Speed'])
      assert.deepEqual(countingChannels([channel(id)]), [], id);
    assert.deepEqual(countingChannels([channel('Lap', 'Lap', 'String')]), []);
  });

  it('are a few, the shortest first', () => {
    const all = ['LapNumber', 'Lap', 'LapCounter', 'lap_index', 'LapNo'].map((id) => channel(id));
    assert.deepEqual(countingChannels(all), ['Lap', 'LapNo', 'LapNumber', 'lap_index']);
  });
});
