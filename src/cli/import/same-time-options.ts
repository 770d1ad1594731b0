import type { SameTime } from '../../import/same-time/met-rows.ts';
import type { Restarts } from '../../import/same-time/place-runs.ts';
import type { SameTimeChoices } from '../../import/same-time/stored-rows.ts';
import { oneOf } from './text-options.ts';

/** What the command line may say of rows that meet earlier ones, in files of every kind. */
export const sameTimeOptions = {
  'same-time': { type: 'string' },
  restarts: { type: 'string' },
} as const;

const sameTimes: Readonly<Record<SameTime, SameTime>> = { replace: 'replace', keep: 'keep' };
const restarts: Readonly<Record<Restarts, Restarts>> = {
  ...{ streams: 'streams', append: 'append', replace: 'replace' },
};

export const sameTimeHelp = `Rows of one stream with the same time and tags are one row: of two values of a channel the later one counts, and the command
says how many rows that were. A file whose elapsed times begin anew, and an MCAP file of which messages would be lost, are
imported when these say what is meant:
  --same-time WORD   replace: later rows replace earlier ones; keep: each goes on by a nanosecond, until its time is free
  --restarts WORD    streams: rows from there on are in streams ID-2, ID-3 …; append: they are put behind those before;
                     replace: times are right as they stand`;

/** Throws a UsageError that names the option. */
export function sameTimeChoices(values: Readonly<Record<string, unknown>>): SameTimeChoices {
  return {
    sameTime: oneOf('--same-time', values['same-time'] as string | undefined, sameTimes),
    restarts: oneOf('--restarts', values['restarts'] as string | undefined, restarts),
  };
}
