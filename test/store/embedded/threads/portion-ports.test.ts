import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import type { PortionSource, StreamsWork } from '../../../../src/store/embedded/read/portions.ts';
import type { OpenSnapshot } from '../../../../src/store/embedded/snapshot/snapshot.ts';
import { portionGiver } from '../../../../src/store/embedded/threads/give-portions.ts';
import type { FromHelper } from '../../../../src/store/embedded/threads/portion-messages.ts';
import { takePortions } from '../../../../src/store/embedded/threads/take-portions.ts';
import { errorTold } from '../../../../src/store/embedded/threads/told-error.ts';

const lost = new Error('no memory to unpack a message');

describe('a message between read threads that cannot be unpacked', () => {
  it('fails the read whose rows it had', () => {
    const failures: Error[] = [];
    const source: PortionSource = {
      work: {} as StreamsWork,
      take: () => undefined,
      give: () => undefined,
      fail: (error) => failures.push(error as Error),
    };
    const giver = portionGiver(0, () => undefined);
    const end = giver.findHelp(source, 1)!;
    const { port1, port2 } = new MessageChannel();
    giver.helper(port1);
    port1.emit('messageerror', lost);
    assert.deepEqual(failures, [lost]);
    end();
    port2.close();
  });

  it('is told to the thread that waits for the rows of a portion', async () => {
    const { port1, port2 } = new MessageChannel();
    const terms = { signal: new AbortController().signal, maxMs: 1000, countRows: () => undefined };
    const taking = takePortions(port2, {} as OpenSnapshot, () => assert.fail('nothing is taken'), terms);
    const told: FromHelper[] = [];
    port1.on('message', (message: FromHelper) => told.push(message));
    const closed = once(port1, 'close');
    port2.emit('messageerror', lost);
    await taking;
    await closed;
    assert.deepEqual(
      told.map((message) => (message.type === 'error' ? errorTold(message.error).message : message.type)),
      ['ready', lost.message],
    );
  });
});
