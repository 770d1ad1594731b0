/**
 * Counts the changes that may have taken rows away without a tombstone: streams that went, retention that changed. Of the
 * latest ones it knows which streams they concern.
 */
export interface RemovalLog {
  readonly count: number;
  /** @param stream its number; undefined where any stream may have lost rows */
  add(stream: number | undefined): void;
  /** Streams of the changes since there were so many; undefined where these may be any. */
  since(count: number): readonly number[] | undefined;
}

/** The changes whose streams are kept; who asks for what was before them looks at everything. */
const keptChanges = 4096;

export function removalLog(): RemovalLog {
  let streams: number[] = [];
  /** Changes up to this count are not in `streams`. */
  let forgotten = 1;
  return {
    get count() {
      return forgotten + streams.length;
    },
    add(stream) {
      if (stream === undefined || streams.length === keptChanges) {
        forgotten += streams.length + 1;
        streams = [];
      } else streams.push(stream);
    },
    since: (count) => (count < forgotten ? undefined : streams.slice(count - forgotten)),
  };
}
