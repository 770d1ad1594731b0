import assert from 'node:assert/strict';
import type { Answer } from './reference.ts';
import type { Cell } from './reference-aggregates.ts';

/**
 * Throws unless the JSON answer of the service is the rows [first, last) of the expected one: the same columns,
 * timestamps and tags, and values within the tolerance of each cell.
 */
export function compareAnswer(text: string, expected: Answer, first: number, last: number): void {
  const { columns, groupBy } = expected;
  const rows = expected.rows.slice(first, last);
  const { timestamps, maps } = parseAnswer(text);
  assert.deepEqual(
    timestamps,
    rows.map(({ timestamp }) => String(timestamp)),
    'timestamps',
  );
  for (const map of ['numericValues', 'stringValues', 'binaryValues'] as const) {
    const wanted = columns.filter((column) => column.map === map).map(({ name }) => name);
    assert.deepEqual(Object.keys(maps[map] ?? {}).sort(), wanted.sort(), map);
  }
  assert.deepEqual(Object.keys(maps['tagValues'] ?? {}).sort(), [...groupBy].sort(), 'tagValues');
  columns.forEach(({ map, name }, column) => {
    const found = maps[map]![name]!;
    assert.equal(found.length, rows.length, `length of ${map}.${name}`);
    found.forEach((value, row) => {
      compareCell(value, rows[row]!.cells[column]!, map === 'numericValues', `${map}.${name}[${row}]`);
    });
  });
  groupBy.forEach((name, tag) => {
    assert.deepEqual(
      maps['tagValues']![name],
      rows.map(({ tags }) => tags[tag] ?? null),
      `tagValues.${name}`,
    );
  });
}

type Maps = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;

/** Timestamps are taken as they are written: a JSON number would round them. */
function parseAnswer(text: string): { timestamps: string[]; maps: Maps } {
  const match = /^\{"timestamps":\[([^\]]*)\]/.exec(text);
  assert.ok(match !== null, `an answer begins with its timestamps: ${text.slice(0, 100)}`);
  const timestamps = match[1] === '' ? [] : match[1]!.split(',').map((time) => time.replaceAll('"', ''));
  const { timestamps: _, ...maps } = JSON.parse(text) as { timestamps: unknown } & Maps;
  return { timestamps, maps };
}

function compareCell(found: unknown, { value, slack }: Cell, isNumeric: boolean, place: string): void {
  if (!isNumeric || value === null || found === null) {
    assert.equal(found, value, place);
    return;
  }
  const number = typeof found === 'string' ? Number(found) : (found as number);
  if (typeof found === 'string') assert.match(found, /^(NaN|-?Infinity)$/, place);
  const isClose =
    Object.is(number, value) ||
    (slack !== undefined && (number === value || Math.abs(number - (value as number)) <= slack));
  assert.ok(isClose, `${place}: ${found} is not ${value}${slack ? ` within ${slack}` : ''}`);
}
