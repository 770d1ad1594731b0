/** What is read of streams that are followed. */
export interface Past<Stream> {
  /** Reads what was written before, or since `wholeUntil`, when nothing was missing. */
  read(stream: Stream, wholeUntil: bigint | undefined): Promise<void>;
  /** Time of the newest row that there is; undefined before the first one. */
  newestOf(stream: Stream): bigint | undefined;
  /** There are more rows. */
  onRead(): void;
  /** Why something could not be read, which is tried again; undefined when all has been. */
  onProblem(error: unknown): void;
  /** Ends it all. */
  readonly signal: AbortSignal;
  /** Between two tries, ms. */
  readonly pauseMs?: number;
}

const usualPauseMs = 3000;

/**
 * Reads what is missing of streams, at first and after each lost connection. Gives a function that is told of connections:
 * whether there is one; and of a stream of which nothing is there any more.
 */
export function catchingUp<Stream>(
  streams: readonly Stream[],
  { read, newestOf, onRead, onProblem, signal, pauseMs = usualPauseMs }: Past<Stream>,
): (isConnected: boolean, lost?: Stream) => void {
  /** Grows with each change: what began before says nothing of the rows that came since. */
  let connection = 0;
  /** Streams of which nothing is missing now, and until when nothing was when the connection was lost. */
  const whole = new Set<Stream>();
  const wholeUntil = new Map<Stream, bigint>();
  const readOf = (stream: Stream, own: number): void => {
    if (own !== connection || signal.aborted) return;
    read(stream, wholeUntil.get(stream)).then(
      () => {
        onRead();
        if (own !== connection) return;
        whole.add(stream);
        if (whole.size === streams.length) onProblem(undefined);
      },
      (error: unknown) => {
        if (own !== connection || signal.aborted) return;
        onProblem(error);
        setTimeout(() => readOf(stream, own), pauseMs);
      },
    );
  };
  return (isConnected, lost) => {
    if (lost !== undefined) {
      whole.delete(lost);
      wholeUntil.delete(lost);
      readOf(lost, connection);
      return;
    }
    connection++;
    if (isConnected) {
      for (const stream of streams) readOf(stream, connection);
      return;
    }
    for (const stream of whole) {
      const newest = newestOf(stream);
      if (newest !== undefined) wholeUntil.set(stream, newest);
    }
    whole.clear();
  };
}
