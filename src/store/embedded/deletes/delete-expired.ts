import { Kind } from '../../../domain/parameter-data.ts';
import { minTimestamp } from '../../../domain/timestamp.ts';
import type { Batch } from '../../batch.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { lastExpired } from '../catalog/retention.ts';
import type { CommitLog } from '../log/commit-log.ts';
import { jsonSection, SectionType } from '../log/sections.ts';
import { type TombstoneJson, tombstoneToJson } from '../tombstones/tombstone.ts';

/**
 * Deletes what a batch would let no longer expire, in records before its own: of these rows some were never looked at
 * again and others are off the disk, so they would come back here and not there.
 *
 * @returns the LSNs, when they are on disk; undefined where nothing is to be deleted
 */
export function deleteExpired(
  state: CatalogState,
  commitLog: Pick<CommitLog, 'append'>,
  batch: Batch,
): Promise<ReadonlySet<number>> | undefined {
  const drafts = draftDeletes(state, lastExpired(state, batch));
  if (drafts.length === 0) return undefined;
  const lsns = new Set<number>();
  const placed = drafts.map((draft) =>
    commitLog.append({
      sections: [jsonSection(SectionType.RowDelete, draft)],
      before: ({ lsn }) => void lsns.add(lsn),
    }),
  );
  return Promise.all(placed).then(() => lsns);
}

/** @param last times (ns) by numbers of topics */
function draftDeletes(state: CatalogState, last: ReadonlyMap<number, bigint>): TombstoneJson[] {
  if (last.size === 0) return [];
  const byTime = new Map<bigint, number[]>();
  for (let stream = 0; stream < state.streams.size; stream++) {
    const to = last.get(state.streams.topic(stream));
    if (to === undefined) continue;
    const streams = byTime.get(to);
    if (streams === undefined) byTime.set(to, [stream]);
    else streams.push(stream);
  }
  const events = new Set([...state.parametersByName[Kind.Event].values()].map(({ number }) => number));
  return [...byTime].flatMap(([to, streams]) =>
    (events.size > 0 ? [undefined, events] : [undefined]).map((parameters) => ({
      ...tombstoneToJson({
        streams: Uint32Array.from(streams),
        from: minTimestamp,
        to,
        parameters,
        tagFilters: [],
      }),
      expired: true as const,
    })),
  );
}
