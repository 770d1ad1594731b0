import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../../src/client/client.ts';
import { replay } from '../../../src/client/replay/replay.ts';
import { atOnce, rowPages } from '../../../src/client/replay/source-pages.ts';
import { adminToken, startService } from '../../e2e/service.ts';

const start = 1_612_191_099_000_000_000n;
const stepNs = 1_000_000n;
const count = 6000;

describe('the pages of a replay', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const source = { topic: 'cars', streamId: 'long' };
  const names = {
    numeric: Array.from({ length: 10 }, (_, i) => `p${i}`),
    strings: [],
    binaries: [],
    tags: [],
  };
  const timestamps = Array.from({ length: count }, (_, i) => start + BigInt(i) * stepNs);
  const end = timestamps.at(-1)!;
  await client.writeParameterData('cars', 'long', {
    timestamps,
    numericValues: Object.fromEntries(
      names.numeric.map((name, i) => [name, timestamps.map((_, j) => i + j)]),
    ),
  });
  const inTheMiddle = timestamps.filter((_, i) => i % 50 === 25);
  await client.writeEvents(
    'cars',
    'long',
    inTheMiddle.map((timestamp) => ({ id: 'lap', timestamp })),
  );
  await client.closeStream('cars', 'long');

  const sizesAt = async (speed: number): Promise<number[]> => {
    const sizes: number[] = [];
    const found: bigint[] = [];
    for await (const page of rowPages(client, { ...source, from: start, to: end }, names, speed, {})) {
      sizes.push(page.timestamps.length);
      found.push(...page.timestamps);
    }
    assert.deepEqual(found, timestamps);
    return sizes;
  };

  it('are small where they last, and grow where they are used up at once', async () => {
    assert.deepEqual(
      await sizesAt(1),
      Array.from({ length: 15 }, () => 400),
    );
    assert.deepEqual((await sizesAt(2)).slice(0, 3), [400, 800, 800]);
    assert.deepEqual(await sizesAt(atOnce), [400, 800, 1600, 2000, 1200]);
  });

  it('are asked for before the rows of the page before are written, with events between them', async () => {
    let pages = 0;
    let written = 0;
    const writtenBefore: number[] = [];
    const ending = new AbortController();
    const service: typeof client = {
      ...client,
      async page(...request) {
        writtenBefore.push(written);
        pages++;
        return client.page(...request);
      },
      async writeParameterData(topic, streamId, data) {
        const expired = await client.writeParameterData(topic, streamId, data);
        written += data.timestamps.length;
        if (written >= 800) ending.abort();
        return expired;
      },
    };
    await replay(service, { ...source, toTopic: 'again', speed: 1, signal: ending.signal });
    assert.ok(pages >= 3, String(pages));
    // Two pages come before the first row is due; with each that is begun, the second after it is asked for.
    assert.deepEqual(writtenBefore.slice(0, 2), [0, 0]);
    assert.ok(writtenBefore[2]! <= 400, String(writtenBefore));
  });
});
