import type { EventRow } from '../domain/event-data.ts';
import { Kind, type Rows } from '../domain/parameter-data.ts';
import type { TagSet } from '../domain/tags.ts';
import { offsetFrom, spanLimit } from '../domain/timestamp.ts';
import { type Steps, whole } from '../turns/steps.ts';
import { splitSpan } from '../wire/rows/split-span.ts';

/**
 * Events as rows that a store keeps. Each id has rows of its own with one column, so that many ids in one request do
 * not make wide rows without values. Events of one identity keep their order.
 */
export function rowsOfEvents(events: readonly EventRow[]): Rows[] {
  return whole(eventRowsSteps(events));
}

/** Events of a step. */
const stepEvents = 4096;

/** Makes rows of events in steps. */
export function* eventRowsSteps(events: readonly EventRow[]): Steps<Rows[]> {
  const byId = new Map<string, EventRow[]>();
  for (let i = 0; i < events.length; i++) {
    if (i % stepEvents === stepEvents - 1) yield;
    const event = events[i]!;
    const rows = byId.get(event.id);
    if (rows === undefined) byId.set(event.id, [event]);
    else rows.push(event);
  }
  const all: Rows[] = [];
  let done = 0;
  for (const [id, own] of byId) {
    for (const rows of yield* rowsOfOneId(id, own)) all.push(rows);
    done += own.length;
    if (done < stepEvents) continue;
    done = 0;
    yield;
  }
  return all;
}

function* rowsOfOneId(name: string, events: readonly EventRow[]): Steps<Rows[]> {
  const tagNumbers = new Map<string, number>();
  const tagSets: TagSet[] = [];
  const tagNumbersOf = new Uint32Array(events.length);
  const ends = new Uint32Array(events.length);
  const times = new BigInt64Array(events.length);
  let end = 0;
  let min = events[0]!.timestamp;
  let max = min;
  for (let row = 0; row < events.length; row++) {
    if (row % stepEvents === stepEvents - 1) yield;
    const { tags, value, timestamp } = events[row]!;
    let number = tagNumbers.get(tags.key);
    if (number === undefined) {
      number = tagSets.push(tags) - 1;
      tagNumbers.set(tags.key, number);
    }
    tagNumbersOf[row] = number;
    end += Buffer.byteLength(value);
    ends[row] = end;
    times[row] = timestamp;
    if (timestamp < min) min = timestamp;
    else if (timestamp > max) max = timestamp;
  }
  const column = { kind: Kind.Event, name, bytes: yield* textsOf(events, end), ends, present: undefined };
  const tagIndex = tagSets.length === 1 ? undefined : tagNumbersOf;
  const values = { columns: [column], tagSets, tagIndex };
  if (max - min >= spanLimit) return splitSpan(times, Uint32Array.from(events.keys()), values);
  const offsets = new Float64Array(events.length);
  for (let row = 0; row < events.length; row++) offsets[row] = offsetFrom(min, times[row]!);
  return [{ count: events.length, base: min, offsets, ...values }];
}

/** The values one after another, which have so many bytes. */
function* textsOf(events: readonly EventRow[], length: number): Steps<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (let row = 0; row < events.length; row++) {
    if (row % stepEvents === stepEvents - 1) yield;
    const { value } = events[row]!;
    if (value !== '') at += bytes.write(value, at);
  }
  return bytes;
}
