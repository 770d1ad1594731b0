import type { StreamFilter } from '../../../domain/query.ts';
import { param, type Sql, sql } from '../sql.ts';

/** The part of a filter that the sort keys of all tables answer: which streams may be meant at all. */
export type StreamScope = Pick<StreamFilter, 'streamIds' | 'topic' | 'topics'>;

/** A topic's identity: names differ only by more than case. */
export function foldTopic(topic: string): string {
  return topic.toLowerCase();
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

/** Streams by their names: a condition on `topic` and `stream`. */
export function namedStreams(keys: readonly { readonly topic: string; readonly stream: string }[]): Sql {
  const topics = keys.map(({ topic }) => topic);
  const streams = keys.map(({ stream }) => stream);
  return sql`(topic, stream) IN arrayZip(${param(topics, 'Array(String)')}, ${param(streams, 'Array(String)')})`;
}

export function namedWorkspaces(names: readonly string[]): Sql {
  return sql`workspace IN ${param(names, 'Array(String)')}`;
}
