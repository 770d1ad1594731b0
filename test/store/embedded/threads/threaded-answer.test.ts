import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headSlab } from '../../../../src/store/embedded/log/head.ts';
import { leftSlabs } from '../../../../src/store/embedded/log/left-slabs.ts';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import { partReaders } from '../../../../src/store/embedded/parts/part-readers.ts';
import type { FromThread } from '../../../../src/store/embedded/threads/messages.ts';
import type { ReadListener, ReadThread } from '../../../../src/store/embedded/threads/read-thread.ts';
import { threadedAnswer } from '../../../../src/store/embedded/threads/threaded-answer.ts';
import { requestOf, termsOf } from './ask.ts';

const memory = { cacheBytes: 0, indexBytes: 0 };
const nothing: FromThread = {
  id: 1,
  rowsRead: 0,
  rowsAnswered: 0,
  takenBytes: 0,
  begun: undefined,
  isRead: false,
  chunks: [],
  end: undefined,
  memory,
};

describe('an answer of a thread', () => {
  it('holds its slabs until the thread says that it has let go, also where memory is short', async () => {
    const left = leftSlabs(0);
    const head = headSlab(makeSlab(1, new SharedArrayBuffer(4096)));
    left.pin([head]);
    let isAsked = false;
    const listeners: ReadListener[] = [];
    const thread: ReadThread = {
      begin(_read, listener) {
        listeners.push(listener);
        return { taken: () => undefined, helper: () => undefined, end: () => (isAsked = true) };
      },
      gone: () => undefined,
      memory,
      stop: () => Promise.resolve(),
    };
    const pinned = {
      snapshot: { parts: [], heads: [], tombstones: [], kept: undefined },
      readers: partReaders(partCache(0, 0), filePool(1)),
      slabs: [head],
      release: () => left.unpin([head]),
    };
    const turns = { isHeld: () => true, give() {}, take: () => Promise.resolve(), end() {} };
    const terms = { terms: termsOf(), pinned, left, explain: (error: unknown) => error, turns };
    const answering = threadedAnswer(thread, { request: requestOf({}), streams: [] }, terms);
    const [listener] = listeners;
    listener!.told({ ...nothing, begun: { nextCursor: undefined }, chunks: [Buffer.from('a')] });
    const { chunks } = await answering;
    const answer = chunks as AsyncGenerator<Uint8Array>;
    await answer.next();
    left.sealed(head);
    assert.ok(isAsked);
    assert.equal(head.pins, 1);
    listener!.told({ ...nothing, end: { error: undefined } });
    assert.equal(head.pins, 0);
    assert.equal(left.bytes, 0);
    await assert.rejects(answer.next(), { code: 'overloaded' });
  });

  it('that has failed asks nothing more of threads that take portions of it', async () => {
    const left = leftSlabs(0);
    const asked: string[] = [];
    const listeners: ReadListener[] = [];
    const threadOf = (name: string): ReadThread => ({
      begin(read, listener) {
        listeners.push(listener);
        if ('port' in read) read.port.close();
        return { taken: () => undefined, helper: (port) => port.close(), end: () => asked.push(name) };
      },
      gone: () => undefined,
      memory,
      stop: () => Promise.resolve(),
    });
    let released = 0;
    const pinned = {
      snapshot: { parts: [], heads: [], tombstones: [], kept: undefined },
      readers: partReaders(partCache(0, 0), filePool(1)),
      slabs: [],
      release: () => released++,
    };
    const turns = { isHeld: () => true, give() {}, take: () => Promise.resolve(), end() {} };
    const answering = threadedAnswer(
      threadOf('first'),
      { request: requestOf({}), streams: [] },
      {
        ...{ terms: termsOf(), pinned, left, explain: (error: unknown) => error, turns },
        findPlaces: () => [{ thread: () => threadOf('helper'), give: () => undefined }],
      },
    );
    const rejected = assert.rejects(answering, { code: 'query_too_large' });
    listeners[0]!.told({ ...nothing, wantsHelp: 1000 });
    const error = { kind: 'pitwall', code: 'query_too_large', detail: 'd', errors: [] } as const;
    listeners[0]!.told({ ...nothing, end: { error: { ...error, retryAfter: undefined } } });
    await rejected;
    assert.ok(asked.includes('helper'));
    assert.equal(released, 0);
    listeners[1]!.told({ ...nothing, end: { error: undefined } });
    assert.equal(released, 1);
  });
});
