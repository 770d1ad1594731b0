import type { TopicSummary } from '../../../domain/listing.ts';
import { param, type Sql, sql } from '../server/sql.ts';
import { type StreamQuestion, withExtents } from './select-streams.ts';
import { scopeConditions } from './stream-scope.ts';
import { streamRows } from './stream-source.ts';
import { inCodeUnits } from './text-order.ts';

export type TopicRow = readonly [
  name: string,
  streams: string,
  first: string | null,
  last: string | null,
  lastUpdate: string,
];

/** `/topics`: every topic that was written to or given settings, by name; those whose streams are all gone too. */
export function selectTopics(question: StreamQuestion): Sql {
  const { workspace, kept } = question;
  const all = scopeConditions(workspace, {});
  return sql`SELECT t.spelling, s.streams, s.first, s.last, s.last_update
FROM (
  SELECT topic, tupleElement(name, 'name') AS spelling FROM topics FINAL
  WHERE workspace = ${param(workspace, 'String')}
) AS t
LEFT JOIN (
  SELECT topic, count() AS streams, min(first) AS first, max(last) AS last, max(last_update) AS last_update
  FROM (
    SELECT s.topic AS topic, s.last_update AS last_update, e.first AS first, e.last AS last
    FROM ${withExtents(sql`SELECT * FROM (${streamRows(workspace, all, question)}) WHERE soft_deleted = 0`, all, kept)}
  )
  GROUP BY topic
) AS s ON s.topic = t.topic
ORDER BY ${inCodeUnits(sql`t.spelling`)}`;
}

export function topicOf([name, streams, first, last, lastUpdate]: TopicRow): TopicSummary {
  const count = Number(streams);
  return {
    name,
    streams: count,
    dataStart: first === null ? undefined : BigInt(first),
    dataEnd: last === null ? undefined : BigInt(last),
    lastUpdate: count === 0 ? undefined : Number(lastUpdate),
  };
}
