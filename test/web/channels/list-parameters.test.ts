import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client, ParameterInfo } from '../../../src/client/client.ts';
import { loadParameters } from '../../../web/src/channels/list-parameters.ts';

const runs = ['first', 'second'].map((streamId) => ({ topic: 'cars', streamId }));

/** The one channel that two runs have, as the service lists it: the definition of the second run stands first. */
async function listed(first: Partial<ParameterInfo>, second: Partial<ParameterInfo>) {
  const info = (streamId: string, own: Partial<ParameterInfo>) =>
    ({ parameterId: 'Own', type: 'Numeric', streamIds: [streamId], ...own }) as ParameterInfo;
  const parameters = async () => [info('second', second), info('first', first)];
  const service = { parameters } as unknown as Client;
  const [entry, ...others] = await loadParameters(service, runs, new AbortController().signal);
  assert.deepEqual(others, []);
  return entry!;
}

describe('a channel that two runs define in different ways', () => {
  it('is in the unit of the first run, with its limits, whatever the service lists first', async () => {
    const { ownUnit, unit, minimum, maximum, name } = await listed(
      { unit: '°C', minimumValue: 0, maximumValue: 100, name: 'Water' },
      { unit: '°F', minimumValue: 0, maximumValue: 30, name: 'Oil' },
    );
    assert.deepEqual([ownUnit, unit, minimum, maximum, name], ['°C', '°C', 0, 100, 'Water']);
  });

  it('has the limits of the second one in the unit of the first one', async () => {
    const { ownUnit, minimum, maximum } = await listed({ unit: '°C' }, { unit: '°F', maximumValue: 212 });
    assert.equal(ownUnit, '°C');
    assert.equal(minimum, undefined);
    assert.ok(Math.abs(maximum! - 100) < 1e-9, String(maximum));
  });

  it('has no limits where units do not convert', async () => {
    const { ownUnit, maximum } = await listed({ unit: 'bar' }, { unit: 'V', maximumValue: 5 });
    assert.deepEqual([ownUnit, maximum], ['bar, V', undefined]);
  });

  it('has for each number all names that the runs have', async () => {
    const { names } = await listed(
      { valueNames: { 0: 'PIT', 1: 'OUT' } },
      { valueNames: { 0: 'RUN', 1: 'OUT', 2: 'OFF' } },
    );
    assert.deepEqual(names, { 0: 'PIT / RUN', 1: 'OUT', 2: 'OFF' });
  });
});
