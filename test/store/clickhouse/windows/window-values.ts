import { isPresent, Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import { ask } from '../open-store.ts';

/**
 * What the table `windows` says, by plain SQL and value by value: of each identity the value with the newest version,
 * unless a piece without values takes it away. Stream, parameter, kind, time, tags, and the number, or the text in hex.
 */
export async function valuesOfWindows(url: string): Promise<unknown[][]> {
  return await ask(
    url,
    `WITH
  values AS (
    SELECT stream, parameter, kind, arrayJoin(arrayZip(
      times,
      arrayMap((n, t) -> if(kind = 'numeric', toString(n), hex(t)),
        arrayResize(if(level < 32, numbers, arrayMap(n -> n / exp10(intDiv(level, 32) - 1), scaled)), length(times)), arrayResize(texts, length(times))),
      arrayFlatten(arrayMap(p -> arrayWithConstant(p.count, p.tags), pieces)),
      arrayFlatten(arrayMap(p -> arrayWithConstant(p.count, p.version), pieces)))) AS value
    FROM windows),
  newest AS (
    SELECT stream, parameter, kind, value.1 AS time, value.3 AS tags,
      argMax(value.2, value.4) AS text, max(value.4) AS version
    FROM values GROUP BY stream, parameter, kind, time, tags),
  deletes AS (
    SELECT stream, parameter, kind, groupArray(piece) AS taken
    FROM (SELECT stream, parameter, kind, arrayJoin(pieces) AS piece FROM windows)
    WHERE piece.count = 0 GROUP BY stream, parameter, kind)
SELECT stream, parameter, kind, toString(time), tags, text FROM newest LEFT JOIN deletes USING (stream, parameter, kind)
WHERE NOT arrayExists(p -> p.tags = tags AND time BETWEEN p.first AND p.last AND version <= p.version, taken)
ORDER BY stream, parameter, kind, time, tags`,
  );
}

/** The same of numeric rows as they are written, one after the other: of those with one identity the later one counts. */
export function valuesOfRows(stream: string, rows: Rows): unknown[][] {
  const found: unknown[][] = [];
  for (let row = 0; row < rows.count; row++) {
    const time = String(rows.base + BigInt(rows.offsets[row]!));
    const tags = rows.tagSets[rows.tagIndex?.[row] ?? 0]!.key;
    for (const column of rows.columns)
      if (column.kind === Kind.Numeric && isPresent(column.present, row))
        found.push([stream, column.name, 'numeric', time, tags, String(column.values[row])]);
  }
  return found;
}
