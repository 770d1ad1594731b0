import { pause } from '../backoff.ts';
import type { NewEvent, ParameterData } from '../models.ts';
import { createLead } from './lead.ts';
import { type Piece, rowsBetween } from './pieces.ts';
import type { ReplayPlace, ReplayProgress, ReplayService } from './replay-options.ts';
import type { Schedule, ScheduleClock } from './schedule.ts';
import { writeEvents, writeRows } from './target.ts';

/**
 * Writes pieces so that they are there when they are due, one request after another: what is late is written at once, in its
 * order.
 */
export interface Player {
  /** Begins a pass with the next piece; the target is there by now. */
  begin(): void;
  /** `waited`: the piece had to be waited for, so being late is no time to catch up. */
  play(piece: Piece, waited: boolean): Promise<void>;
  /** Writes at once. */
  writeLate(piece: Piece): Promise<void>;
  /** A pass is whole. Gives whether it wrote anything. */
  passed(): boolean;
  counts(): {
    readonly begun: boolean;
    readonly rows: number;
    readonly events: number;
    readonly passes: number;
    readonly late: number;
    readonly expired: number;
  };
}

export interface PlayerTerms {
  readonly service: ReplayService;
  readonly target: ReplayPlace;
  readonly schedule: Schedule;
  readonly clock: ScheduleClock;
  /** Ends the waiting, with its reason. */
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: ReplayProgress) => void) | undefined;
}

export function createPlayer({ service, target, schedule, clock, signal, onProgress }: PlayerTerms): Player {
  let begun = false;
  let isFirst = true;
  let rows = 0;
  let events = 0;
  let passes = 0;
  let late = 0;
  let expired = 0;
  let last: ReplayProgress | undefined;
  const lead = createLead();
  /** How long it is until something has to be sent that is due at a time of the source, ms. */
  const untilSent = (time: bigint): number => schedule.due(time) - lead.ms - clock.now();

  const told = (position: bigint): void => {
    const behindMs = Math.max(0, clock.now() - schedule.due(position));
    last = { position, rows, events, behindMs, pass: passes + 1, pauseMs: 0 };
    onProgress?.(last);
  };

  /** Writes what had to be sent from this time of the source on. */
  const timed = async (time: bigint, write: () => Promise<number>): Promise<void> => {
    const plannedMs = schedule.due(time) - lead.ms;
    expired += await write();
    lead.took(clock.now() - plannedMs);
  };

  /** Waits until the first of these times has to be sent, and gives how many of them have. */
  const dueFrom = async (count: number, timeAt: (i: number) => bigint, from: number): Promise<number> => {
    signal.throwIfAborted();
    for (let hasPaused = false; ; hasPaused = true) {
      const wait = untilSent(timeAt(from));
      if (wait <= 0) break;
      if (!hasPaused && wait >= toldPauseMs && last !== undefined) onProgress?.({ ...last, pauseMs: wait });
      // Where rows are so close to each other, turns would take a core from the service all the time.
      if (wait < shortestPauseMs && hasPaused) await turn();
      else await pause(Math.min(Math.max(wait, shortestPauseMs), longestPauseMs), signal);
      signal.throwIfAborted();
    }
    let end = from + 1;
    while (end < count && untilSent(timeAt(end)) <= 0) end++;
    return end;
  };

  const playRows = async (data: ParameterData): Promise<void> => {
    const { timestamps } = data;
    for (let at = 0; at < timestamps.length; ) {
      const end = await dueFrom(timestamps.length, (i) => timestamps[i]!, at);
      const some = rowsBetween(data, at, end);
      const written = { ...some, timestamps: some.timestamps.map(schedule.written) };
      await timed(timestamps[at]!, () => writeRows(service, target, written));
      rows += end - at;
      told(timestamps[end - 1]!);
      at = end;
    }
  };
  const playEvents = async (list: readonly NewEvent[]): Promise<void> => {
    for (let at = 0; at < list.length; ) {
      const end = await dueFrom(list.length, (i) => list[i]!.timestamp, at);
      const some = list.slice(at, end);
      const written = some.map((event) => ({ ...event, timestamp: schedule.written(event.timestamp) }));
      await timed(some[0]!.timestamp, () => writeEvents(service, target, written));
      events += end - at;
      told(some.at(-1)!.timestamp);
      at = end;
    }
  };

  return {
    begin() {
      begun = true;
      isFirst = true;
    },
    async play(piece, waited) {
      const first = piece.kind === 'rows' ? piece.rows.timestamps[0]! : piece.events[0]!.timestamp;
      if (isFirst) schedule.begin(first);
      else if (waited) schedule.resume(first);
      isFirst = false;
      if (piece.kind === 'rows') await playRows(piece.rows);
      else await playEvents(piece.events);
    },
    async writeLate(piece) {
      if (piece.kind === 'rows') {
        expired += await writeRows(service, target, piece.rows);
        rows += piece.rows.timestamps.length;
        late += piece.rows.timestamps.length;
      } else {
        expired += await writeEvents(service, target, piece.events);
        events += piece.events.length;
        late += piece.events.length;
      }
    },
    passed() {
      passes++;
      return !isFirst;
    },
    counts: () => ({ begun, rows, events, passes, late, expired }),
  };
}

/** The longest pause of a timer: timers go no further than 2³¹ ms. */
const longestPauseMs = 1_000_000_000;
/** The pause from which on who watches a replay is told why it stands still. */
const toldPauseMs = 5000;
/** The shortest pause of a timer: what is left of a pause is waited for turn by turn. */
const shortestPauseMs = 1;

const { setImmediate: afterTurn } = globalThis as { readonly setImmediate?: (then: () => void) => unknown };

/** A turn of the event loop; browsers have none that is shorter than a timer. */
const turn = (): Promise<void> =>
  afterTurn === undefined ? pause(shortestPauseMs) : new Promise((resolve) => afterTurn(resolve));
