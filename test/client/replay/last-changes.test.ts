import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type ReplayTimes } from '../../../src/client/client.ts';
import { adminToken, startService } from '../../e2e/service.ts';
import { until } from '../../until.ts';

describe('a replay of a stream that is still written', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });

  for (const times of ['original', 'now'] as const satisfies readonly ReplayTimes[])
    it(`copies what is said of the stream after its last row, with ${times} times`, async () => {
      const source = { topic: 'cars', streamId: times };
      const target = { topic: 'replay', streamIds: [times] };
      await client.writeParameterData('cars', times, {
        timestamps: [1n, 2n],
        numericValues: { Speed: [1, 2] },
      });
      let rows = 0;
      const replayed = client.replay({
        ...source,
        toTopic: 'replay',
        times,
        onProgress: (progress) => {
          rows = progress.rows;
        },
      });
      await until(() => rows === 2);
      await client.updateStream('cars', times, { name: 'Fastest lap' });
      await client.defineParameters('cars', times, [{ id: 'Speed', unit: 'km/h' }]);
      await client.closeStream('cars', times);
      await replayed;
      assert.equal((await client.streams(target))[0]?.name, 'Fastest lap');
      assert.equal((await client.parameters(target))[0]?.unit, 'km/h');
    });
});
