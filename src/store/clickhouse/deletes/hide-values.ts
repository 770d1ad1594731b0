import { every, param, type Sql, sql } from '../server/sql.ts';
import { windowKey, windowValues } from '../server/window-sql.ts';

/** Values of the table `windows` that a delete means. */
export interface MeantValues {
  /** Conditions on `workspace`, `topic`, `stream`, `parameter` and `kind`. */
  readonly series: readonly Sql[];
  /** The range of time, ns, both ends included. */
  readonly from: bigint;
  readonly to: bigint;
  /** Newer values stay. */
  readonly version: bigint;
  /** Conditions on `tags`. */
  readonly tags: readonly Sql[];
}

/**
 * Inserts a piece without values into each window that has such values, for each of their tag sets: they count no more,
 * before and after merges. An older value that comes later is taken in such a window, and in no other. Windows of which an earlier delete has taken all of them get none, so a delete that is
 * repeated writes nothing.
 *
 * @param now a version of the present: tidying leaves what was deleted lately, also by a delete that is older and comes late
 */
export function hideValues(meant: MeantValues, now: bigint): Sql {
  const { from, to, version } = boundsOf(meant);
  const deleted = param(now > meant.version ? now : meant.version, 'UInt64');
  const key = sql`workspace, ${windowKey}`;
  // Each window with such times, whatever parts it is in.
  const windows = sql`SELECT ${key}, min(first) AS begins, max(last) AS ends, max(retention) AS kept,
    groupArrayArray(pieces) AS written, arrayFilter(piece -> piece.count = 0, written) AS deletes
  FROM windows WHERE ${every([...meant.series, sql`first <= ${to} AND last >= ${from}`])} GROUP BY ${key}`;
  return sql`INSERT INTO windows (${key}, first, last, deleted, retention, pieces)
SELECT ${key}, any(begins), any(ends), ${deleted}, any(kept),
  groupUniqArray((tags, greatest(begins, ${from}), least(ends, ${to}), ${version}, 0))
FROM (
  SELECT ${key}, begins, ends, kept, piece.tags AS tags
  FROM (${windows}) ARRAY JOIN written AS piece
  WHERE piece.count > 0 AND piece.version <= ${version} AND piece.first <= ${to} AND piece.last >= ${from}
    AND NOT arrayExists(taken -> taken.tags = piece.tags AND taken.version >= piece.version
      AND taken.first <= greatest(piece.first, ${from}) AND taken.last >= least(piece.last, ${to}), deletes)
)
WHERE ${every(meant.tags)}
GROUP BY ${key}`;
}

/** `topic`, `stream`, `timestamp`, `tags` of such values that are there, one or more times. */
export function meantValues(meant: MeantValues): Sql {
  const { from, to, version } = boundsOf(meant);
  const values = windowValues({ where: meant.series, from, to }, sql`times`, []);
  return sql`SELECT topic, stream, time AS timestamp, tags FROM (${values})
WHERE version <= ${version} AND ${every(meant.tags)}`;
}

function boundsOf({ from, to, version }: MeantValues) {
  const time = (ns: bigint) => sql`${param(ns, 'Int64')}`;
  return { from: time(from), to: time(to), version: param(version, 'UInt64') };
}
