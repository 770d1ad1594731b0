import { openConnection } from './driver.ts';

/** Asks as fast as `connections` are answered, for so many seconds; answers a second. */
export async function askOn(
  port: number,
  connections: number,
  question: () => Buffer,
  seconds: number,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const start = performance.now();
  const end = start + seconds * 1000;
  let answers = 0;
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < end) {
        await socket.send(question());
        answers++;
      }
    }),
  );
  for (const socket of sockets) socket.close();
  return answers / ((performance.now() - start) / 1000);
}

/** Enough for the rate, however long each write has to wait. */
const writers = 64;
const tickMs = 1;

/**
 * Writes at a steady rate, whether earlier writes are answered or not. Gives the milliseconds of each from
 * the moment at which it was due: who has to wait for a free connection waits too.
 *
 * @param note is told of each answer
 */
export async function writeAtRate(
  port: number,
  requests: readonly Buffer[],
  perSecond: number,
  note: (ms: number) => void = () => undefined,
): Promise<Float64Array> {
  const free = await Promise.all(Array.from({ length: writers }, () => openConnection(port)));
  const sockets = [...free];
  const total = requests.length;
  const latencies = new Float64Array(total);
  const due: number[] = [];
  let issued = 0;
  let sent = 0;
  let answered = 0;
  const start = performance.now();
  const timeOf = (write: number): number => start + (write * 1000) / perSecond;
  await new Promise<void>((resolve, reject) => {
    const send = (): void => {
      while (free.length > 0 && due.length > 0) {
        const socket = free.pop()!;
        const at = due.shift()!;
        socket.send(requests[sent++]!).then(() => {
          const ms = performance.now() - at;
          latencies[answered++] = ms;
          note(ms);
          free.push(socket);
          if (answered === total) resolve();
          else send();
        }, reject);
      }
    };
    const timer = setInterval(() => {
      const now = performance.now();
      while (issued < total && timeOf(issued) <= now) due.push(timeOf(issued++));
      if (issued === total) clearInterval(timer);
      send();
    }, tickMs);
  });
  for (const socket of sockets) socket.close();
  return latencies;
}

/** A tenth of a second with a write that took long, and what ran in it. */
export interface Stall {
  readonly atMs: number;
  readonly worstMs: number;
  readonly ran: readonly string[];
}

const stallMs = 20;
const binMs = 100;

/** Keeps the worst write of each tenth of a second, with what `ran` says when that is over. */
export function watchStalls(ran: () => string[]): { note: (ms: number) => void; end: () => Stall[] } {
  const stalls: Stall[] = [];
  const start = performance.now();
  let worstMs = 0;
  ran();
  const close = (): void => {
    const what = ran();
    if (worstMs >= stallMs) stalls.push({ atMs: performance.now() - start - binMs, worstMs, ran: what });
    worstMs = 0;
  };
  const timer = setInterval(close, binMs);
  return {
    note(ms) {
      if (ms > worstMs) worstMs = ms;
    },
    end() {
      clearInterval(timer);
      close();
      return stalls;
    },
  };
}
