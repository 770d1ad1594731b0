/** The samples of a topic, one a second: those of the last five minutes. */
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
  /** Returns the samples of now, oldest first. */
  samples(): Samples;
}

/** A copy, whose samples are made when they are asked for. */
export interface Samples {
  readonly length: number;
  at(index: number): Sample;
}

export function topicHistory(clock: Seconds): TopicHistory {
  const first = clock.count - 1;
  const bytes = new Float64Array(historySeconds);
  const active = new Uint32Array(historySeconds);
  /** Seconds that had passed at the last record: topics are measured one after the other. */
  let recorded = clock.count - 1;
  return {
    record(bytesPerSecond, activeStreams) {
      const at = (clock.count - 1) % historySeconds;
      bytes[at] = bytesPerSecond;
      active[at] = activeStreams;
      recorded = clock.count;
    },
    samples() {
      const from = Math.max(first, clock.count - historySeconds, 0);
      const [times, ownBytes, ownActive] = [clock.times.slice(), bytes.slice(), active.slice()];
      return {
        length: Math.max(0, recorded - from),
        at(index) {
          const at = (from + index) % historySeconds;
          return { time: times[at]!, bytesPerSecond: ownBytes[at]!, activeStreams: ownActive[at]! };
        },
      };
    },
  };
}
