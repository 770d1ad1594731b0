import type { EventRow } from '../domain/event-data.ts';
import { columnCount } from '../domain/numeric-rows.ts';
import type { Rows } from '../domain/parameter-data.ts';
import type { StreamProperties } from '../domain/stream.ts';
import type { LiveContent } from '../live/broker.ts';
import type { Batch } from '../store/store.ts';
import { excerpt } from '../wire/base/name.ts';
import type { StreamRows } from '../wire/rows/parameter-data.ts';
import type { KeptText } from '../wire/series/series-read.ts';
import type { SeriesOfStream } from '../wire/series/series-rows.ts';
import type { Announcement } from './announcement.ts';
import type { FreshDefinitions } from './definition-cache.ts';
import { rowsOfEvents } from './event-rows.ts';
import type { StreamCall } from './write-call.ts';

/** What a request writes: one batch for the store, the same for live readers, and what counts when it is acknowledged. */
export interface Decoded {
  readonly changes: Batch['changes'];
  readonly announcements: readonly Announcement[];
  readonly rows: number;
  /** Rows times their columns. */
  readonly cells: number;
  /** Streams of which there is nothing to store, though the request is right. */
  readonly nothing?: Nothing | undefined;
  /** What was rounded or replaced, for the writer. */
  readonly altered?: string | undefined;
}

/** What a writer is told who has probably meant to write something. */
export interface Nothing {
  readonly streams: number;
  readonly text: string;
}

/** What is told of the values of a body. */
export interface Altered {
  readonly text: string | undefined;
}

/** Parameter data of streams of one topic, from a body of so many bytes, and what was rounded or replaced in it. */
export function decodedRows(
  topic: string,
  streams: readonly StreamRows[],
  bytes: number,
  rounded?: Altered,
  replaced?: Altered,
): Decoded {
  // Nobody measures how many bytes each stream has of a body: each gets its share.
  const share = bytes / streams.length;
  let count = 0;
  let cells = 0;
  let empty = 0;
  let firstEmpty: string | undefined;
  for (const { streamId, rows } of streams) {
    const before = count;
    for (const { count: more, columns } of rows) {
      count += more;
      cells += more * columns.length;
    }
    if (count > before) continue;
    empty++;
    firstEmpty ??= streamId;
  }
  const nothing = streams.length === 0 ? noRows : firstEmpty && nothingOf(firstEmpty, empty);
  return {
    nothing: nothing || undefined,
    altered:
      replaced?.text === undefined ? rounded?.text : [rounded?.text, replaced.text].filter(Boolean).join(' '),
    changes: streams.map(({ streamId, rows }) => ({ type: 'rows', topic, streamId, rows })),
    announcements: streams.map(({ streamId, rows }) => ({
      topic,
      streamId,
      bytes: share,
      content: { type: 'parameterData', rows },
    })),
    rows: count,
    cells,
  };
}

const noRows: Nothing = { streams: 1, text: 'Nothing was stored: the request has no rows.' };

/** Where JavaScript writes a Map, or numbers that are NaN, there are no values. */
function nothingOf(streamId: string, streams: number): Nothing {
  const others = streams === 2 ? ' and of another one' : streams > 2 ? ` and of ${streams - 1} more` : '';
  const why = 'none of its rows has a value. JSON makes {} of a Map, and null, which is no value, of NaN.';
  return { streams, text: `Nothing was stored of the stream ${excerpt(streamId)}${others}: ${why}` };
}

/** Series of streams of any topics, where they end, and what is said of their parameters. */
export function decodedSeries(
  streams: readonly SeriesOfStream[],
  definitions: readonly FreshDefinitions[],
  bytes: number,
  keeps: readonly KeptText[] = [],
): Decoded {
  const share = bytes / streams.length;
  const changes: Batch['changes'][number][] = [];
  const announcements: Announcement[] = [];
  let count = 0;
  let cells = 0;
  for (const { topic, streamId, rows, ends } of streams) {
    const part = rows.length > 0 && ends.length > 0 ? share / 2 : share;
    if (rows.length > 0) {
      changes.push({ type: 'rows', topic, streamId, rows });
      announcements.push({ topic, streamId, bytes: part, content: { type: 'parameterData', rows } });
      for (const one of rows) {
        count += one.count;
        cells += one.count * columnCount(one);
      }
    }
    if (ends.length > 0) {
      changes.push({ type: 'rows', topic, streamId, rows: rowsOfEvents(ends) });
      announcements.push({ topic, streamId, bytes: part, content: { type: 'eventData', events: ends } });
      count += ends.length;
      cells += ends.length;
    }
  }
  for (const { topic, streamId, definitions: own } of definitions) {
    const content = { type: 'parameterDefinitions', definitions: own } as const;
    changes.push({ topic, streamId, ...content });
    announcements.push({ topic, streamId, bytes: 0, content });
  }
  for (const kept of keeps) changes.push({ type: 'keep', topic: undefined, ...kept });
  return { changes, announcements, rows: count, cells };
}

/** Events of one stream; they are made rows here, or were before. */
export function decodedEvents(
  topic: string,
  streamId: string,
  events: readonly EventRow[],
  bytes: number,
  rows: Rows[] = rowsOfEvents(events),
): Decoded {
  return {
    changes: [{ type: 'rows', topic, streamId, rows }],
    announcements: [{ topic, streamId, bytes, content: { type: 'eventData', events } }],
    rows: events.length,
    cells: events.length,
    nothing: events.length === 0 ? noEvents : undefined,
  };
}

const noEvents: Nothing = { streams: 1, text: 'Nothing was stored: the request has no events.' };

/** A stream and its properties, which stay as they are where there are none. */
export function decodedStream(
  topic: string,
  streamId: string,
  properties: StreamProperties | undefined,
  bytes: number,
): Decoded {
  const replaced = properties === undefined ? {} : { properties };
  return {
    changes: [{ type: 'stream', topic, streamId, ...replaced }],
    announcements: [{ topic, streamId, bytes, content: { type: 'stream', properties } }],
    ...uncounted,
  };
}

/** Definitions of a stream, or its end. */
export function decodedStatement(
  { topic, streamId }: StreamCall,
  content: Extract<LiveContent, { readonly type: 'parameterDefinitions' | 'eventDefinitions' | 'close' }>,
  bytes: number,
): Decoded {
  return {
    changes: [{ topic, streamId, ...content }],
    announcements: [{ topic, streamId, bytes, content }],
    ...uncounted,
  };
}

/** Settings of a topic, of which no reader hears. */
export function decodedTopic(topic: string, retention: bigint | undefined): Decoded {
  return { changes: [{ type: 'topic', topic, retention }], announcements: [], ...uncounted };
}

const uncounted = { rows: 0, cells: 0 };
