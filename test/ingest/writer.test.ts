import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../src/domain/parameter-data.ts';
import type { StreamKey } from '../../src/domain/stream.ts';
import { PitwallError } from '../../src/errors.ts';
import { BatchCommitter, type Live } from '../../src/ingest/commit.ts';
import { Writer } from '../../src/ingest/writer.ts';
import type { LiveContent, LivePackage } from '../../src/live/broker.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { Batch, ChangedStreams, Store, StreamsChange } from '../../src/store/store.ts';
import { longBodyBytes } from '../../src/wire/json/in-slices.ts';
import { defaultPayloadLimits } from '../payload-limits.ts';

/** As much of a store as the writer touches. */
function storeWith(
  overrides: {
    append?: (batch: Batch) => Promise<void>;
    room?: () => Promise<void> | undefined;
    workspace?: object | undefined;
  } = {},
) {
  const batches: Batch[] = [];
  const store = {
    room: () => undefined,
    append: async (batch: Batch) => {
      batches.push(batch);
    },
    async changeStreams({ action }: StreamsChange): Promise<ChangedStreams> {
      if (action === 'hardDelete') throw new PitwallError('disk_full');
      return { count: 1, keys: () => [{ topic: 't', streamId: action }] };
    },
    ...overrides,
    catalog: {
      retainedFrom: (_workspace: string, topic: string) => (topic === 'short' ? 100n : undefined),
      workspace: () => ('workspace' in overrides ? overrides.workspace : { name: 'w', createdAt: 0 }),
      hasStream: (_workspace: string, _topic: string, streamId: string) => streamId === 'known',
      lostStreams: () => 0,
    },
  };
  const metrics = createMetrics();
  const asked: LiveContent[] = [];
  const published: LivePackage[] = [];
  const ended: StreamKey[] = [];
  const live: Live = {
    capture(_workspace, _topic, _streamId, content) {
      asked.push(content);
      return content;
    },
    publish: (written) => published.push(written),
    missed: () => undefined,
    ended: (_workspace, streams) => ended.push(...streams),
  };
  const ofTest = store as unknown as Store;
  const clock = { now: () => 1_000, wall: () => 1_000, aheadMs: 60_000 };
  const writer = new Writer(ofTest, defaultPayloadLimits, metrics, clock, new BatchCommitter(ofTest, live));
  return { writer, batches, metrics, asked, published, ended };
}

/** Lets what is due go out: publishing has a turn of the event loop of its own. */
const published = () => new Promise((resolve) => setImmediate(resolve));

const bytes = (text: string): Uint8Array => Buffer.from(text);
const isCode = (code: string) => (error: unknown) => error instanceof PitwallError && error.code === code;

/** The value of an event. */
function value(body: Uint8Array, timestamp: bigint | undefined) {
  return { body, timestamp, contentType: undefined };
}

describe('the writer', () => {
  it('makes one change of a payload, and counts what was acknowledged', async () => {
    const { writer, batches, metrics } = storeWith();
    const body = bytes('{"timestamps":[3,1],"numericValues":{"a":[1,2],"b":[3,null]}}');
    await writer.parameterData({ workspace: 'w', topic: 't', streamId: 's' }, body);
    assert.equal(batches.length, 1);
    const [change] = batches[0]!.changes;
    assert.ok(change?.type === 'rows');
    assert.deepEqual([batches[0]!.workspace, change.topic, change.streamId], ['w', 't', 's']);
    assert.equal((await metrics.rowsWritten.get()).values[0]!.value, 2);
    assert.equal((await metrics.valuesWritten.get()).values[0]!.value, 4);
  });

  it('says when what is under way has been published, and does not wait for what comes later', async () => {
    const open: (() => void)[] = [];
    const { writer, published } = storeWith({ append: () => new Promise((resolve) => open.push(resolve)) });
    const row = bytes('{"timestamps":[1],"numericValues":{"a":[1]}}');
    await writer.settled();
    const first = writer.parameterData({ workspace: 'w', topic: 't', streamId: 'first' }, row);
    const states: string[] = [];
    const settled = writer.settled().then(() => states.push(`settled after ${published.length}`));
    const second = writer.parameterData({ workspace: 'w', topic: 't', streamId: 'second' }, row);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(states, []);
    open[0]!();
    await Promise.all([first, settled]);
    assert.deepEqual(states, ['settled after 1']);
    open[1]!();
    await second;
  });

  it('hands over what it decoded before it decodes anything else, for the decoder uses its arrays again', async () => {
    const copied: unknown[] = [];
    const { writer } = storeWith({
      async append({ changes: [change] }) {
        assert.ok(change?.type === 'rows');
        const [rows] = change.rows;
        const [column] = rows!.columns;
        assert.ok(column?.kind === Kind.Numeric);
        copied.push([change.streamId, column.name, ...column.values.subarray(0, rows!.count)]);
      },
    });
    const write = (streamId: string, values: string) =>
      writer.parameterData(
        { workspace: 'w', topic: 't', streamId },
        bytes(`{"timestamps":[1,2],"numericValues":{"of ${streamId}":[${values}]}}`),
      );
    await Promise.all([write('one', '1,2'), write('two', '3,4'), write('three', '5,6')]);
    assert.deepEqual(copied, [
      ['one', 'of one', 1, 2],
      ['two', 'of two', 3, 4],
      ['three', 'of three', 5, 6],
    ]);
  });

  it('makes one batch of several streams, in their order', async () => {
    const { writer, batches } = storeWith();
    const entry = (id: string) => `{"streamId":"${id}","timestamps":[1],"numericValues":{"a":[1]}}`;
    await writer.parameterDataBatch(
      { workspace: 'w', topic: 't' },
      bytes(`[${entry('b')},${entry('a')},${entry('b')}]`),
    );
    assert.equal(batches.length, 1);
    const ids = batches[0]!.changes.map((change) => (change.type === 'rows' ? change.streamId : ''));
    assert.deepEqual(ids, ['b', 'a', 'b']);
  });

  it('lets others write while it decodes a long list, until its client leaves', async () => {
    const { writer, batches } = storeWith();
    const list = (element: string) => bytes(`[${`${element},`.repeat(99_999)}${element}]`);
    const events = list('{"id":"a","timestamp":1}');
    const staying = new AbortController();
    const long = writer.eventData(
      { workspace: 'w', topic: 't', streamId: 'long', signal: () => staying.signal },
      events,
    );
    const leaving = new AbortController();
    const left = writer.eventData(
      { workspace: 'w', topic: 't', streamId: 'left', signal: () => leaving.signal },
      events,
    );
    const wrong = writer.updateEvents(
      { workspace: 'w', topic: 't', streamId: 's', signal: () => staying.signal },
      list('{}'),
    );
    const row = '{"timestamps":[1],"numericValues":{"a":[1]}}';
    await writer.parameterData({ workspace: 'w', topic: 't', streamId: 'short' }, bytes(row));
    leaving.abort(new Error('the client left'));
    await assert.rejects(left, /the client left/);
    await assert.rejects(wrong, isCode('missing_property'));
    assert.equal((await long).expired, 0);
    const written = batches.map(({ changes: [change] }) => change?.type === 'rows' && change.streamId);
    assert.deepEqual(written, ['short', 'long']);
    // Calls of one connection that are not waited for keep their order.
    const first = writer.eventData({ workspace: 'w', topic: 't', streamId: 'first' }, events);
    await Promise.all([
      first,
      writer.parameterData({ workspace: 'w', topic: 't', streamId: 'second' }, bytes(row)),
    ]);
    const streams = batches.map(({ changes: [change] }) => change?.type === 'rows' && change.streamId);
    assert.deepEqual(streams.slice(2), ['first', 'second']);
  });

  it('leaves out rows that are expired already, counts them, and publishes the others', async () => {
    const { writer, batches, asked } = storeWith();
    const body = (times: string, cells: string) =>
      bytes(`{"timestamps":[${times}],"numericValues":{"a":[${cells}]},"tagValues":{"t":["x","y","z"]}}`);
    const expired = async (topic: string, times: string) => {
      const written = await writer.parameterData(
        { workspace: 'w', topic, streamId: 's' },
        body(times, '1,2,3'),
      );
      return written.expired;
    };
    assert.equal(await expired('t', '1,2,3'), 0);
    assert.equal(await expired('short', '99,150,100'), 1);
    assert.equal(await expired('short', '1,2,99'), 3);
    const [, mixed, none] = batches.map(({ changes: [change] }) => change);
    assert.ok(mixed?.type === 'rows' && none?.type === 'rows');
    const [rows] = mixed.rows;
    assert.deepEqual(
      [rows!.base, [...rows!.offsets], rows!.tagSets.map(({ key }) => key)],
      [100n, [50, 0], ['[["t","y"]]', '[["t","z"]]']],
    );
    assert.deepEqual(none.rows, []);
    assert.deepEqual(asked.slice(1), [
      { type: 'parameterData', rows: mixed.rows },
      { type: 'stream', properties: undefined },
    ]);
    const events = bytes('[{"id":"e","timestamp":99},{"id":"e","timestamp":100}]');
    const written = await writer.eventData({ workspace: 'w', topic: 'short', streamId: 's' }, events);
    assert.equal(written.expired, 1);
    const content = asked.at(-1);
    assert.ok(content?.type === 'eventData');
    assert.deepEqual(
      content.events.map(({ timestamp }) => timestamp),
      [100n],
    );
  });

  it('waits for room with every kind of write, and decodes only then', async () => {
    let makeRoom: () => void = () => {};
    let isFull = true;
    const free = new Promise<void>((resolve) => {
      makeRoom = () => {
        isFull = false;
        resolve();
      };
    });
    const { writer, batches } = storeWith({ room: () => (isFull ? free : undefined) });
    const row = '{"timestamps":[1],"numericValues":{"a":[1]}}';
    const writes = [
      writer.parameterData({ workspace: 'w', topic: 't', streamId: 's' }, bytes(row)),
      writer.parameterDataBatch({ workspace: 'w', topic: 't' }, bytes('[{"streamId":"s","timestamps":[1]}]')),
      writer.eventData({ workspace: 'w', topic: 't', streamId: 's' }, bytes('{"id":"e","timestamp":1}')),
      writer.eventValue({ workspace: 'w', topic: 't', streamId: 's' }, 'e', value(bytes('x'), 1n)),
      writer.lines.write({ workspace: 'w', topic: 't' }, bytes('m a=1 1'), {
        unit: 1n,
        streamTags: [],
        isWhole: false,
      }),
      writer.updateParameters({ workspace: 'w', topic: 't', streamId: 's' }, bytes('[{"id":"p"}]')),
      writer.updateEvents({ workspace: 'w', topic: 't', streamId: 's' }, bytes('[{"id":"e"}]')),
      writer.createStream({ workspace: 'w', topic: 't' }, bytes('{}')),
      writer.updateStream({ workspace: 'w', topic: 't', streamId: 's' }, bytes('{}')),
      writer.closeStream({ workspace: 'w', topic: 't', streamId: 'known' }, bytes('')),
      writer.updateTopic({ workspace: 'w', topic: 't' }, bytes('{}')),
    ];
    const bad = writer
      .createStream({ workspace: 'w', topic: 't' }, bytes('{'))
      .catch((error: unknown) => error);
    await published();
    assert.equal(batches.length, 0);
    makeRoom();
    await Promise.all(writes);
    assert.equal(batches.length, writes.length);
    assert.ok(isCode('bad_json')(await bad));
  });

  it('waits for room with all long bodies at one time, and lets go of those whose client leaves', async () => {
    let makeRoom: () => void = () => {};
    let full: Promise<void> | undefined = new Promise((resolve) => {
      makeRoom = () => {
        full = undefined;
        resolve();
      };
    });
    let asked = 0;
    const room = () => {
      asked++;
      return full;
    };
    const { writer, batches } = storeWith({ room });
    const row = bytes('{"timestamps":[1],"numericValues":{"a":[1]}}'.padEnd(longBodyBytes));
    const clients = Array.from({ length: 3 }, () => new AbortController());
    const writes = clients.map(({ signal }) =>
      writer.parameterData({ workspace: 'w', topic: 't', streamId: 's', signal: () => signal }, row),
    );
    await published();
    assert.equal(asked, 3);
    clients[1]!.abort(new Error('it left'));
    makeRoom();
    await assert.rejects(writes[1]!, /it left/);
    const expired = [(await writes[0]!).expired, (await writes[2]!).expired];
    assert.deepEqual([...expired, batches.length], [0, 0, 2]);
  });

  it('commits nothing for an empty batch or for bad input', async () => {
    const { writer, batches } = storeWith();
    await writer.parameterDataBatch({ workspace: 'w', topic: 't' }, bytes('[]'));
    await assert.rejects(
      writer.parameterData({ workspace: 'w', topic: 't', streamId: 's' }, bytes('{}')),
      isCode('missing_property'),
    );
    await assert.rejects(
      writer.parameterData({ workspace: 'w', topic: '', streamId: 's' }, bytes('{"timestamps":[1]}')),
      isCode('bad_name'),
    );
    await assert.rejects(
      writer.createStream({ workspace: 'w', topic: 't' }, bytes('{"streamId":""}')),
      isCode('bad_name'),
    );
    assert.equal(batches.length, 0);
  });

  it('takes the id that the client chose, or makes a UUID', async () => {
    const { writer } = storeWith();
    assert.equal(
      await writer.createStream({ workspace: 'w', topic: 't' }, bytes('{"streamId":"mine"}')),
      'mine',
    );
    assert.match(
      await writer.createStream({ workspace: 'w', topic: 't' }, bytes('{}')),
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    );
  });

  it('closes only streams that there are', async () => {
    const { writer, batches } = storeWith();
    await writer.closeStream(
      { workspace: 'w', topic: 't', streamId: 'known' },
      bytes('{"endType":"aborted"}'),
    );
    assert.deepEqual(batches[0]!.changes, [
      { type: 'close', topic: 't', streamId: 'known', endType: 'Aborted' },
    ]);
    await assert.rejects(
      writer.closeStream({ workspace: 'w', topic: 't', streamId: 'unknown' }, bytes('')),
      isCode('stream_not_found'),
    );
  });

  it('passes on why the store refuses, and counts nothing then', async () => {
    const append = () => Promise.reject(new PitwallError('disk_full'));
    const { writer, metrics } = storeWith({ append });
    await assert.rejects(
      writer.parameterData({ workspace: 'w', topic: 't', streamId: 's' }, bytes('{"timestamps":[1]}')),
      isCode('disk_full'),
    );
    assert.equal((await metrics.rowsWritten.get()).values[0]!.value, 0);
  });

  it('writes nothing for a workspace that was removed while the body was on its way', async () => {
    const { writer, batches } = storeWith({ workspace: undefined });
    await assert.rejects(
      writer.parameterData({ workspace: 'w', topic: 't', streamId: 's' }, bytes('{"timestamps":[1]}')),
      isCode('forbidden'),
    );
    assert.equal(batches.length, 0);
  });

  it('stores events as rows of a kind of their own, those of each id together', async () => {
    const { writer, batches, metrics } = storeWith();
    const body =
      '[{"id":"a","timestamp":5,"value":"x"},{"Id":"b","Timestamp":"6"},{"id":"a","timestamp":4,"tags":{"t":"1"}}]';
    await writer.eventData({ workspace: 'w', topic: 't', streamId: 's' }, bytes(body));
    const [change] = batches[0]!.changes;
    assert.ok(change?.type === 'rows');
    assert.deepEqual(
      change.rows.map(({ count, columns }) => [count, columns[0]!.kind, columns[0]!.name]),
      [
        [2, Kind.Event, 'a'],
        [1, Kind.Event, 'b'],
      ],
    );
    assert.equal((await metrics.rowsWritten.get()).values[0]!.value, 3);
  });

  it('gives events without a time distinct ones', async () => {
    const { writer, batches } = storeWith();
    await writer.eventValue(
      { workspace: 'w', topic: 't', streamId: 's' },
      'e',
      value(bytes('one'), undefined),
    );
    await writer.eventValue(
      { workspace: 'w', topic: 't', streamId: 's' },
      'e',
      value(bytes('two'), undefined),
    );
    await writer.eventValue({ workspace: 'w', topic: 't', streamId: 's' }, 'e', value(bytes('three'), -7n));
    const times = batches.map(({ changes: [change] }) =>
      change?.type === 'rows' ? change.rows[0]!.base : 0,
    );
    assert.deepEqual(times, [1_000_000_000n, 1_000_000_001n, -7n]);
  });

  it('refuses the value of an event that is too long or no UTF-8', async () => {
    const { writer, batches } = storeWith();
    const long = new Uint8Array(64 * 1024 + 1);
    await assert.rejects(
      writer.eventValue({ workspace: 'w', topic: 't', streamId: 's' }, 'e', value(long, 1n)),
      isCode('string_too_long'),
    );
    const broken = Uint8Array.of(0xff);
    await assert.rejects(
      writer.eventValue({ workspace: 'w', topic: 't', streamId: 's' }, 'e', value(broken, 1n)),
      isCode('bad_utf8'),
    );
    await assert.rejects(
      writer.eventValue({ workspace: 'w', topic: 't', streamId: 's' }, '', value(bytes(''), 1n)),
      isCode('bad_name'),
    );
    assert.equal(batches.length, 0);
  });

  it('hands definitions on as they were sent', async () => {
    const { writer, batches } = storeWith();
    await writer.updateParameters(
      { workspace: 'w', topic: 't', streamId: 's' },
      bytes('[{"id":"p","unit":"kg"}]'),
    );
    await writer.updateEvents(
      { workspace: 'w', topic: 't', streamId: 's' },
      bytes('[{"id":"e","level":"critical"}]'),
    );
    assert.deepEqual(
      batches.flatMap(({ changes }) => changes),
      [
        { type: 'parameterDefinitions', topic: 't', streamId: 's', definitions: [{ id: 'p', unit: 'kg' }] },
        {
          type: 'eventDefinitions',
          topic: 't',
          streamId: 's',
          definitions: [{ id: 'e', level: 'Critical' }],
        },
      ],
    );
  });

  it('publishes in the order of the writes, once each, after they are stored, and none that failed', async () => {
    const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const append = () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
    const made = storeWith({ append });
    const write = (value: number) =>
      made.writer.parameterData(
        { workspace: 'w', topic: 't', streamId: 's' },
        bytes(`{"timestamps":[1],"numericValues":{"a":[${value}]}}`),
      );
    const outcomes = [
      write(1),
      write(2),
      made.writer.closeStream({ workspace: 'w', topic: 't', streamId: 'known' }, bytes('')),
    ];
    const settled = Promise.allSettled(outcomes);
    await published();
    assert.equal(waiting.length, 3);
    waiting[2]!.resolve();
    await published();
    assert.equal(made.published.length, 0);
    waiting[1]!.reject(new PitwallError('disk_full'));
    waiting[0]!.resolve();
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(made.published.length, 0);
    await published();
    assert.deepEqual(
      made.published.map(({ streamId, ends }) => [streamId, ends]),
      [
        ['s', false],
        ['known', true],
      ],
    );
    assert.equal(made.asked.length, 3);
  });

  it('tells of streams that were deleted, in turn with what is written, and not of others', async () => {
    const { writer, ended, published: told } = storeWith();
    const filter = { topic: 't' };
    const first = writer.createStream({ workspace: 'w', topic: 't' }, bytes('{"streamId":"a"}'));
    const deleted = writer.changeStreams('w', 'softDelete', filter);
    const failed = writer.changeStreams('w', 'hardDelete', filter);
    await assert.rejects(failed, isCode('disk_full'));
    assert.equal(await deleted, 1);
    assert.equal(await writer.changeStreams('w', 'restore', filter), 1);
    await first;
    await published();
    assert.deepEqual([told.length, ended], [1, [{ topic: 't', streamId: 'softDelete' }]]);
  });

  it('deletes nothing in a workspace that was removed', async () => {
    const { writer } = storeWith({ workspace: undefined });
    await assert.rejects(writer.changeStreams('w', 'softDelete', { topic: 't' }), isCode('forbidden'));
  });
});
