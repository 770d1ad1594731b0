import { nanoseconds } from '../alerts/rows-ahead.ts';
import type { Rows } from '../domain/parameter-data.ts';
import type { Batch } from '../store/store.ts';
import { excerpt } from '../wire/base/name.ts';
import { rowsAhead, textOfAhead } from './rows-ahead.ts';

/** Streams of which it was told; of those told first it may be told again. */
const maxTold = 4096;

/** How far from now (ns) a time may be that was probably meant in another unit: ten years. */
const nearNow = 10 * 365.25 * 86_400e9;

const units = [
  { name: 'microseconds', nanoseconds: 1e3 },
  { name: 'milliseconds', nanoseconds: 1e6 },
  { name: 'seconds', nanoseconds: 1e9 },
];

/** Rows whose times were probably not meant so. */
export interface Doubt {
  /** Of their streams, by what is doubtful; as many as are remembered. */
  readonly keys: readonly string[];
  readonly text: string;
}

/** What was found in a write. */
export interface Looked {
  /** Undefined where nothing is to be told. */
  readonly doubt: Doubt | undefined;
  /** So many rows are further ahead of the clock than it allows, told or not. */
  readonly ahead: number;
}

/**
 * Finds times that were probably meant in another unit, and those that are too far ahead of the clock. Each of the two is
 * told once a stream.
 */
export interface DoubtfulTimes {
  /** Looks at the first and the last row of each payload for units, at every row for the clock. */
  look(workspace: string, changes: Batch['changes']): Looked;
  /** The text of a doubt that is told now; undefined where it was told meanwhile. */
  tell(doubt: Doubt): string | undefined;
}

/**
 * @param now milliseconds since the Unix epoch
 * @param aheadMs how far ahead of it rows may be
 */
export function doubtfulTimes(now: () => number, aheadMs: number): DoubtfulTimes {
  /** The latest last. */
  const told = new Set<string>();
  return {
    look(workspace, changes) {
      const time = now();
      const limit = nanoseconds(time + aheadMs);
      const found = { unit: doubts(), ahead: doubts() };
      let ahead = 0;
      for (const change of changes) {
        if (change.type !== 'rows') continue;
        const unit = doubtfulRows(change.rows, time * 1e6);
        const rows = rowsAhead(change.rows, limit);
        if (unit === undefined && rows === undefined) continue;
        ahead += rows?.count ?? 0;
        const key = `${workspace}\n${change.topic.toLowerCase()}\n${change.streamId}`;
        if (unit !== undefined && !told.has(`unit ${key}`))
          found.unit.add(`unit ${key}`, () => textOf(change.streamId, unit));
        if (rows !== undefined && !told.has(`ahead ${key}`))
          found.ahead.add(`ahead ${key}`, () => textOfAhead(change.streamId, rows, time));
      }
      const all = [found.unit.get(), found.ahead.get()].filter((one) => one !== undefined);
      if (all.length === 0) return { doubt: undefined, ahead };
      const doubt = { keys: all.flatMap(({ keys }) => keys), text: all.map(({ text }) => text).join(' ') };
      return { doubt, ahead };
    },

    tell({ keys, text }) {
      const fresh = keys.filter((key) => !told.has(key));
      for (const key of fresh) told.add(key);
      for (const key of told) {
        if (told.size <= maxTold) break;
        told.delete(key);
      }
      return fresh.length === 0 ? undefined : text;
    },
  };
}

/** Doubts of one kind: the text of the first, and of how many more streams it holds. */
function doubts() {
  const keys: string[] = [];
  let text = '';
  let streams = 0;
  return {
    add(key: string, textOfFirst: () => string): void {
      if (streams++ === 0) text = textOfFirst();
      if (keys.length < maxTold) keys.push(key);
    },
    get(): Doubt | undefined {
      if (streams === 0) return undefined;
      if (streams === 1) return { keys, text };
      const others = streams === 2 ? 'another stream' : `${streams - 1} more streams`;
      return { keys, text: `${text} So it is with ${others}.` };
    },
  };
}

interface DoubtfulTime {
  readonly timestamp: bigint;
  readonly unit: (typeof units)[number];
}

function doubtfulRows(payloads: readonly Rows[], nowNs: number): DoubtfulTime | undefined {
  for (const { base, offsets, count } of payloads) {
    if (count === 0) continue;
    const start = Number(base);
    for (const row of count === 1 ? [0] : [0, count - 1]) {
      const offset = offsets[row]!;
      const unit = unitMeant(start + offset, nowNs);
      if (unit !== undefined) return { timestamp: base + BigInt(offset), unit };
    }
  }
  return undefined;
}

/** The unit in which a time lies near now; undefined for one that was probably meant in nanoseconds. */
function unitMeant(timestamp: number, nowNs: number): DoubtfulTime['unit'] | undefined {
  // Nearly all times.
  if (timestamp * units[0]!.nanoseconds > nowNs + nearNow || timestamp <= 0) return undefined;
  return units.find(({ nanoseconds }) => Math.abs(timestamp * nanoseconds - nowNs) <= nearNow);
}

function textOf(streamId: string, { timestamp, unit }: DoubtfulTime): string {
  const isoTime = (ns: number) => new Date(ns / 1e6).toISOString();
  const meant = isoTime(Number(timestamp) * unit.nanoseconds);
  return (
    `The timestamp ${timestamp} of the stream ${excerpt(streamId)} is ${isoTime(Number(timestamp))}: timestamps are nanoseconds. ` +
    `It was probably meant in ${unit.name}, ${meant}.`
  );
}
