import { percentiles } from './figures.ts';
import { openReader, topic } from './hub-fan-out.ts';
import { invocation, openHubSocket } from './hub-socket.ts';
import { roundOf } from './hub-writes.ts';
import { bodyOf, token } from './pitwall.ts';
import type { System } from './system.ts';

/**
 * Milliseconds from a write of 100 rows to its answer, one at a time, beside a reader of all that is written: more than
 * the sockets hold, and less than a reader may be behind.
 */
export async function stalledReader(
  system: System,
  count: number,
  beside: 'none' | 'reading' | 'stalled',
): Promise<{ p50: number; p99: number }> {
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const reader =
    beside === 'none'
      ? undefined
      : await openReader(
          system.port,
          '*',
          () => {},
          () => {},
        );
  if (beside === 'stalled') reader!.stall();
  const frames = roundOf(100, count, 0).map((payload, id) =>
    invocation(id, 'SendParameterData', [`"${topic}"`, `"${payload.stream}"`, bodyOf(payload)]),
  );
  const latencies = new Float64Array(count);
  let sent = 0;
  let finish: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const writer = await openHubSocket(system.port, token, {
    onError: fail,
    onCompletion(id) {
      const time = performance.now();
      latencies[id] = time - sent;
      if (id + 1 === count) finish();
      else write(id + 1);
    },
  });
  const write = (id: number): void => {
    sent = performance.now();
    writer.send(frames[id]!);
  };
  write(0);
  try {
    await Promise.race([done, failed]);
  } finally {
    writer.close();
    reader?.close();
  }
  return percentiles(latencies);
}
