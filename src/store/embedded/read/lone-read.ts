import type { CountRows } from '../../../query/running-queries.ts';
import type { Pace } from '../../../turns/pace.ts';
import type { BoundStreams } from './bind-streams.ts';
import type { ByWindow, IndexedPart } from './indexed-parts.ts';
import type { Snapshot } from './snapshot.ts';
import type { LoneRange } from './walk-lone.ts';

/** A read of very many streams, by their numbers. */
export interface LoneRead {
  readonly bound: BoundStreams;
  /** The places of the streams, by number. */
  readonly order: Uint32Array;
  readonly snapshot: Snapshot;
  readonly parts: ByWindow<IndexedPart>;
  readonly range: LoneRange;
  readonly pace: Pace;
  readonly countRows: CountRows;
}
