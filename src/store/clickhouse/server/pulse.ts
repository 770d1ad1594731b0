/** Whether a server still says anything, asked while statements wait for it. */
export interface Pulse {
  /** Calls `lost` when the server says nothing any more, unless the function that it returns is called before. */
  watch(lost: () => void): () => void;
  /** It has answered something else. */
  heard(): void;
  close(): void;
}

/** The questions without an answer, one after the other, after which a server is lost. */
const missedBeats = 4;

/**
 * A server that hangs keeps its connections, so a statement would wait for as long as it may take, which can be an hour.
 * Questions go beside the connections of statements: these may all be taken.
 *
 * @param url the HTTP address of the server
 * @param beatMs from one question to the next, and for its answer
 */
export function watchPulse(url: string, beatMs: number): Pulse {
  const waiting = new Map<() => void, number>();
  const address = new URL('ping', url);
  // `fetch` takes no address with a password, and this question needs none.
  address.username = address.password = '';
  let missed = 0;
  let timer: NodeJS.Timeout | undefined;
  let asking = new AbortController();
  let isClosed = false;

  function next(afterMs = beatMs): void {
    timer ??= setTimeout(async () => {
      const began = performance.now();
      await beat(began);
      timer = undefined;
      if (waiting.size === 0) missed = 0;
      else if (!isClosed) next(began + beatMs - performance.now());
    }, afterMs).unref();
  }

  async function beat(began: number): Promise<void> {
    const [oldest = Number.POSITIVE_INFINITY] = waiting.values();
    if (began - oldest < beatMs) return;
    missed = (await answers()) ? 0 : missed + 1;
    if (missed < missedBeats || isClosed) return;
    // What has begun since the question may be answered. Who comes next waits for fewer of them.
    missed = missedBeats - 2;
    for (const [lost, since] of [...waiting]) if (since <= began) lost();
  }

  /** Any answer will do, whoever gives it. */
  async function answers(): Promise<boolean> {
    asking = new AbortController();
    const late = setTimeout(() => asking.abort(), beatMs);
    try {
      const { body } = await fetch(address, { signal: asking.signal, redirect: 'manual' });
      await body?.cancel();
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(late);
    }
  }

  return {
    watch(lost) {
      waiting.set(lost, performance.now());
      next();
      return () => waiting.delete(lost);
    },
    heard() {
      missed = 0;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      asking.abort();
    },
  };
}
