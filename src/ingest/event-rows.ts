import type { EventRow } from '../domain/event-data.ts';
import { Kind, type Rows } from '../domain/parameter-data.ts';
import type { TagSet } from '../domain/tags.ts';
import { splitSpan } from '../wire/split-span.ts';

/**
 * Events as rows that a store keeps. Each id has rows of its own with one column, so that many ids in one request do
 * not make wide rows without values. Events of one identity keep their order.
 */
export function rowsOfEvents(events: readonly EventRow[]): Rows[] {
  const byId = new Map<string, EventRow[]>();
  for (const event of events) {
    const rows = byId.get(event.id);
    if (rows === undefined) byId.set(event.id, [event]);
    else rows.push(event);
  }
  return [...byId].flatMap(([id, rows]) => rowsOfOneId(id, rows));
}

function rowsOfOneId(name: string, events: readonly EventRow[]): Rows[] {
  const tagNumbers = new Map<string, number>();
  const tagSets: TagSet[] = [];
  const tagIndex = Uint32Array.from(events, ({ tags }) => {
    let number = tagNumbers.get(tags.key);
    if (number === undefined) {
      number = tagSets.push(tags) - 1;
      tagNumbers.set(tags.key, number);
    }
    return number;
  });
  const values = events.map(({ value }) => Buffer.from(value));
  const ends = new Uint32Array(events.length);
  let end = 0;
  for (const [row, value] of values.entries()) {
    end += value.length;
    ends[row] = end;
  }
  const column = { kind: Kind.Event, name, bytes: Buffer.concat(values, end), ends, present: undefined };
  return splitSpan(
    BigInt64Array.from(events, ({ timestamp }) => timestamp),
    Uint32Array.from(events.keys()),
    { columns: [column], tagSets, tagIndex: tagSets.length === 1 ? undefined : tagIndex },
  );
}
