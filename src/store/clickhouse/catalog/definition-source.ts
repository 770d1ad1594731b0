import { every, type Sql, sql } from '../server/sql.ts';
import { isThere } from './visibility.ts';

/**
 * `topic`, `stream`, `kind`, `id`, `field` and `value` (JSON) of definitions, one row per field. Those of a removed
 * stream do not count for a later one of its name, nor what a later definition has taken away.
 *
 * @param scope conditions on `workspace`, `topic` and `stream`
 * @param conditions more of them, on `kind` and `id`
 */
export function definitionFields(scope: readonly Sql[], conditions: readonly Sql[] = []): Sql {
  return sql`SELECT d.topic AS topic, d.stream AS stream, d.kind AS kind, d.id AS id, d.field AS field, d.value AS value
FROM (SELECT topic, stream, kind, id, field, value, version FROM definitions FINAL PREWHERE ${every([...scope, ...conditions])}) AS d
INNER JOIN (SELECT topic, stream, removed FROM streams FINAL PREWHERE ${every(scope)} WHERE ${isThere}) AS s
ON s.topic = d.topic AND s.stream = d.stream
WHERE d.version > s.removed AND d.value != 'null'`;
}
