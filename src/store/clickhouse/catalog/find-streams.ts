import type { StreamFilter } from '../../../domain/query.ts';
import type { Stream } from '../../../domain/stream.ts';
import { param, print, type Sql, sql } from '../sql.ts';
import type { Asking } from './catalog-settings.ts';
import { dataExtents } from './extents.ts';
import {
  type StreamQuestion,
  type StreamRow,
  selectPage,
  selectStreams,
  streamOf,
} from './select-streams.ts';
import { namedStreams } from './stream-scope.ts';

/** Of so many streams at most the data are looked at by name; of more, those of all streams are. */
const longestPage = 5000;

/** `/streams`. Where a page does not depend on data, only its own streams' data are looked at. */
export async function findStreams(
  clickhouse: Asking,
  question: StreamQuestion,
  filter: StreamFilter,
): Promise<Stream[]> {
  const rows = <Row extends readonly unknown[]>(statement: Sql) => clickhouse.rows<Row>(print(statement));
  const { paging } = filter;
  const isShort = paging !== undefined && paging.length <= longestPage;
  const page = isShort ? selectPage(question, filter) : undefined;
  if (page === undefined) return (await rows<StreamRow>(selectStreams(question, filter))).map(streamOf);

  const found = await rows<StreamRow>(page);
  if (found.length === 0) return [];
  const named = found.map(([topic, stream]) => ({ topic, stream }));
  const conditions = [sql`workspace = ${param(question.workspace, 'String')}`, namedStreams(named)];
  const extents = await rows<[topic: string, stream: string, first: string, last: string]>(
    dataExtents(conditions, question.kept),
  );
  const byName = new Map(
    extents.map(([topic, stream, first, last]) => [JSON.stringify([topic, stream]), { first, last }]),
  );
  return found.map((row) => {
    const extent = byName.get(JSON.stringify([row[0], row[1]]));
    return {
      ...streamOf(row),
      dataStart: extent && BigInt(extent.first),
      dataEnd: extent && BigInt(extent.last),
    };
  });
}
