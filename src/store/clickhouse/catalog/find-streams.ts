import type { StreamFilter } from '../../../domain/query.ts';
import type { Stream } from '../../../domain/stream.ts';
import { param, print, sql } from '../server/sql.ts';
import type { Asking } from './catalog-settings.ts';
import {
  type StreamQuestion,
  type StreamRow,
  selectNames,
  selectStreams,
  streamOf,
  streamsWhere,
} from './select-streams.ts';
import { namedStreams, streamKey } from './stream-scope.ts';

/** A stream by its name; `topic` is folded. */
export interface StreamName {
  readonly topic: string;
  readonly stream: string;
}

/** The most streams that one statement asks for. */
const maxAtOnce = 5000;

/** `/streams`. A page is found by names alone; properties and data are those of its own streams. */
export async function findStreams(
  clickhouse: Asking,
  question: StreamQuestion,
  filter: StreamFilter,
): Promise<Stream[]> {
  if (filter.paging === undefined) {
    return (await clickhouse.rows<StreamRow>(print(selectStreams(question, filter)))).map(streamOf);
  }
  const statement = print(selectNames(question, filter));
  const page = await clickhouse.rows<[topic: string, stream: string]>(statement);
  const names = page.map(([topic, stream]) => ({ topic, stream }));
  // One may have been removed since.
  return (await streamsByName(clickhouse, question, names)).filter((stream) => stream !== undefined);
}

/** The streams of these names, undefined where there is none. */
export async function streamsByName(
  clickhouse: Asking,
  question: StreamQuestion,
  names: readonly StreamName[],
): Promise<(Stream | undefined)[]> {
  const found = new Map<string, Stream>();
  for (let from = 0; from < names.length; from += maxAtOnce) {
    const conditions = [
      sql`workspace = ${param(question.workspace, 'String')}`,
      namedStreams(names.slice(from, from + maxAtOnce)),
    ];
    const rows = await clickhouse.rows<StreamRow>(print(streamsWhere(question, conditions)));
    for (const row of rows) found.set(streamKey({ topic: row[0], stream: row[1] }), streamOf(row));
  }
  return names.map((name) => found.get(streamKey(name)));
}
