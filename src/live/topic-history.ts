/** Samples of a topic, one a second: the last five minutes of them. */
export const historySeconds = 300;

/** The moments of the last samples, shared by all topics (ms since the Unix epoch). */
export interface Seconds {
  /** How many there have been. */
  count: number;
  readonly times: Float64Array;
}

export function seconds(): Seconds {
  return { count: 0, times: new Float64Array(historySeconds) };
}

export function passSecond(clock: Seconds, time: number): void {
  clock.times[clock.count % historySeconds] = time;
  clock.count++;
}

export interface Sample {
  readonly time: number;
  readonly bytesPerSecond: number;
  readonly activeStreams: number;
}

/** One topic's samples, in rings; 3.6 KB. */
export interface TopicHistory {
  /** For the second that has just passed. */
  record(bytesPerSecond: number, activeStreams: number): void;
  /** Oldest first. */
  samples(): Sample[];
}

export function topicHistory(clock: Seconds): TopicHistory {
  const first = clock.count - 1;
  const bytes = new Float64Array(historySeconds);
  const active = new Uint32Array(historySeconds);
  return {
    record(bytesPerSecond, activeStreams) {
      const at = (clock.count - 1) % historySeconds;
      bytes[at] = bytesPerSecond;
      active[at] = activeStreams;
    },
    samples() {
      const from = Math.max(first, clock.count - historySeconds, 0);
      return Array.from({ length: clock.count - from }, (_, i) => {
        const at = (from + i) % historySeconds;
        return { time: clock.times[at]!, bytesPerSecond: bytes[at]!, activeStreams: active[at]! };
      });
    },
  };
}
