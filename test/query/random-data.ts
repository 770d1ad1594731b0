import type { Random } from '../store/embedded/random.ts';
import type { ValueKind } from './reference.ts';
import type { Payload } from './reference-data.ts';

/** What the random data is made of; requests ask for the same names. */
export const topicSpellings = ['cars', 'Bikes', 'CARS', 'bikes'] as const;
export const streamIds = ['a', 'b', 'é', 'Z', '10', '9'] as const;

/** `x` is written as a number and as a string: two parameters of one name. */
export const parameters: readonly { readonly kind: ValueKind; readonly name: string }[] = [
  { kind: 'numeric', name: 'speed' },
  { kind: 'numeric', name: 'temp' },
  { kind: 'numeric', name: 'wild' },
  { kind: 'numeric', name: 'x' },
  { kind: 'string', name: 'x' },
  { kind: 'string', name: 'gear' },
  { kind: 'binary', name: 'frame' },
];

export const tagValues: Readonly<Record<string, readonly string[]>> = {
  lap: ['1', '2', '2.0', '20', '-3', ''],
  car: ['one', 'two', 'é', '24', '0x2'],
  driver: ['J', 'j'],
};

export const minTime = -(2n ** 63n);
export const maxTime = 2n ** 63n - 1n;
const second = 1_000_000_000n;

/** The store's windows are 2^50 ns: around the borders of some, at the ends of time, and in our days. */
export const anchors = [
  0n,
  -(2n ** 50n),
  3n * 2n ** 50n,
  minTime,
  maxTime,
  1_700_000_000n * second,
  1_700_000_000n * second + 1n,
  -86_400n * second,
];

export function clampTime(time: bigint): bigint {
  if (time < minTime) return minTime;
  return time > maxTime ? maxTime : time;
}

/** One write of one stream: a run of a regular clock, or rows thrown together. */
export function randomPayload(random: Random): Payload {
  return {
    topic: random.pick(topicSpellings),
    streamId: random.pick(streamIds),
    rows: random.chance(0.4) ? regularRows(random) : scatteredRows(random),
  };
}

type Rows = Payload['rows'];

/** Whole columns on a steady clock: what block statistics are made for. */
function regularRows(random: Random): Rows {
  const step = random.pick([1n, 1000n, 100_000_000n, second, 10n * second]);
  const start = random.pick(anchors) + step * BigInt(random.int(-300, 300));
  const tags = randomTags(random);
  const used = parameters.filter(({ kind }) => random.chance(kind === 'numeric' ? 0.7 : 0.2));
  const tagsChange = random.chance(0.3);
  return Array.from({ length: random.int(50, 400) }, (_, i) => ({
    timestamp: clampTime(start + BigInt(i) * step),
    tags: tagsChange && i % 100 === 99 ? randomTags(random) : tags,
    values: new Map((used.length === 0 ? parameters.slice(0, 1) : used).map((p) => cellOf(random, p))),
  }));
}

/** Close together, so that identities come again; sometimes over the border of a window or more. */
function scatteredRows(random: Random): Rows {
  const anchor = random.pick(anchors);
  const unit = random.pick([1n, 1n, second, 2n ** 45n]);
  const spread = random.pick([8, 8, 60]);
  const tagSets = Array.from({ length: 3 }, () => randomTags(random));
  const used = parameters.filter(() => random.chance(0.5));
  return Array.from({ length: random.int(1, 60) }, () => ({
    timestamp: clampTime(anchor + BigInt(random.int(-spread, spread)) * unit),
    tags: random.pick(tagSets),
    values: new Map(used.filter(() => random.chance(0.7)).map((parameter) => cellOf(random, parameter))),
  }));
}

function randomTags(random: Random): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(tagValues)
      .filter(() => random.chance(0.5))
      .map(([name, values]) => [name, random.pick(values)]),
  );
}

function cellOf(random: Random, { kind, name }: (typeof parameters)[number]): [string, number | string] {
  return [`${kind}:${name}`, kind === 'numeric' ? numberOf(random, name) : textOf(random, kind)];
}

function numberOf(random: Random, name: string): number {
  if (name === 'speed') return random.int(0, 100);
  if (name === 'temp') return random.int(-1_000_000, 1_000_000) / 1000;
  if (name === 'x') return random.pick([random.int(-3, 3), 0.1, random.next()]);
  return random.pick([
    random.next(),
    random.int(-5, 5),
    -0,
    (random.next() - 0.5) * 10 ** random.int(-100, 100),
    (random.next() - 0.5) * 1e16,
    random.chance(0.2) ? Number.NaN : 7,
    random.chance(0.05) ? random.pick([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) : 1e6 + 0.1,
  ]);
}

function textOf(random: Random, kind: ValueKind): string {
  if (kind === 'binary') return Buffer.from(random.bytes(random.int(0, 20))).toString('base64');
  return random.pick(['', 'N', 'é "\u0000\n', `gear ${random.int(0, 20)}`]);
}

/** The payload's body; `epoch` is taken off its timestamps where they stay what they are. */
export function payloadJson({ rows }: Payload, epoch: bigint): string {
  const times = rows.map(({ timestamp }) => timestamp);
  const shift = times.every((time) => clampTime(time - epoch) === time - epoch) ? epoch : 0n;
  const maps = (['numeric', 'string', 'binary'] as const).map((kind) => {
    const names = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))].filter((key) =>
      key.startsWith(`${kind}:`),
    );
    const columns = names.map(
      (key) => `${nameOf(key)}:[${rows.map(({ values }) => cellJson(values.get(key)))}]`,
    );
    return `"${kind}Values":{${columns}}`;
  });
  const tagNames = [...new Set(rows.flatMap(({ tags }) => [...tags.keys()]))];
  const tags = tagNames.map(
    (name) => `${JSON.stringify(name)}:${JSON.stringify(rows.map((row) => row.tags.get(name) ?? null))}`,
  );
  const shifted = times.map((time) => time - shift);
  return `{"epoch":${shift},"timestamps":[${shifted}],${maps},"tagValues":{${tags}}}`;
}

function nameOf(key: string): string {
  return JSON.stringify(key.slice(key.indexOf(':') + 1));
}

function cellJson(value: number | string | undefined): string {
  if (typeof value !== 'number' || Number.isFinite(value)) {
    return Object.is(value, -0) ? '-0' : JSON.stringify(value ?? null);
  }
  return `"${value}"`;
}
