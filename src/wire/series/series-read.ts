import type { DocumentKind } from '../../domain/document.ts';
import type { MetricFamily, SeriesDefinition } from './metric-family.ts';
import type { Refused } from './refused.ts';
import type { SeriesOfStream } from './series-rows.ts';

/** What is said of a stream, as entries of its metadata. */
export interface StreamMetadata {
  readonly topic: string;
  readonly streamId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Series to be written, and what is said of them. */
export interface SeriesToWrite {
  readonly streams: readonly SeriesOfStream[];
  readonly definitions: readonly SeriesDefinition[];
  /** What is said of metrics of every stream, by name. */
  readonly families: ReadonlyMap<string, MetricFamily>;
  readonly metadata: readonly StreamMetadata[];
  /** What is kept in the same record: of what came already, for one. */
  readonly keeps?: readonly KeptText[];
}

/** What a door reads of a message. */
export interface SeriesRead extends SeriesToWrite {
  /** How many values are written, stale marks among them. */
  readonly values: number;
  readonly refused: Refused;
}

/** A document to be kept, of no topic. */
export interface KeptText {
  readonly kind: DocumentKind;
  readonly id: string;
  readonly body: string;
}
