import { foldTopic } from '../../../domain/topic.ts';
import { param, type Sql, sql } from '../server/sql.ts';

/** The part of a filter that the sort keys of all tables answer: which streams may be meant at all. */
export interface StreamScope {
  readonly streamIds?: readonly string[] | undefined;
  readonly topic?: string | undefined;
  readonly topics?: readonly string[] | undefined;
}

/** Conditions on `workspace`, `topic` and `stream` of any table that has them. */
export function scopeConditions(workspace: string, { streamIds, topic, topics }: StreamScope): Sql[] {
  const conditions = [sql`workspace = ${param(workspace, 'String')}`];
  if (topic !== undefined) conditions.push(sql`topic = ${param(foldTopic(topic), 'String')}`);
  if (topics !== undefined)
    conditions.push(sql`topic IN ${param([...new Set(topics.map(foldTopic))], 'Array(String)')}`);
  if (streamIds !== undefined)
    conditions.push(sql`stream IN ${param([...new Set(streamIds)], 'Array(String)')}`);
  return conditions;
}

/** A stream's name as one text. */
export function streamKey({ topic, stream }: { readonly topic: string; readonly stream: string }): string {
  return JSON.stringify([topic, stream]);
}

/**
 * The most streams that an expression lists; of more a subquery makes the set, as `print` does it of one list, and
 * for the same reason.
 */
const maxInExpression = 1000;

/** Streams by their names: a condition on `topic` and `stream`. */
export function namedStreams(keys: readonly { readonly topic: string; readonly stream: string }[]): Sql {
  const topics = param(
    keys.map(({ topic }) => topic),
    'Array(String)',
  );
  const streams = param(
    keys.map(({ stream }) => stream),
    'Array(String)',
  );
  return keys.length <= maxInExpression
    ? sql`(topic, stream) IN arrayZip(${topics}, ${streams})`
    : sql`(topic, stream) IN (SELECT pair.1, pair.2 FROM (SELECT arrayJoin(arrayZip(${topics}, ${streams})) AS pair))`;
}
