import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import { type ExactRow, loadExactRows, type RowWish } from './exact-row.ts';
import { reader } from './reader.ts';
import type { Reading } from './reading.ts';

/** A row that is asked for where a point stands for several. */
export interface AskedRow extends RowWish {
  readonly key: string;
  /** What is drawn. Where that is read anew, this is, too. */
  readonly of: object;
}

interface FoundRow {
  readonly of: object;
  /** Undefined where it could not be read. */
  readonly row: ExactRow | undefined;
}

/** Rows that are asked for, as far as they have come. */
export interface ExactRows {
  /** Undefined while it is on its way; null where it could not be read. */
  rowOf(key: string): ExactRow | null | undefined;
}

/** Of which row a reading is. */
export function rowKey({ rows, parameter, at }: Pick<RowWish, 'rows' | 'parameter' | 'at'>): string {
  return JSON.stringify([rows, parameter, String(at)]);
}

/** What to ask for so that a reading of several rows becomes that of one; undefined where it is one. */
export function askedRow(
  wish: Omit<RowWish, 'near'>,
  of: object,
  reading: Reading | undefined,
): AskedRow | undefined {
  return reading?.near && { ...wish, near: reading.near, of, key: rowKey(wish) };
}

/** Reads rows as they are asked for. What is asked for no more is forgotten, so no row is older than its question. */
export function exactRows(asked: ReadonlySignal<readonly AskedRow[]>): ExactRows {
  const found = signal<ReadonlyMap<string, FoundRow>>(new Map());
  let readBy: unknown;
  effect(() => {
    const service = reader.value;
    const list = asked.value;
    const before = service === readBy ? found.peek() : new Map<string, FoundRow>();
    readBy = service;
    const keys = new Set(list.map(({ key }) => key));
    const kept = new Map([...before].filter(([key]) => keys.has(key)));
    if (kept.size !== found.peek().size || before !== found.peek()) found.value = kept;
    const missing = list.filter(({ key, of }) => kept.get(key)?.of !== of);
    if (service === undefined || missing.length === 0) return undefined;
    const controller = new AbortController();
    const put = (own: readonly AskedRow[], rows: readonly (ExactRow | undefined)[]) => {
      if (controller.signal.aborted) return;
      const now = new Map(found.peek());
      for (const [i, { key, of }] of own.entries()) now.set(key, { of, row: rows[i] });
      found.value = now;
    };
    untracked(() => {
      for (const own of groups(missing))
        loadExactRows(service, own, controller.signal).then(
          (rows) => put(own, rows),
          () => put(own, []),
        );
    });
    return () => controller.abort(new Error('it is not needed any more'));
  });
  return {
    rowOf(key) {
      const own = found.value.get(key);
      return own && (own.row ?? null);
    },
  };
}

/** Those that one request may answer. */
function groups(asked: readonly AskedRow[]): AskedRow[][] {
  const found = new Map<string, AskedRow[]>();
  for (const own of asked) {
    const key = JSON.stringify([own.rows, String(own.at)]);
    const others = found.get(key);
    if (others === undefined) found.set(key, [own]);
    else others.push(own);
  }
  return [...found.values()];
}
