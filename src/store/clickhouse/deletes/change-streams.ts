import type { ChangedStreams, StreamsChange } from '../../store.ts';
import { arrivalRows, removalOf } from '../catalog/arrivals.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { matching, type StreamQuestion } from '../catalog/select-streams.ts';
import { scopeConditions } from '../catalog/stream-scope.ts';
import type { TableWriter } from '../insert/table-writer.ts';
import { print, type Sql, sql } from '../server/sql.ts';
import type { VersionClock } from '../server/version-clock.ts';
import { markStreams, type Removals } from './removals.ts';

export interface StreamChangerOptions {
  readonly clickhouse: Asking;
  readonly writer: Pick<TableWriter, 'insertRows'>;
  readonly removals: Pick<Removals, 'removeStreams'>;
  readonly clock: Pick<VersionClock, 'stamp'>;
  /** Lets the clock see the newest versions of streams in scope. */
  readonly look: (scope: readonly Sql[]) => Promise<void>;
  readonly questionOn: (workspace: string, now: number) => StreamQuestion;
}

/**
 * Deletes or restores the streams that a filter selects. Each gets a row that says so. Where a failure leaves some,
 * repeating the call completes it.
 * What is written to them with a later version than these rows stays, and brings them back.
 */
export function streamChanger(
  options: StreamChangerOptions,
): (change: StreamsChange) => Promise<ChangedStreams> {
  const { clickhouse, writer, removals, clock } = options;

  return async ({ workspace, action, filter, now }) => {
    await options.look(scopeConditions(workspace, filter));
    const { version, at } = clock.stamp();
    const selected = matching(options.questionOn(workspace, now), filter);
    const changes = {
      softDelete: sql`soft_deleted = 0`,
      restore: sql`soft_deleted = 1`,
      hardDelete: sql`true`,
    }[action];
    const found = await clickhouse.rows<[topic: string, streamId: string, topicName: string]>(
      print(sql`SELECT topic, stream, topic_name FROM (${selected}) WHERE ${changes} ORDER BY born`),
    );
    if (found.length === 0) return { count: 0, keys: () => [] };
    if (action !== 'hardDelete') {
      await markStreams(writer, workspace, found, { hidden: { version, hidden: action === 'softDelete' } });
    } else {
      await markStreams(writer, workspace, found, { removed: version });
      await removals.removeStreams(workspace, version);
      const gone = found.map(([topic, stream]) => ({ workspace, topic, stream }));
      await writer.insertRows(arrivalRows(gone.map((stream) => removalOf(stream, { version, at }))));
    }
    return {
      count: found.length,
      *keys() {
        for (const [, streamId, topic] of found) yield { topic, streamId };
      },
    };
  };
}
