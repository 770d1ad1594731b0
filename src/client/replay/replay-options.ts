import type { EndType } from '../models.ts';
import type { ReadCalls } from '../read-calls.ts';
import type { StreamCalls } from '../stream-calls.ts';

/** Which times replayed rows and events have: those of the source, or those at which they are written. */
export type ReplayTimes = 'original' | 'now';

export interface ReplayOptions {
  readonly topic: string;
  readonly streamId: string;
  /** Where to write: another place than the source. */
  readonly toTopic: string;
  /** The id of the source without it. */
  readonly toStreamId?: string;
  /** How many seconds of data a second has; from 0.001 to 1,000,000, with six decimals; 1 without it. */
  readonly speed?: number;
  /** Both inclusive, ns since the Unix epoch; all of the stream without them. */
  readonly from?: bigint;
  readonly to?: bigint;
  /** `original` without it. */
  readonly times?: ReplayTimes;
  /** Begins anew at the end, until `signal` aborts. */
  readonly loop?: boolean;
  /** Ends the replay: what is being written is written to its end, and the target is closed. */
  readonly signal?: AbortSignal;
  /** Told after every write, and before every pause of some seconds. */
  readonly onProgress?: (progress: ReplayProgress) => void;
}

export interface ReplayProgress {
  /** The time in the source of what was written last, ns. */
  readonly position: bigint;
  /** So far, of all passes. */
  readonly rows: number;
  readonly events: number;
  /** How much later than it was due the last write was done. */
  readonly behindMs: number;
  /** From 1; higher ones with `loop`. */
  readonly pass: number;
  /** How long it is until the next write, where the recording has a pause of some seconds here; else 0. */
  readonly pauseMs: number;
}

export interface ReplayResult {
  readonly rows: number;
  readonly events: number;
  /** Passes that were replayed to their end. */
  readonly passes: number;
  /** Of the rows and events those that came to the source after their time had been replayed. */
  readonly late: number;
  /** Of the rows and events those that are older than the retention of the target's topic: they are not kept. */
  readonly expired: number;
  /** How the target was closed: as the source was, or `Aborted` where `signal` ended the replay. */
  readonly endType: EndType;
}

/** A stream. */
export interface ReplayPlace {
  readonly topic: string;
  readonly streamId: string;
}

/** What a replay needs of a client. */
export type ReplayService = Pick<
  ReadCalls & StreamCalls,
  | 'streams'
  | 'parameters'
  | 'events'
  | 'tagNames'
  | 'page'
  | 'eventData'
  | 'updateStream'
  | 'closeStream'
  | 'writeParameterData'
  | 'writeEvents'
  | 'defineParameters'
  | 'defineEvents'
>;
