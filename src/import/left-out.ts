/** Counts what a reader leaves out, by what it is. */
export interface LeftOut {
  /** @param line where it stands, from 1 */
  leave(what: string, line: number): void;
  /** What was left out, how often, and where first. */
  texts(): string[];
}

export function countLeftOut(): LeftOut {
  const counts = new Map<string, { times: number; readonly line: number }>();
  return {
    leave(what, line) {
      const one = counts.get(what);
      if (one === undefined) counts.set(what, { times: 1, line });
      else one.times++;
    },
    texts: () =>
      [...counts].map(
        ([what, { times, line }]) => `${times} ${what} (${times === 1 ? 'in' : 'first in'} line ${line})`,
      ),
  };
}
