import { isoFromMillis } from '../../../domain/timestamp.ts';
import { PitwallError } from '../../../errors.ts';
import type { ClockReading, StoreClock } from '../../store.ts';
import type { StoreLog } from '../../store-log.ts';
import { isNoSpace } from '../files/files.ts';
import type { Manifest, ManifestChange } from '../manifest/manifest.ts';
import { believedClock, type ClockEvent, type ClockState, type Clocks, dayMs } from './believed-clock.ts';

/** The clock that the retention of rows goes by: kept with the manifest, and told of where it is held back. */
export interface RetentionClock extends StoreClock {
  /** Milliseconds since the Unix epoch; rows expire by it. */
  now(): number;
  /** Begins to check the clocks; `onBelieved` is called when rows may have expired all at once. */
  start(onBelieved: () => void): void;
  /** One line while retention is held back. */
  readonly problems: readonly string[];
  /** Keeps the time a last time, if it was started. */
  close(): Promise<void>;
}

export interface RetentionClockOptions {
  readonly manifest: Pick<Manifest, 'read' | 'commit'>;
  readonly clocks: Clocks;
  /**
   * When a folder was last written to (ms since the Unix epoch), asked of one that no time was kept with: it was killed
   * before, or the time is damaged. Undefined where there is nothing to lose; then the machine's clock is believed.
   */
  readonly lastWrite: () => number | undefined;
  readonly log: StoreLog;
  /** Told of damage. */
  readonly report: (problem: string) => void;
}

const lookMs = 60_000;
/** How often the time that has passed is kept: a stop that is not a clean one forgets as much. */
const keepMs = 600_000;

/** `meta/clock` is a ClockState. */
export function openRetentionClock(options: RetentionClockOptions): RetentionClock {
  const { manifest, clocks, log } = options;
  const believed = believedClock(clocks, keptState(options));
  let timer: NodeJS.Timeout | undefined;
  let onBelieved = (): void => undefined;
  let keeping: Promise<void> = Promise.resolve();
  let keepAt = clocks.monotonic();

  function commit(state: ClockState): Promise<void> {
    const change: ManifestChange = { table: 'meta', key: 'clock', value: state };
    return manifest.commit([change]);
  }

  function keep(): void {
    keepAt = clocks.monotonic() + keepMs;
    keeping = commit(believed.state).catch((error: unknown) => {
      log.warn({ error: (error as Error).message }, 'the time up to which rows expire could not be kept');
    });
  }

  function look(): ClockEvent | undefined {
    const event = believed.look();
    if (event !== undefined) tell[event]();
    if (event === 'believed') onBelieved();
    if (timer !== undefined && (event !== undefined || clocks.monotonic() >= keepAt)) keep();
    return event;
  }

  function read(): ClockReading {
    look();
    const time = clocks.wall();
    const now = believed.now();
    const { claim } = believed.state;
    if (claim === undefined || now >= time) return { time, believed: time, heldBackMs: 0 };
    return { time, believed: now, heldBackMs: time - now, believedInMs: dayMs - claim.stoodMs };
  }

  const tell: Readonly<Record<ClockEvent, () => void>> = {
    ahead: () => log.warn({}, heldBack(clocks.wall(), believed.now())),
    back: () => {
      const says = isoFromMillis(clocks.wall());
      log.warn({}, `the clock of this machine went back to ${says}: rows expire later, and nothing is lost`);
    },
    believed: () => log.info({}, `the clock of this machine is believed: ${isoFromMillis(clocks.wall())}`),
    returned: () => log.info({}, 'the clock of this machine is right again'),
  };

  return {
    now: believed.now,
    read,
    start(whenBelieved) {
      onBelieved = whenBelieved;
      timer = setInterval(look, lookMs).unref();
      const event = look();
      // What an earlier run has told is told again: it still holds.
      if (event === undefined && read().heldBackMs > 0) tell.ahead();
      keep();
    },
    get problems() {
      const { time, believed: now, heldBackMs } = read();
      return heldBackMs > 0 ? [heldBack(time, now)] : [];
    },
    async confirm() {
      try {
        // On the disk first: what is taken away by it must not come after a restart that knows nothing of it.
        await commit({ proven: clocks.wall() });
      } catch (error) {
        const code = isNoSpace(error) ? 'disk_full' : 'storage_failed';
        throw new PitwallError(code, { detail: 'the time could not be kept: the clock is not confirmed' });
      }
      believed.confirm();
      // Again: a check of the clocks may have kept an older state meanwhile.
      keep();
      tell.believed();
      onBelieved();
      return read();
    },
    async close() {
      if (timer === undefined) return;
      clearInterval(timer);
      believed.look();
      keep();
      await keeping;
    },
  };
}

function heldBack(time: number, believed: number): string {
  return (
    `the clock of this machine jumped ahead to ${isoFromMillis(time)}: rows expire as if it were ` +
    `${isoFromMillis(believed)}, until it has stood for a day or 'pitwall clock confirm' says that it is right`
  );
}

function keptState({ manifest, lastWrite, report }: RetentionClockOptions): ClockState | undefined {
  try {
    const kept = manifest.read('meta', 'clock') as ClockState | undefined;
    if (kept !== undefined) return kept;
  } catch (error) {
    report((error as Error).message);
  }
  const proven = lastWrite();
  return proven === undefined ? undefined : { proven };
}
