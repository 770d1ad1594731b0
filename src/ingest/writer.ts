import { randomUUID } from 'node:crypto';
import type { Rows } from '../domain/parameter-data.ts';
import { PitwallError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { Batch, Store } from '../store/store.ts';
import { checkName } from '../wire/name.ts';
import { createParameterDataDecoder } from '../wire/parameter-data.ts';
import type { PayloadLimits } from '../wire/payload-limits.ts';
import { decodeCloseStream, decodeCreateStream, decodeStreamProperties } from '../wire/stream-request.ts';
import { waitForRoom } from './room.ts';

/**
 * Everything that writes, from the bytes of a request to the durable answer; HTTP and hub both come through here.
 * Each call resolves when its data is on disk and visible, and applies wholly or not at all. Bad input rejects
 * with its own code (400), no room with `overloaded` (503).
 */
export interface Writer {
  parameterData(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<void>;
  parameterDataBatch(workspace: string, topic: string, body: Uint8Array): Promise<void>;
  /** Answers the stream's id: the client's, or a new UUID. */
  createStream(workspace: string, topic: string, body: Uint8Array): Promise<string>;
  updateStream(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<void>;
  /** `stream_not_found` (404) if there is none. */
  closeStream(workspace: string, topic: string, streamId: string, body: Uint8Array): Promise<void>;
}

export function createWriter(store: Store, limits: PayloadLimits, metrics: Metrics): Writer {
  const room = waitForRoom(store);
  const decoder = createParameterDataDecoder(limits);

  const commit = async (workspace: string, changes: Batch['changes']): Promise<void> => {
    // It may have been removed while the body was on its way; its data must not come back with it.
    if (store.catalog.workspace(workspace) === undefined) {
      throw new PitwallError('forbidden', { detail: `the workspace '${workspace}' does not exist any more` });
    }
    await store.append({ workspace, changes });
  };

  const nameOf = (text: string, path: string): string => checkName(text, path, limits.maxNameBytes);

  return {
    // The decoder's arrays last until its next use and the store copies them at the call, so nothing may be awaited
    // between decoding and committing.
    async parameterData(workspace, topic, streamId, body) {
      nameOf(topic, 'topic');
      nameOf(streamId, 'streamId');
      const waiting = room();
      if (waiting !== undefined) await waiting;
      const rows = decoder.decode(body);
      const written = cellsOf(rows);
      await commit(workspace, [{ type: 'rows', topic, streamId, rows }]);
      count(metrics, written);
    },

    async parameterDataBatch(workspace, topic, body) {
      nameOf(topic, 'topic');
      await room();
      const entries = decoder.decodeBatch(body);
      if (entries.length === 0) return;
      const written = cellsOf(entries.flatMap(({ rows }) => rows));
      await commit(
        workspace,
        entries.map(({ streamId, rows }) => ({ type: 'rows', topic, streamId, rows })),
      );
      count(metrics, written);
    },

    async createStream(workspace, topic, body) {
      nameOf(topic, 'topic');
      const { streamId = randomUUID(), properties } = decodeCreateStream(body, limits);
      await commit(workspace, [
        { type: 'stream', topic, streamId, ...(properties === undefined ? {} : { properties }) },
      ]);
      return streamId;
    },

    async updateStream(workspace, topic, streamId, body) {
      nameOf(topic, 'topic');
      nameOf(streamId, 'streamId');
      const properties = decodeStreamProperties(body, limits);
      await commit(workspace, [{ type: 'stream', topic, streamId, properties }]);
    },

    async closeStream(workspace, topic, streamId, body) {
      const endType = decodeCloseStream(body);
      if (!store.catalog.hasStream(workspace, topic, streamId)) {
        throw new PitwallError('stream_not_found', {
          detail: `there is no stream '${streamId}' in the topic '${topic}'`,
        });
      }
      await commit(workspace, [{ type: 'close', topic, streamId, endType }]);
    },
  };
}

interface Written {
  readonly rows: number;
  readonly cells: number;
}

function cellsOf(all: readonly Rows[]): Written {
  let rows = 0;
  let cells = 0;
  for (const { count, columns } of all) {
    rows += count;
    cells += count * columns.length;
  }
  return { rows, cells };
}

function count({ rowsWritten, valuesWritten }: Metrics, { rows, cells }: Written): void {
  rowsWritten.inc(rows);
  valuesWritten.inc(cells);
}
