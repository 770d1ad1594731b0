import type { Pace } from '../../../query/pace.ts';
import { setExtent } from '../catalog/catalog-changes.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { emptyExtent, extend, type StreamExtent } from '../catalog/stream-extent.ts';
import type { OpenSnapshot } from '../read/snapshot.ts';
import { streamExtent, walkOfAll } from '../read/stream-extent.ts';
import { mayHide } from '../read/walk.ts';

/** Streams whose extents are computed anew, from the moment at which rows of theirs went. */
export interface Renewal {
  /** Sets the extents to what a later snapshot has, and what was written since the beginning. */
  run(open: OpenSnapshot, pace: Pace): Promise<void>;
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
    async run(open, pace) {
      for (const [stream, watch] of watched) {
        await pace();
        const candidates = state.sets.members(state.streams.rows.parameters[stream]!);
        const walk = walkOfAll(open, stream);
        const isKept = walk !== undefined && walk.from <= state.streams.rows.dataStart[stream]!;
        const certain = candidates.filter(
          (parameter) => isKept && !mayHide(walk, parameter, state.parameters[parameter]?.kind),
        );
        const extent = await streamExtent(open, { stream, certain, candidates, maxReads }, pace);
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
