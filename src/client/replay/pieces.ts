import type { NewEvent, ParameterData } from '../models.ts';

/** Rows or events that follow one another in time. All of a piece is not later than any of the next. */
export type Piece =
  | { readonly kind: 'rows'; readonly rows: ParameterData }
  | { readonly kind: 'events'; readonly events: readonly NewEvent[] };

/** Rows and events of one stretch of time in one order: by time, rows before events of the same time. */
export async function* inOneOrder(
  pages: AsyncGenerator<ParameterData>,
  windows: AsyncGenerator<readonly NewEvent[]>,
): AsyncGenerator<Piece> {
  let rows = await nextOf(pages);
  let events = await nextOf(windows);
  let row = 0;
  let event = 0;
  while (rows !== undefined || events !== undefined) {
    const rowTime = rows?.timestamps[row];
    const eventTime = events?.[event]?.timestamp;
    if (rows !== undefined && (eventTime === undefined || rowTime! <= eventTime)) {
      const end = endOf(rows.timestamps, row, (time) => eventTime === undefined || time <= eventTime);
      yield { kind: 'rows', rows: rowsBetween(rows, row, end) };
      row = end;
    } else if (events !== undefined) {
      const end = endOf(events, event, ({ timestamp }) => rowTime === undefined || timestamp < rowTime);
      yield { kind: 'events', events: events.slice(event, end) };
      event = end;
    }
    if (rows !== undefined && row === rows.timestamps.length) {
      rows = await nextOf(pages);
      row = 0;
    }
    if (events !== undefined && event === events.length) {
      events = await nextOf(windows);
      event = 0;
    }
  }
}

/** The first index behind `from` whose item is no more meant. */
function endOf<Item>(items: readonly Item[], from: number, isMeant: (item: Item) => boolean): number {
  let end = from;
  while (end < items.length && isMeant(items[end]!)) end++;
  return end;
}

async function nextOf<Item>(items: AsyncGenerator<Item>): Promise<Item | undefined> {
  const { done, value } = await items.next();
  return done === true ? undefined : (value as Item);
}

/** Rows `[from, to)`; all of them are not copied. */
export function rowsBetween(rows: ParameterData, from: number, to: number): ParameterData {
  if (from === 0 && to === rows.timestamps.length) return rows;
  return columnsOf(rows, (column) => column.slice(from, to));
}

/** The rows at these indexes. */
export function rowsAt(rows: ParameterData, indexes: readonly number[]): ParameterData {
  return columnsOf(rows, (column) => indexes.map((i) => column[i]!));
}

function columnsOf(
  rows: ParameterData,
  pick: <Value>(column: readonly Value[]) => readonly Value[],
): ParameterData {
  const each = <Value>(columns: Readonly<Record<string, readonly Value[]>>) =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, pick(column)]));
  return {
    timestamps: pick(rows.timestamps),
    numericValues: each(rows.numericValues),
    stringValues: each(rows.stringValues),
    binaryValues: each(rows.binaryValues),
    tagValues: each(rows.tagValues),
  };
}

/** Gives the same items, the next one being made while one is used. */
export async function* oneAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = items.next();
      // Told when it is its turn; who stops before that does not care.
      next.catch(() => undefined);
      yield value as Item;
    }
  } finally {
    items.return(undefined).catch(() => undefined);
  }
}
