import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ParameterEntry } from '../../../web/src/channels/parameter-entry.ts';
import { followedOf } from '../../../web/src/live/recalculate.ts';

const entry = (id: string, expression = '', isOfView = false): ParameterEntry => ({
  id,
  type: expression === '' ? 'Numeric' : 'Calculated',
  location: '/',
  name: id,
  unit: '',
  ownUnit: '',
  written: [],
  description: '',
  minimum: undefined,
  maximum: undefined,
  names: undefined,
  expression,
  isOfView,
});
const known = [
  entry('Speed'),
  entry('Brake'),
  entry('Oil Temp'),
  entry('Kept', 'Speed / 3.6'),
  entry('Way', 'integral(Kept)'),
  entry('Half way', 'Way / 2'),
  entry('Own', '"Oil Temp" * 2', true),
  entry('Of own', 'Own + "Half way"', true),
  entry('Round', 'Round + Brake', true),
];

describe('what is followed live', () => {
  it('is sent where the hub knows it', () => {
    assert.deepEqual(followedOf(['Speed', 'Kept'], known), { sent: ['Speed', 'Kept'], calculated: [] });
  });

  it('is worked out where it belongs to the view, or begins where what is seen begins', () => {
    assert.deepEqual(followedOf(['Speed', 'Own'], known), {
      sent: ['Speed', 'Oil Temp'],
      calculated: ['Own'],
    });
    assert.deepEqual(followedOf(['Way'], known), { sent: ['Kept'], calculated: ['Way'] });
    assert.deepEqual(followedOf(['Half way'], known), { sent: ['Kept'], calculated: ['Half way'] });
    assert.deepEqual(followedOf(['Of own'], known), { sent: ['Oil Temp', 'Kept'], calculated: ['Of own'] });
  });

  it('ends where a channel names itself or nothing that is there', () => {
    assert.deepEqual(followedOf(['Round'], known), { sent: ['Brake'], calculated: ['Round'] });
    assert.deepEqual(followedOf(['Gone'], known), { sent: ['Gone'], calculated: [] });
  });
});
