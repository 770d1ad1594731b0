import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { natsAddress } from '../../src/live/nats/address.ts';
import { openReplicaLog } from '../../src/replicas/nats-log.ts';
import { temporaryFolder } from '../e2e/service.ts';
import { natsMissing, startNats } from '../live/nats-server.ts';

const message = (text: string) => Buffer.from(text);

describe('a log on NATS', { skip: natsMissing }, () => {
  it('goes on as another generation, whose places are behind those of the one before', async () => {
    const nats = await startNats(['-js', '-sd', temporaryFolder()]);
    const address = natsAddress(nats.url, '--replicas');
    const open = (node: string) => openReplicaLog({ address, cluster: 'c', node, logBytes: 1 << 20 });
    const [one, two] = [await open('one'), await open('two')];
    for (const id of ['a', 'b', 'c']) await one.publish(id, message(id), 1000);
    const { id: first } = await one.extent();
    await two.seal();
    await assert.rejects(one.publish('d', message('d'), 1000), /sealed/);
    assert.deepEqual([(await one.extent()).isSealed, await one.isOutdated()], [true, false]);
    await one.begin('next', 7, message('begun'));
    await assert.rejects(two.begin('other', 7, message('too late')));
    assert.equal(await two.isOutdated(), true);
    await two.follow();
    const { id, generation, before, last, isSealed } = await two.extent();
    assert.deepEqual([id, generation, before, last, isSealed], ['next', 2, [first], 8, false]);
    assert.equal(Buffer.from((await two.messageAt(8))!.data).toString(), 'begun');
    await two.publish('e', message('e'), 1000);
    const three = await open('three');
    const read: string[] = [];
    const ending = new AbortController();
    await three.read(
      8,
      ({ sequence, data }) => {
        read.push(`${sequence} ${Buffer.from(data).toString()}`);
        if (sequence === 9) ending.abort();
      },
      ending.signal,
    );
    assert.deepEqual(read, ['8 begun', '9 e']);
    // One that is to end before it has begun waits for no message.
    await three.read(10, () => assert.fail(), AbortSignal.abort());
    for (const log of [one, two, three]) await log.close();
  });
});
