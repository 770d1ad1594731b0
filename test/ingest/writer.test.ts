import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PitwallError } from '../../src/errors.ts';
import { createWriter } from '../../src/ingest/writer.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { Batch, Store } from '../../src/store/store.ts';
import { defaultPayloadLimits } from '../../src/wire/payload-limits.ts';

/** As much of a store as the writer touches. */
function storeWith(
  overrides: { append?: (batch: Batch) => Promise<void>; workspace?: object | undefined } = {},
) {
  const batches: Batch[] = [];
  const store = {
    room: () => undefined,
    append: async (batch: Batch) => {
      batches.push(batch);
    },
    ...overrides,
    catalog: {
      workspace: () => ('workspace' in overrides ? overrides.workspace : { name: 'w', createdAt: 0 }),
      hasStream: (_workspace: string, _topic: string, streamId: string) => streamId === 'known',
    },
  };
  const metrics = createMetrics();
  return { writer: createWriter(store as unknown as Store, defaultPayloadLimits, metrics), batches, metrics };
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const isCode = (code: string) => (error: unknown) => error instanceof PitwallError && error.code === code;

describe('the writer', () => {
  it('makes one change of a payload, and counts what was acknowledged', async () => {
    const { writer, batches, metrics } = storeWith();
    const body = bytes('{"timestamps":[3,1],"numericValues":{"a":[1,2],"b":[3,null]}}');
    await writer.parameterData('w', 't', 's', body);
    assert.equal(batches.length, 1);
    const [change] = batches[0]!.changes;
    assert.ok(change?.type === 'rows');
    assert.deepEqual([batches[0]!.workspace, change.topic, change.streamId], ['w', 't', 's']);
    assert.equal((await metrics.rowsWritten.get()).values[0]!.value, 2);
    assert.equal((await metrics.valuesWritten.get()).values[0]!.value, 4);
  });

  it('makes one batch of several streams, in their order', async () => {
    const { writer, batches } = storeWith();
    const entry = (id: string) => `{"streamId":"${id}","timestamps":[1],"numericValues":{"a":[1]}}`;
    await writer.parameterDataBatch('w', 't', bytes(`[${entry('b')},${entry('a')},${entry('b')}]`));
    assert.equal(batches.length, 1);
    const ids = batches[0]!.changes.map((change) => (change.type === 'rows' ? change.streamId : ''));
    assert.deepEqual(ids, ['b', 'a', 'b']);
  });

  it('commits nothing for an empty batch or for bad input', async () => {
    const { writer, batches } = storeWith();
    await writer.parameterDataBatch('w', 't', bytes('[]'));
    await assert.rejects(writer.parameterData('w', 't', 's', bytes('{}')), isCode('missing_property'));
    await assert.rejects(writer.parameterData('w', '', 's', bytes('{"timestamps":[1]}')), isCode('bad_name'));
    await assert.rejects(writer.createStream('w', 't', bytes('{"streamId":""}')), isCode('bad_name'));
    assert.equal(batches.length, 0);
  });

  it('takes the id that the client chose, or makes a UUID', async () => {
    const { writer } = storeWith();
    assert.equal(await writer.createStream('w', 't', bytes('{"streamId":"mine"}')), 'mine');
    assert.match(
      await writer.createStream('w', 't', bytes('{}')),
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    );
  });

  it('closes only streams that there are', async () => {
    const { writer, batches } = storeWith();
    await writer.closeStream('w', 't', 'known', bytes('{"endType":"aborted"}'));
    assert.deepEqual(batches[0]!.changes, [
      { type: 'close', topic: 't', streamId: 'known', endType: 'Aborted' },
    ]);
    await assert.rejects(writer.closeStream('w', 't', 'unknown', bytes('')), isCode('stream_not_found'));
  });

  it('passes on why the store refuses, and counts nothing then', async () => {
    const append = () => Promise.reject(new PitwallError('disk_full'));
    const { writer, metrics } = storeWith({ append });
    await assert.rejects(
      writer.parameterData('w', 't', 's', bytes('{"timestamps":[1]}')),
      isCode('disk_full'),
    );
    assert.equal((await metrics.rowsWritten.get()).values[0]!.value, 0);
  });

  it('writes nothing for a workspace that was removed while the body was on its way', async () => {
    const { writer, batches } = storeWith({ workspace: undefined });
    await assert.rejects(
      writer.parameterData('w', 't', 's', bytes('{"timestamps":[1]}')),
      isCode('forbidden'),
    );
    assert.equal(batches.length, 0);
  });
});
