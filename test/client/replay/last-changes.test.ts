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

describe('a replay of a stream that is deleted meanwhile', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });

  it('is told as such, for not all of its rows may have come', async () => {
    const start = 1_612_191_099_000_000_000n;
    const timestamps = Array.from({ length: 30_000 }, (_, i) => start + BigInt(i) * 1_000_000n);
    await client.writeParameterData('cars', 's', {
      timestamps,
      numericValues: { n: timestamps.map(Number) },
    });
    await client.closeStream('cars', 's');
    let rows = 0;
    const replayed = client.replay({
      topic: 'cars',
      streamId: 's',
      toTopic: 'replay',
      speed: 10,
      onProgress: (progress) => {
        rows = progress.rows;
      },
    });
    const refused = assert.rejects(replayed, {
      message: 'the stream s of topic cars was deleted while it was read',
    });
    await until(() => rows > 0);
    await client.deleteStreams({ topic: 'cars', streamIds: ['s'] });
    await refused;
  });
});
