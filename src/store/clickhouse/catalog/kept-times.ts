import { param, type Sql, sql } from '../sql.ts';
import type { KeptTimes } from './registry.ts';

/** The oldest time that rows of a topic are kept from, as an Int64; `topic` is the folded name. */
export function keptFromOf(topic: Sql, { topics, others }: KeptTimes): Sql {
  const otherwise = sql`${param(others, 'Int64')}`;
  if (topics.size === 0) return otherwise;
  const names = param([...topics.keys()], 'Array(String)');
  const times = param([...topics.values()], 'Array(Int64)');
  return sql`transform(toString(${topic}), ${names}, ${times}, ${otherwise})`;
}
