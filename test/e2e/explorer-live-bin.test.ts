import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, following, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const topic = 'live';

describe('the explorer while a run is followed that lies in the bin', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();

  it('shows its rows when it comes back', async () => {
    await client.writeParameterData(topic, 'bin', {
      timestamps: [BigInt(Date.now()) * 1_000_000n],
      numericValues: { Speed: [7] },
    });
    await client.deleteStreams({ topic, streamIds: ['bin'] });
    const { page, faults } = await open(service.url, `#s=${topic}/bin&p=Speed&live=1`, {
      token: service.token,
    });
    await following(page);
    await page.getByText('“bin”: no such run. It may have been deleted.').waitFor();
    await client.restoreStreams({ topic, streamIds: ['bin'] });
    await until(async () => (await page.locator('.now-values dd').first().textContent())?.trim() === '7');
    assert.deepEqual(faults, []);
  });
});
