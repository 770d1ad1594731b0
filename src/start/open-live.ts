import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type Broker, createBroker } from '../live/broker.ts';
import type { LiveCatalog } from '../live/live-catalog.ts';
import { distributedBroker } from '../live/nats/distributed-broker.ts';
import { connectLiveLink } from '../live/nats/link.ts';
import type { LiveLink } from '../live/nats/live-link.ts';
import type { Log } from '../log.ts';
import { waitFor, withoutLogin } from './wait-for.ts';

/** Live data of this node, and with a link of the others. */
export interface Live {
  readonly broker: Broker;
  /** Resolves when what was subscribed to before the call comes from other nodes too, as far as they can be heard. */
  settled(): Promise<void>;
  /** Undefined without a link. */
  readonly link: Pick<LiveLink, 'connected' | 'problems' | 'counts'> | undefined;
  /** Stops what is told, then the link. */
  close(): Promise<void>;
}

/**
 * How long a start waits for NATS. Rows can be written and read without it, so a node does not stay away for it. But
 * where all start together, readers should find live data at once.
 */
const patienceMs = 30_000;
/** The time of connecting beyond which it is worth a line in the log. */
const attemptMs = 1000;
const lookMs = 20;

/**
 * Throws an Error for the operator where the address is wrong, or NATS refuses the login.
 *
 * @param onAhead told of rows that calculated parameters left out
 */
export async function openLive(
  { live: url, nodeName, interruptedAfter, rowsAhead }: Config,
  catalog: LiveCatalog,
  onAhead: (rows: number) => void,
  log: Log,
  signal: AbortSignal,
): Promise<Live> {
  const broker = createBroker({
    catalog,
    interruptedAfterMs: interruptedAfter,
    aheadMs: rowsAhead,
    now: Date.now,
    onAhead,
    onGapTold: (readers) => log.warn({ readers }, 'live data are missing: readers are told to come back'),
  });
  if (url === undefined) {
    return { broker, settled: async () => undefined, link: undefined, close: async () => broker.close() };
  }
  const link = connectLiveLink({ url, node: nodeName, log });
  const distributed = distributedBroker(broker, link, { interruptedAfterMs: interruptedAfter });
  try {
    await linked(link, `NATS at ${withoutLogin(url)}`, log, signal);
  } catch (error) {
    distributed.close();
    await link.close();
    throw error;
  }
  return {
    broker: distributed,
    settled: () => distributed.settled(),
    link,
    async close() {
      distributed.close();
      await link.close();
    },
  };
}

class Refused extends Error {}

/** Resolves when the link stands, or would not for so long that the start goes on without it. */
async function linked(link: LiveLink, name: string, log: Log, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs);
  const needed = {
    name,
    async attempt() {
      for (const began = performance.now(); !link.connected(); await pause(lookMs)) {
        const refusal = link.refused();
        if (refusal !== undefined) throw new Refused(`${name} refuses the login: ${refusal}`);
        if (performance.now() - began > attemptMs) throw new Error('there is no connection yet');
      }
    },
    isFinal: (error: unknown) => error instanceof Refused,
    reason: (error: unknown) => (error as Error).message,
    abandon: () => undefined,
  };
  try {
    await waitFor(needed, { log, signal: AbortSignal.any([signal, patience]) });
  } catch (error) {
    if (signal.aborted || !patience.aborted) throw error;
    log.error({}, `${name} did not come: starting without it, and trying on`);
  }
}
