import { entryOf } from '../domain/entry-of.ts';
import { limitNotes, limitTexts } from '../limit-notes.ts';
import type { Log } from '../log.ts';
import { longestTurns } from '../turns/long-turns.ts';

/** Warnings of what may happen very often: each is logged once a minute at most, with how many times it was. */
export function startNotes(log: Log) {
  const passed = performance.now.bind(performance);
  const ofDoors = new Map<string, (text: string) => void>();
  const limited = (text: string) => limitNotes(passed, (times) => log.warn({ times }, text));
  return {
    rowsAhead: limited(
      'rows are left out, for they are too far ahead of the clock; see --rows-ahead, POST /alerts',
    ),
    slowBody: limited('bodies came too slowly and were given up; see --min-body-rate'),
    readerLetGo: limited('readers of the hub were closed, for memory; see --hub-max-total-queue-bytes'),
    hubWrite: limitTexts(passed, (times, warning) =>
      log.warn({ times, warning }, 'writes over the hub were probably meant otherwise'),
    ),
    hubUnheard: limitTexts(passed, (times, error) =>
      log.warn({ times, error }, 'calls to the hub failed, and no client is told: none asked for an answer'),
    ),
    doorWrite: (door: string, text: string) =>
      entryOf(ofDoors, door, () =>
        limitTexts(passed, (times, warning) =>
          log.warn({ door, times, warning }, 'writes through a door were probably meant otherwise'),
        ),
      )(text),
    longTurn: longestTurns(({ ms, work, parts }, times) =>
      log.warn(
        { milliseconds: ms, work, parts, times },
        'everything else had to wait; see pitwall_long_turns_total',
      ),
    ),
  };
}
