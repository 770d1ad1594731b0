import { isDeepStrictEqual } from 'node:util';
import { PitwallError } from '../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../src/wire/json/json-value.ts';
import { decodeJson } from '../../src/wire/json/value.ts';
import { ParameterDataDecoder } from '../../src/wire/rows/parameter-data.ts';
import { defaultPayloadLimits } from '../payload-limits.ts';
import { expectedRows, type PlainPayload, type PlainRow, plainRows } from '../wire/payloads.ts';
import { jsonCorpus, jsonWords } from './corpus.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const decoder = new ParameterDataDecoder(defaultPayloadLimits);

/**
 * What the decoder of parameter data takes is JSON, and its rows are those that a plain reading of that JSON gives.
 * What it refuses, it refuses as the client's fault.
 */
export const payloadTarget: Target = {
  name: 'payload',
  short: 3000,
  make(random) {
    const corpus = jsonCorpus();
    const body = random.once(3) ? random.pick(corpus) : Buffer.from(payloadText(random));
    return random.once(3) ? Buffer.from(body) : mutate(body, random, jsonWords, corpus);
  },
  check(input) {
    let rows: ReturnType<typeof plainRows>;
    try {
      rows = inTime(plainRows(decoder.decode(input)));
    } catch (error) {
      if (error instanceof PitwallError && error.status === 400) return;
      throw error;
    }
    const payload = plainPayload(decodeJson(input) as JsonObject);
    if (payload === undefined) return;
    const expected = inTime(expectedRows(payload));
    if (!isDeepStrictEqual(rows, expected)) throw new Error(`reads ${JSON.stringify(rows, bigintText)}`);
  },
};

/** Rows that are far apart come in parts, so in another order; those of one time stay in theirs. */
function inTime(rows: PlainRow[]): PlainRow[] {
  return rows.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** The payload as it is spelt; undefined where a time is in a form that only our own reader knows. */
function plainPayload(body: JsonObject): PlainPayload | undefined {
  const property = (name: string): JsonValue =>
    body.get(name) ?? body.get(name[0]!.toUpperCase() + name.slice(1)) ?? null;
  const timestamps = (property('timestamps') as readonly JsonValue[]).map(timeOf);
  const epoch = property('epoch') === null ? 0n : timeOf(property('epoch'));
  if (epoch === undefined || timestamps.includes(undefined)) return undefined;
  const group = <Value>(name: string, read: (value: JsonValue) => Value): Map<string, (Value | null)[]> => {
    const members = [...((property(name) ?? new Map()) as JsonObject)].filter(([, list]) => list !== null);
    return new Map(
      members.map(([key, list]) => [
        key,
        (list as readonly JsonValue[]).map((value) => (value === null ? null : read(value))),
      ]),
    );
  };
  return {
    timestamps: timestamps as bigint[],
    epoch,
    numericValues: group('numericValues', (value) =>
      typeof value === 'string' ? Number(value) : numberOf(value),
    ),
    stringValues: group('stringValues', String),
    binaryValues: group('binaryValues', (value) => Buffer.from(String(value), 'base64').toString('base64')),
    tagValues: group('tagValues', String),
  };
}

function numberOf(value: JsonValue): number {
  return (value as { readonly value: number }).value;
}

function timeOf(value: JsonValue): bigint | undefined {
  const text = typeof value === 'string' ? value : (value as { readonly text: string }).text;
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

function payloadText(random: Random): string {
  const rows = random.below(5);
  const list = (make: () => string): string =>
    `[${Array.from({ length: random.once(30) ? random.below(6) : rows }, make).join(random.pick([',', ', ']))}]`;
  const group = (values: readonly string[]): string => {
    const names = ['Speed', 'b', '__proto__', 'é'].slice(random.below(4));
    return `{${names.map((name) => `"${name}":${random.once(12) ? 'null' : list(() => random.pick(values))}`).join(',')}}`;
  };
  const start = BigInt(random.pick(starts));
  const members = [
    `"timestamps":${list(() => String(start + BigInt(random.below(50))))}`,
    `"numericValues":${group(numbers)}`,
    `"stringValues":${group(texts)}`,
    `"binaryValues":${group(['null', '""', '"SGk="', '"SGk"', '"\\/w=="'])}`,
    `"tagValues":${group(['null', '"1"', '"1"', '"2"', '"\\u0041"'])}`,
    `"epoch":${random.pick(['0', '1', '-5', '"7"', 'null', '1e3'])}`,
  ];
  const kept = members.filter((_, i) => i === 0 || random.once(2));
  // In any order: what stands before the timestamps is read before it is known how many there are.
  const from = random.below(kept.length);
  return `{${[...kept.slice(from), ...kept.slice(0, from)].join(',')}}`;
}

const starts = [
  '0',
  '-20',
  '1591733989000000000',
  '9223372036854775800',
  '-9223372036854775808',
  '9007199254740990',
];
const numbers = [
  '0',
  '-0',
  '1.5',
  '-2.25e2',
  'null',
  '"NaN"',
  '"-Infinity"',
  '123456789.123456789',
  '5e-324',
  '9007199254740993',
];
const texts = ['null', '""', '"on"', '"\\ud83d\\ude00"', '"a\\nb"', '"東"', '"\\u0000"'];
