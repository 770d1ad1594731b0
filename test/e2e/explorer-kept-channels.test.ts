import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const topic = 'keeping';
const start = 1_800_000_000_000_000_000n;

describe('channels that a topic keeps in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();

  it('are not changed over what somebody else has kept meanwhile, unless one saves again', async () => {
    await client.writeParameterData(topic, 'run', {
      timestamps: [start, start + 1_000_000_000n],
      numericValues: { Fast: [1, 2] },
    });
    await client.defineCalculated(topic, [{ id: 'Part', expression: 'Fast / 10', unit: 'MPa' }]);
    const { page, faults } = await open(service.url, `#s=${topic}/run&p=Part`, { token: service.token });
    await plotted(page);
    await page.getByRole('tab', { name: 'Channels' }).click();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const kept = async () => (await client.calculated(topic)).map(({ expression }) => expression);
    await page.getByRole('button', { name: 'Edit Part' }).press('Enter');
    await page.getByLabel('Expression').fill('Fast / 30');
    await client.defineCalculated(topic, [{ id: 'Part', expression: 'Fast / 20', unit: 'MPa' }]);
    await save.click();
    await page.getByText('Somebody else has kept “Fast / 20” under this name meanwhile.').waitFor();
    assert.deepEqual(await kept(), ['Fast / 20']);
    await client.removeCalculated(topic, 'Part');
    await save.click();
    await page.getByText('Somebody else has removed this channel meanwhile.').waitFor();
    assert.deepEqual(await kept(), []);
    await save.click();
    await page.getByRole('button', { name: '+ channel' }).waitFor();
    assert.deepEqual(await kept(), ['Fast / 30']);

    // A new one, of a name that somebody takes while one types.
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill('Fast * 2');
    await page.getByLabel('Name', { exact: true }).fill('Double');
    await page.getByLabel(/^Keep for all/).check();
    await client.defineCalculated(topic, [{ id: 'Double', expression: 'Fast + Fast' }]);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Somebody else has kept “Fast + Fast” under this name meanwhile.').waitFor();
    assert.deepEqual(faults, []);
  });
});
