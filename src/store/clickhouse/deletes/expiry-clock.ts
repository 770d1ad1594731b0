import type { StoreLog } from '../../store-log.ts';
import type { Asking } from '../catalog/catalog-settings.ts';
import { loggedCause } from '../server/client-errors.ts';
import { ddlSettings } from '../server/cluster-ddl.ts';
import { localTable, onCluster, type Topology } from '../server/schema.ts';

/**
 * The clock by which rows expire. One clock that is years ahead must not take what others would keep: where this
 * machine's and the ClickHouse server's differ by more than a day, the earlier one counts, and ClickHouse is kept from
 * expiring rows by its own clock where that is the later one.
 */
export interface ExpiryClock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** That the clocks differ, for an operator; undefined while they agree. */
  problem(): string | undefined;
  /** Whether nothing may make ClickHouse look which rows are expired by its own clock. */
  isHeld(): boolean;
  /** Compares the clocks, and lets go or holds back what ClickHouse expires by itself. */
  check(): Promise<void>;
}

export interface ExpiryClockOptions {
  readonly clickhouse: Pick<Asking, 'command'>;
  readonly topology: Topology;
  /** Milliseconds since the Unix epoch: what counts while the clocks agree, by this machine, and by the server. */
  readonly usualMs: () => number;
  readonly machineMs: () => number;
  readonly serverMs: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  readonly log: StoreLog;
  /** ClickHouse may expire rows again. */
  readonly released: () => void;
}

const dayMs = 86_400_000;
/** How often ClickHouse is told that it is held back: it forgets that at a restart, and may not take a word. */
const sayEveryMs = 60_000;
/** How long a server may take to take the word before it is told again. */
const patienceMs = 10_000;

export function expiryClock(options: ExpiryClockOptions): ExpiryClock {
  const { clickhouse, topology, usualMs, machineMs, serverMs, monotonicMs, log } = options;
  let isTold = false;
  /** What ClickHouse was told last, and when. */
  let said: 'STOP' | 'START' = 'START';
  let saidAt = 0;
  /** Until it has taken it that rows may expire again. */
  let isHeldBack = false;

  /** Milliseconds by which the server's clock is ahead of this machine's; 0 while that is less than a day. */
  function difference(): number {
    const ahead = serverMs() - machineMs();
    return Math.abs(ahead) > dayMs ? ahead : 0;
  }

  function problem(): string | undefined {
    const ahead = difference();
    if (ahead === 0) return undefined;
    const days = Math.round(Math.abs(ahead) / dayMs);
    const side = ahead > 0 ? 'ahead of' : 'behind';
    return `the clock of ClickHouse is ${days} days ${side} this machine's: rows expire by the earlier one until they agree`;
  }

  /** Whether ClickHouse has taken the word. */
  async function switchExpiry(word: 'STOP' | 'START'): Promise<boolean> {
    const text = `SYSTEM ${word} TTL MERGES${onCluster(topology)} ${localTable(topology, 'windows')}`;
    try {
      await clickhouse.command({ text, params: {} }, { settings: ddlSettings(topology), patienceMs });
      return true;
    } catch (error) {
      log.error({ cause: loggedCause(error) }, `ClickHouse does not take: ${text}`);
      return false;
    }
  }

  return {
    nowMs: () => (difference() === 0 ? usualMs() : Math.min(serverMs(), machineMs())),
    problem,
    isHeld: () => difference() > 0,
    async check() {
      const found = problem();
      if (found !== undefined && !isTold) log.error({}, found);
      if (found === undefined && isTold)
        log.info({}, 'the clocks of ClickHouse and of this machine agree again');
      isTold = found !== undefined;
      const word = difference() > 0 ? 'STOP' : 'START';
      if (word === 'START' && !isHeldBack) return;
      const now = monotonicMs();
      if (word === said && now - saidAt < sayEveryMs) return;
      said = word;
      saidAt = now;
      isHeldBack = !(await switchExpiry(word)) || word === 'STOP';
      if (!isHeldBack) options.released();
    },
  };
}
