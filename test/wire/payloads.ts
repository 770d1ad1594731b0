import fc from 'fast-check';
import { type Column, isPresent, Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { binaryText } from '../binary-text.ts';

/** One row as a person would write it down: absolute time, canonical tags, and its values by `kind:name`. */
export interface PlainRow {
  readonly time: bigint;
  readonly tags: string;
  readonly values: Readonly<Record<string, number | string>>;
}

/** A payload as data, before it is spelt as JSON. null is "no value". */
export interface PlainPayload {
  readonly timestamps: readonly bigint[];
  readonly epoch: bigint | undefined;
  readonly numericValues: ReadonlyMap<string, readonly (number | null)[]>;
  readonly stringValues: ReadonlyMap<string, readonly (string | null)[]>;
  /** Base64, padded. */
  readonly binaryValues: ReadonlyMap<string, readonly (string | null)[]>;
  readonly tagValues: ReadonlyMap<string, readonly (string | null)[]>;
}

/** The rows of decoded parts, part by part; binary values as base64. */
export function plainRows(parts: readonly Rows[]): PlainRow[] {
  return parts.flatMap(({ count, base, offsets, tagSets, tagIndex, columns }) =>
    Array.from({ length: count }, (_, row) => ({
      time: base + BigInt(offsets[row]!),
      tags: tagSets[tagIndex?.[row] ?? 0]!.key,
      values: Object.fromEntries(
        columns
          .filter(({ present }) => isPresent(present, row))
          .map((column) => [`${column.kind}:${column.name}`, cell(column, row)] as const)
          .sort(byName),
      ),
    })),
  );
}

function cell(column: Column, row: number): number | string {
  if (column.kind === Kind.Numeric) return column.values[row]!;
  const bytes = column.bytes.subarray(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!);
  return Buffer.from(bytes).toString(column.kind === Kind.String ? 'utf8' : 'base64');
}

/** The rows that a payload stands for: those without any value are none. */
export function expectedRows(payload: PlainPayload): PlainRow[] {
  const groups = [payload.numericValues, payload.stringValues, payload.binaryValues];
  const rows = payload.timestamps.map((time, row): PlainRow => {
    const tags = [...payload.tagValues].flatMap(([name, list]) =>
      list[row] === null ? [] : [[name, list[row]!] as const],
    );
    const values = groups.flatMap((group, kind) =>
      [...group].flatMap(([name, list]) =>
        list[row] === null ? [] : [[`${kind}:${name}`, list[row]!] as const],
      ),
    );
    return {
      time: time + (payload.epoch ?? 0n),
      tags: JSON.stringify(tags.sort(byName)),
      values: Object.fromEntries(values.sort(byName)),
    };
  });
  return rows.filter(({ values }) => Object.keys(values).length > 0);
}

function byName(a: readonly [string, ...unknown[]], b: readonly [string, ...unknown[]]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

export const nameText = fc.oneof(
  fc.constantFrom('Speed', 'Gear', '__proto__', 'constructor', 'toString', 'length', 'a.b', 'é "q" \\ 😀'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((name) => !/[\p{Cc}\p{Cs}]/u.test(name)),
);
const anyText = fc.oneof(
  fc.constantFrom('', 'on', 'off', '\u0000\n"\\/\u2028'),
  binaryText({ maxLength: 60 }),
);
const anyDouble = fc.oneof(
  fc.double(),
  fc.integer({ min: -1000, max: 100_000_000 }).map((value) => value / 1000),
  fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324),
);
const anyBase64 = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('base64'));

/** Payloads of up to `maxRows` rows with timestamps from `time`; epochs that keep every sum in int64. */
export function payloads(time: fc.Arbitrary<bigint>, maxRows: number): fc.Arbitrary<PlainPayload> {
  return fc.array(time, { maxLength: maxRows }).chain((timestamps) => {
    const group = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Map<string, (Value | null)[]>> => {
      const list = fc.array(fc.option(value, { freq: 4 }), {
        minLength: timestamps.length,
        maxLength: timestamps.length,
      });
      const members = fc.tuple(nameText, list);
      return fc
        .uniqueArray(members, { maxLength: 3, selector: ([name]) => name })
        .map((entries) => new Map(entries));
    };
    return fc.record({
      timestamps: fc.constant(timestamps),
      epoch: fc.option(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), { nil: undefined }),
      numericValues: group(anyDouble),
      stringValues: group(anyText),
      binaryValues: group(anyBase64),
      tagValues: group(fc.oneof(fc.constantFrom('1', '2'), anyText)),
    });
  });
}

/** Times as payloads have them: close to each other, or spread over all that `epoch` leaves room for. */
export const closeTimes = fc.bigInt({ min: 1_591_733_989_000_000_000n, max: 1_591_733_999_000_000_000n });
export const farTimes = fc.oneof(
  closeTimes,
  fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n - 1n }),
  fc.bigInt({ min: -1000n, max: 1000n }),
);

/** How a payload is spelt: the order of its properties, and the spelling of each. */
export interface Spelling {
  readonly order: readonly number[];
  readonly pascal: boolean;
  readonly space: string;
  readonly timestamp: (value: bigint) => string;
}

export const spellings: fc.Arbitrary<Spelling> = fc.record({
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
  pascal: fc.boolean(),
  space: fc.constantFrom('', ' ', '\n  '),
  timestamp: fc.constantFrom(
    (value: bigint) => String(value),
    (value: bigint) => `"${value}"`,
    (value: bigint) => `${value}.000`,
    (value: bigint) => (value === 0n ? '0e-1' : `${value}0e-1`),
  ),
});

export function spell(payload: PlainPayload, { order, pascal, space, timestamp }: Spelling): string {
  const map = (group: ReadonlyMap<string, readonly unknown[]>, value: (value: unknown) => string) =>
    `{${[...group].map(([name, list]) => `${JSON.stringify(name)}:${space}[${list.map(value).join(`,${space}`)}]`)}}`;
  const properties: (readonly [string, string] | undefined)[] = [
    ['timestamps', `[${payload.timestamps.map(timestamp).join(`,${space}`)}${space}]`],
    payload.epoch === undefined ? undefined : ['epoch', timestamp(payload.epoch)],
    ['numericValues', map(payload.numericValues, (value) => spellNumber(value as number | null))],
    ['stringValues', map(payload.stringValues, (value) => JSON.stringify(value))],
    ['binaryValues', map(payload.binaryValues, (value) => JSON.stringify(value))],
    ['tagValues', map(payload.tagValues, (value) => JSON.stringify(value))],
  ];
  const members = order.flatMap((i) => {
    const property = properties[i];
    if (property === undefined) return [];
    const [name, text] = property;
    return [`"${pascal ? name[0]!.toUpperCase() + name.slice(1) : name}"${space}:${space}${text}`];
  });
  return `${space}{${space}${members.join(`${space},`)}}${space}`;
}

export function spellNumber(value: number | null): string {
  if (value === null) return 'null';
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? String(value) : `"${value}"`;
}
