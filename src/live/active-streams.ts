/**
 * The streams of one topic that are being written to. Streams are kept in the order of their last write, so what has
 * fallen silent is found at the front. Times are milliseconds of a clock that is never set.
 */
export interface ActiveStreams {
  count(): number;
  ids(): Iterable<string>;
  /** True if the stream was not active before. */
  touch(streamId: string, now: number): boolean;
  /** True if it was active. */
  end(streamId: string): boolean;
  /** Takes out and gives back the streams without a write for longer than `silenceMs`. */
  silent(now: number, silenceMs: number): string[];
}

/** How exact the time of the last write is kept: a busy stream moves to the back of the order once in this time. */
const resolutionMs = 1000;

export function activeStreams(): ActiveStreams {
  /** Time of the last write (ms), at most `resolutionMs` too early. */
  const seen = new Map<string, number>();
  return {
    count: () => seen.size,
    ids: () => seen.keys(),
    touch(streamId, now) {
      const last = seen.get(streamId);
      if (last !== undefined && now - last < resolutionMs) return false;
      if (last !== undefined) seen.delete(streamId);
      seen.set(streamId, now);
      return last === undefined;
    },
    end: (streamId) => seen.delete(streamId),
    silent(now, silenceMs) {
      const found: string[] = [];
      for (const [streamId, last] of seen) {
        if (now - last < silenceMs + resolutionMs) break;
        found.push(streamId);
        seen.delete(streamId);
      }
      return found;
    },
  };
}
