import { Kind } from '../../../domain/parameter-data.ts';
import { oldestKept } from '../catalog/retention.ts';
import { hidesColumn, type Tombstone, tombstonesOf } from '../tombstones/tombstone.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * A walk goes through all places of a snapshot that have rows of a stream between two times: sections of the head
 * (walk-head.ts) and row groups of parts (walk-parts.ts). It is the only way to rows: what comes of it has neither
 * deleted values nor expired rows, whoever asks.
 */
export interface Walk {
  readonly snapshot: Snapshot;
  readonly stream: number;
  /** Nanoseconds, both inclusive; what is before `from` is not wanted, or expired. */
  readonly from: bigint;
  readonly to: bigint;
  /** Deletes that concern the stream. */
  readonly tombstones: readonly Tombstone[];
}

/** @returns undefined where all rows between the times (ns, both inclusive) are expired */
export function walkOf(snapshot: Snapshot, stream: number, from: bigint, to: bigint): Walk | undefined {
  const { kept, tombstones } = snapshot;
  const oldest = kept && oldestKept(kept, stream);
  const first = oldest !== undefined && oldest > from ? oldest : from;
  if (first > to) return undefined;
  return { snapshot, stream, from: first, to, tombstones: tombstonesOf(tombstones, stream) };
}

/** Whether a delete may have taken all values of a parameter; of one whose kind is not known it may. */
export function mayHide({ tombstones }: Walk, parameter: number, kind: Kind = Kind.Numeric): boolean {
  return tombstones.some((tombstone) => hidesColumn(tombstone, { parameter, kind }));
}
