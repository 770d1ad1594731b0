import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import { uncounted } from '../../../../src/query/bounds/running-queries.ts';
import { helpersOf } from '../../../../src/store/embedded/threads/helpers.ts';
import type { ReadListener, ReadThread } from '../../../../src/store/embedded/threads/read-thread.ts';

const memory = { cacheBytes: 0, indexBytes: 0 };
const snapshot = { parts: [], heads: [], tombstones: [], kept: undefined };

describe('threads that take portions of a read', () => {
  it('are those that can be begun: where the system refuses one, the read goes on with the others', () => {
    const listeners: ReadListener[] = [];
    const ports: MessagePort[] = [];
    const given: string[] = [];
    const thread: ReadThread = {
      begin(read, listener) {
        listeners.push(listener);
        if ('port' in read) ports.push(read.port);
        return { taken: () => undefined, helper: () => undefined, end: () => undefined };
      },
      gone: () => undefined,
      memory,
      stop: () => Promise.resolve(),
    };
    const helpers = helpersOf({ snapshot, countRows: uncounted, died: assert.fail, letGo: () => undefined });
    const refused = () => {
      throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' });
    };
    const places = [
      { thread: refused, give: () => given.push('refused') },
      { thread: () => thread, give: () => given.push('begun') },
    ];
    helpers.begin(places, { helper: (port) => ports.push(port) });
    assert.deepEqual(given, ['refused']);
    assert.equal(listeners.length, 1);
    assert.equal(helpers.areThere(), true);
    listeners[0]!.told({
      ...{ id: 1, rowsRead: 0, rowsAnswered: 0, takenBytes: 0, begun: undefined, isRead: false, chunks: [] },
      ...{ end: { error: undefined }, memory },
    });
    assert.deepEqual(given, ['refused', 'begun']);
    assert.equal(helpers.areThere(), false);
    for (const port of ports) port.close();
  });
});
