import { type Pace, withoutPause } from '../../turns/pace.ts';
import { type LoggedFile, type LoggedRow, type LoggedTable, rowsOf } from '../logged-file.ts';
import type { MetCell } from './met-values.ts';
import type { RowWords } from './notes.ts';
import { RowStore, type SameTimeChoices, type StoredRows } from './stored-rows.ts';
import { type SeenTimes, TimeWatch } from './watch-times.ts';

/**
 * The times of a logger's file. It is read through, unless its reader knows already that they go forward. Throws a FileFault.
 */
export async function watchLog(log: LoggedFile): Promise<SeenTimes> {
  const watch = logWatch(log);
  if (log.isForward !== true) for await (const { table, row } of rowsOf(log)) watch.see(table, row);
  return watch.end();
}

/** Looks at the rows of a logger's file, one after the other. */
export interface LogWatch {
  see(table: number, row: LoggedRow): void;
  end(): SeenTimes;
}

export function logWatch({ tables, tags, timeKind }: LoggedFile): LogWatch {
  const watch = new TimeWatch({
    apart: tags.map((_, i) => i),
    tables: sharingTables(tables),
    kind: timeKind,
  });
  const numbers = tables.map(() => 0);
  return {
    see(table, row) {
      numbers[table]!++;
      watch.see(row.time, numbers[table]!, row.tags, table);
    },
    end: () => watch.end(),
  };
}

/** For each table the first one with which it shares a channel, be it by others. */
function sharingTables(tables: readonly LoggedTable[]): number[] {
  const firstOf = new Map<string, number>();
  const of = tables.map((_, table) => table);
  const rootOf = (table: number): number => (of[table] === table ? table : rootOf(of[table]!));
  for (const [table, { channels }] of tables.entries()) {
    for (const channel of channels) {
      const key = keyOf(channel);
      const other = firstOf.get(key);
      if (other === undefined) firstOf.set(key, table);
      else {
        const [one, two] = [rootOf(other), rootOf(table)];
        of[Math.max(one, two)] = Math.min(one, two);
      }
    }
  }
  return of.map((_, table) => rootOf(table));
}

function keyOf({ name, isText }: LoggedTable['channels'][number]): string {
  return `${isText === true ? 'text' : 'number'} ${name}`;
}

/** Says of each row of a logger's file where it is stored. */
export interface LogStore {
  readonly store: RowStore;
  /** The values of a row as the store compares them. */
  values(table: number, values: readonly MetCell[]): readonly MetCell[];
}

/** @param isTaken whether a channel is wanted, by the places of its table and of itself there */
export function logStore(
  { tables }: LoggedFile,
  seen: SeenTimes,
  isTaken: (table: number, channel: number) => boolean,
  choices: SameTimeChoices,
): LogStore {
  const of = seen.options.tables!;
  /** By table, the place of each of its channels among those that it shares with others. */
  const places: (number[] | undefined)[] = tables.map(() => undefined);
  const forms = tables.map(({ channels }, first) => {
    const sharing = tables.flatMap((_, table) => (of[table] === first ? [table] : []));
    if (sharing.length <= 1) {
      const taken = channels.flatMap((_, i) => (isTaken(first, i) ? [i] : []));
      const isAlone = sharing.length === 1;
      return formOf(
        isAlone ? taken : [],
        taken.map((i) => channels[i]!.name),
      );
    }
    const names = new Map<string, number>();
    const taken = new Set<number>();
    for (const table of sharing) {
      places[table] = tables[table]!.channels.map((channel, i) => {
        const key = keyOf(channel);
        const place = names.get(key) ?? names.size;
        names.set(key, place);
        if (isTaken(table, i)) taken.add(place);
        return place;
      });
    }
    const all = [...names.keys()].map((key) => key.slice(key.indexOf(' ') + 1));
    return formOf(
      [...taken],
      [...taken].map((place) => all[place]!),
    );
  });
  return {
    store: new RowStore(seen, forms, choices),
    values(table, values) {
      const shared = places[table];
      if (shared === undefined) return values;
      const all: MetCell[] = forms[of[table]!]!.form.channels.map(() => null);
      for (const [i, place] of shared.entries()) all[place] = values[i]!;
      return all;
    },
  };
}

function formOf(channels: readonly number[], names: readonly string[]) {
  return { form: { channels, isJson: false }, names };
}

/** How notes call the rows of a logger's file. */
export function wordsOfLog(
  { tables, start, hasMessages }: LoggedFile,
  seen: SeenTimes,
  namesOptions: boolean,
): RowWords {
  const named = tables.map(
    ({ name = '', channels }) => name || (tables.length > 1 ? `the rows of ${channels[0]!.name}` : ''),
  );
  return {
    seen,
    noun: hasMessages === true ? 'message' : 'row',
    tables: named,
    start: startOf(seen, start),
    isJson: false,
    namesOptions,
  };
}

/** Times that are small count from 1970, not from the first of them. */
function startOf({ options }: SeenTimes, start: bigint): bigint {
  return options.kind === 'elapsed' ? start : 0n;
}

/** What the messages of a file meet, if nobody says what becomes of them; undefined where they cannot meet. Throws a FileFault. */
export async function messagesMet(
  log: LoggedFile,
  seen: SeenTimes,
  pace: Pace = withoutPause,
): Promise<StoredRows | undefined> {
  const { store, values } = logStore(log, seen, () => true, {});
  if (log.hasMessages !== true || !store.canMeet()) return undefined;
  const numbers = log.tables.map(() => 0);
  for await (const { table, row } of rowsOf(log)) {
    const pause = pace();
    if (pause !== undefined) await pause;
    numbers[table]!++;
    store.place(row.time, numbers[table]!, row.tags, values(table, row.values), table);
  }
  return store.result();
}
