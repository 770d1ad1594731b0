import { Kind } from '../../../domain/parameter-data.ts';
import { oldestRetained } from '../catalog/retention.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { StreamTombstones } from '../tombstones/stream-tombstones.ts';
import { hidesColumn } from '../tombstones/tombstone.ts';
import { tombstonesOf } from '../tombstones/tombstone-list.ts';

/**
 * A walk goes through all places of a snapshot that have rows of a stream between two times: sections of the head
 * (walk-head.ts) and row groups of parts (walk-parts.ts). It is the only way to rows: what comes of it has neither
 * deleted values nor expired rows, whoever asks. For reads of very many streams walk-lone.ts finds out at once which of
 * them have nothing in memory and nothing deleted or expired.
 */
export interface Walk {
  readonly snapshot: Snapshot;
  readonly stream: number;
  /** Nanoseconds, both inclusive; what is before `from` is not wanted, or expired. */
  readonly from: bigint;
  readonly to: bigint;
  /** Deletes that concern the stream. */
  readonly tombstones: StreamTombstones;
  /** Without them, what has no value left but those of events is left out. */
  readonly withEvents: boolean;
}

/**
 * @param withEvents whether values of events are wanted; without them less may have to be read
 * @returns undefined where all rows between the times (ns, both inclusive) are expired
 */
export function walkOf(
  snapshot: Snapshot,
  stream: number,
  from: bigint,
  to: bigint,
  withEvents = true,
): Walk | undefined {
  const { kept, tombstones } = snapshot;
  const oldest = kept && oldestRetained(kept, stream);
  const first = oldest !== undefined && oldest > from ? oldest : from;
  if (first > to) return undefined;
  return { snapshot, stream, from: first, to, tombstones: tombstonesOf(tombstones, stream), withEvents };
}

/** Whether a delete may have taken all values of a parameter; of one whose kind is not known it may. */
export function mayHide({ tombstones }: Walk, parameter: number, kind: Kind = Kind.Numeric): boolean {
  return tombstones.layers.some(({ sample }) => hidesColumn(sample, { parameter, kind }));
}
