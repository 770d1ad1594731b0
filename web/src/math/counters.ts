import type { ParameterEntry } from '../channels/parameter-entry.ts';
import { channelParts } from '../lines/expression.ts';
import { countsFromStart } from './functions.ts';

/** Tells whether a channel, or one that it is worked out from, begins at 0 where the rows that are asked for begin. */
export function countersAmong(known: readonly ParameterEntry[]): (id: string) => boolean {
  const entries = new Map(known.map((entry) => [entry.id, entry]));
  const counts = (id: string, seen: readonly string[]): boolean => {
    const { expression = '' } = entries.get(id) ?? {};
    if (seen.includes(id) || expression === '') return false;
    if (countsFromStart(expression)) return true;
    return channelParts(expression).some(({ text }) => counts(text, [...seen, id]));
  };
  return (id) => counts(id, []);
}
