/** A stream as the page names it. */
export interface StreamRef {
  readonly topic: string;
  readonly streamId: string;
}

/** A value of the tag in one stream. */
export interface LapRef {
  readonly stream: StreamRef;
  readonly value: string;
}

/** Inclusive, ns since the Unix epoch. */
export interface TimeRange {
  readonly from: bigint;
  readonly to: bigint;
}
