import { Kind } from '../../../domain/parameter-data.ts';
import type { Pace } from '../../../query/pace.ts';
import { setExtent } from '../catalog/catalog-changes.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { emptyExtent, extend, type StreamExtent } from '../catalog/stream-extent.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { streamExtent } from '../read/stream-extent.ts';
import { concernsStream, type Tombstone } from '../tombstones/tombstone.ts';

/** Streams whose extents are computed anew, from the moment at which rows of theirs went. */
export interface Renewal {
  /** Sets the extents to what a later snapshot has, and what was written since the beginning. */
  run(snapshot: Snapshot, pace: Pace): Promise<void>;
  /** Always to be called; streams that were not reached keep the extents that they had. */
  end(): void;
}

/**
 * Begins to watch what is written to the streams. Several renewals of one stream may run at a time: the one that began
 * last knows best, so one that ends after it changes nothing.
 *
 * @param maxReads how many row groups of a stream may be read to find out that a parameter is gone
 */
export function beginRenewal(
  state: CatalogState,
  streams: readonly number[],
  maxReads = Number.POSITIVE_INFINITY,
): Renewal {
  const { watches } = state;
  const watched = new Map<number, StreamExtent>();
  for (const stream of streams) {
    const watch = emptyExtent();
    watched.set(stream, watch);
    watches.set(stream, [...(watches.get(stream) ?? []), watch]);
  }

  function end(stream: number, ended: (watch: StreamExtent) => boolean): void {
    const left = (watches.get(stream) ?? []).filter((watch) => !ended(watch));
    if (left.length === 0) watches.delete(stream);
    else watches.set(stream, left);
  }

  return {
    async run(snapshot, pace) {
      for (const [stream, watch] of watched) {
        await pace();
        const candidates = state.sets.members(state.streams.rows.parameters[stream]!);
        const kept = snapshot.keptFrom(stream);
        const expires = kept !== undefined && kept > state.streams.rows.dataStart[stream]!;
        const certain = candidates.filter(
          (parameter) => !expires && !isDoubtful(state, snapshot.tombstones, stream, parameter),
        );
        const extent = await streamExtent(
          snapshot,
          { stream, certain, candidates, mostReads: maxReads },
          pace,
        );
        const position = watches.get(stream)?.indexOf(watch) ?? -1;
        if (position < 0) continue;
        if (!watch.isEmpty) extend(extent, watch.first, watch.last, watch.parameters);
        setExtent(state, stream, extent);
        const earlier = watches.get(stream)!.slice(0, position + 1);
        end(stream, (other) => earlier.includes(other));
      }
    },
    end() {
      for (const [stream, watch] of watched) end(stream, (other) => other === watch);
    },
  };
}

/** Whether a tombstone may have taken all values of the parameter. */
function isDoubtful(
  { parameters }: CatalogState,
  tombstones: readonly Tombstone[],
  stream: number,
  parameter: number,
): boolean {
  return tombstones.some(
    (tombstone) =>
      (tombstone.parameters?.has(parameter) ?? parameters[parameter]?.kind !== Kind.Event) &&
      concernsStream(tombstone, stream),
  );
}
