import { every, param, type Sql, sql } from '../server/sql.ts';

/** Values of the table `windows` that a delete means. */
export interface MeantValues {
  /** Conditions on `workspace`, `topic`, `stream`, `parameter` and `kind`. */
  readonly series: readonly Sql[];
  /** Both in ns, both included. */
  readonly from: bigint;
  readonly to: bigint;
  /** Newer values stay. */
  readonly version: bigint;
  /** Conditions on `tags`. */
  readonly tags: readonly Sql[];
}

/**
 * Inserts a piece without values into each window that has such values, for each of their tag sets: they count no more,
 * before and after merges. Windows of which an earlier delete has taken all of them get none, so a delete that is
 * repeated writes nothing.
 *
 * @param now a version of the present: tidying leaves what was deleted lately, also by a delete that is older and comes late
 */
export function hideValues(meant: MeantValues, now: bigint): Sql {
  const { from, to, version } = boundsOf(meant);
  const deleted = param(now > meant.version ? now : meant.version, 'UInt64');
  return sql`INSERT INTO windows (workspace, topic, stream, parameter, kind, level, window, first, last, deleted, retention, pieces)
SELECT workspace, topic, stream, parameter, kind, level, window, any(begins), any(ends), ${deleted}, any(kept),
  groupUniqArray((tags, greatest(begins, ${from}), least(ends, ${to}), ${version}, 0))
FROM (
  SELECT workspace, topic, stream, parameter, kind, level, window, begins, ends, kept, piece.tags AS tags
  FROM (${windowsOf(meant)}) ARRAY JOIN written AS piece
  WHERE piece.count > 0 AND piece.version <= ${version} AND piece.first <= ${to} AND piece.last >= ${from}
    AND NOT arrayExists(taken -> taken.tags = piece.tags AND taken.version >= piece.version
      AND taken.first <= greatest(piece.first, ${from}) AND taken.last >= least(piece.last, ${to}), deletes)
)
WHERE ${every(meant.tags)}
GROUP BY workspace, topic, stream, parameter, kind, level, window`;
}

/** `topic`, `stream`, `timestamp`, `tags` of such values that are there, one or more times. */
export function meantValues(meant: MeantValues): Sql {
  const { from, to, version } = boundsOf(meant);
  return sql`SELECT topic, stream, timestamp, tags
FROM (
  SELECT topic, stream, timestamp, tags, its_version, deletes
  FROM (${windowsOf(meant)}) ARRAY JOIN
    times_written AS timestamp,
    arrayFlatten(arrayMap(piece -> arrayWithConstant(piece.count, piece.tags), written)) AS tags,
    arrayFlatten(arrayMap(piece -> arrayWithConstant(piece.count, piece.version), written)) AS its_version
)
WHERE timestamp BETWEEN ${from} AND ${to} AND its_version <= ${version} AND ${every(meant.tags)}
  AND NOT arrayExists(taken -> taken.tags = tags AND its_version <= taken.version
    AND timestamp BETWEEN taken.first AND taken.last, deletes)`;
}

/** Each window with such times, whatever parts it is in. */
function windowsOf(meant: MeantValues): Sql {
  const { from, to } = boundsOf(meant);
  return sql`SELECT workspace, topic, stream, parameter, kind, level, window,
  min(first) AS begins, max(last) AS ends, max(retention) AS kept,
  groupArrayArray(pieces) AS written, groupArrayArray(times) AS times_written,
  arrayFilter(piece -> piece.count = 0, written) AS deletes
FROM windows WHERE ${every([...meant.series, sql`first <= ${to} AND last >= ${from}`])}
GROUP BY workspace, topic, stream, parameter, kind, level, window`;
}

function boundsOf({ from, to, version }: MeantValues) {
  return { from: param(from, 'Int64'), to: param(to, 'Int64'), version: param(version, 'UInt64') };
}
