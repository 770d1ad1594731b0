/**
 * The clock of the ClickHouse server as this node measures it: its distance to a clock of this process that never
 * goes back. On one server all nodes so have the same clock, whatever their machines' are.
 */
export interface ServerClock {
  /** The server's clock in ns, asked for between two readings of `performance.now()`. */
  observe(serverNs: bigint, sentMs: number, receivedMs: number): void;
  /** Milliseconds since the Unix epoch; the machine's own before anything was measured. */
  nowMs(): number;
}

/**
 * A measurement counts while it is the tightest of the last minutes: the answer that came fastest says most about
 * the server's clock. Machines' clocks drift by less than 50 ppm, 3 ms a minute.
 */
const measurementLastsMs = 120_000;
const driftMs = 6;

export function serverClock(): ServerClock {
  /** Of the server's clock to the monotonic one. */
  let offsetMs = Date.now() - performance.now();
  let measured: { readonly atMs: number; readonly uncertaintyMs: number } | undefined;

  return {
    observe(serverNs, sentMs, receivedMs) {
      const uncertaintyMs = (receivedMs - sentMs) / 2;
      const offset = Number(serverNs / 1000n) / 1000 - (sentMs + uncertaintyMs);
      const isBetter =
        measured === undefined ||
        uncertaintyMs <= measured.uncertaintyMs ||
        receivedMs - measured.atMs > measurementLastsMs ||
        // A clock was set, or the machine slept.
        Math.abs(offset - offsetMs) > uncertaintyMs + measured.uncertaintyMs + driftMs;
      if (!isBetter) return;
      measured = { atMs: receivedMs, uncertaintyMs };
      offsetMs = offset;
    },
    nowMs: () => performance.now() + offsetMs,
  };
}
