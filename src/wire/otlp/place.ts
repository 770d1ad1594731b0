import type { TagPair } from '../../domain/tags.ts';
import { excerpt, nameFlaw } from '../base/name.ts';
import type { PayloadLimits } from '../rows/payload-limits.ts';
import type { Refused } from '../series/refused.ts';
import { streamOfValues } from '../series/stream-labels.ts';

/** How attributes of a resource say where its metrics go: the first that the resource has, or those with `+` between them. */
export interface PlaceRules {
  readonly topic: readonly string[];
  readonly stream: readonly string[];
  readonly limits: PayloadLimits;
}

/** Where metrics of a resource go. */
export interface Place {
  readonly topic: string;
  readonly streamId: string;
  /** What else is said of the resource. */
  readonly metadata: Readonly<Record<string, string>>;
  /** By parameter the metric that it is of, or a part of, and its scope. */
  readonly owners: Map<string, { readonly metric: string; readonly scope: string }>;
  /** Something was written there. */
  isUsed: boolean;
}

/** Where metrics go whose resource does not say. */
const defaultName = 'otlp';

/** Where the metrics of a resource with these attributes go, or what is wrong with it. */
export function placeOf(
  attributes: readonly TagPair[],
  { topic: topicRule, stream: streamRule, limits }: PlaceRules,
  refused: Refused,
): Place | string {
  const given = new Map<string, string>();
  for (const [name, value] of attributes) {
    if (given.has(name)) return `the resource has the attribute ${excerpt(name)} twice`;
    given.set(name, value);
  }
  const topic = firstOf(given, topicRule);
  const stream = firstOf(given, streamRule);
  const names = { topic: topic?.value ?? defaultName, stream: stream?.value ?? defaultName };
  for (const [what, name] of Object.entries(names)) {
    const flaw = nameFlaw(name, limits.maxNameBytes);
    if (flaw !== undefined) return `the ${what} that the resource names ${flaw}`;
  }
  const metadata: Record<string, string> = {};
  for (const [name, value] of given) {
    if (topic?.of.includes(name) || stream?.of.includes(name)) continue;
    const flaw = name === '__proto__' ? 'is a name that is not taken' : flawOf(name, value, limits);
    if (flaw === undefined) metadata[name] = value;
    else refused.leaveOut('bad_attribute', 1, `an attribute of a resource ${flaw}`);
  }
  return { topic: names.topic, streamId: names.stream, metadata, owners: new Map(), isUsed: false };
}

function flawOf(name: string, value: string, { maxNameBytes, maxStringBytes }: PayloadLimits) {
  const isShort = value.length <= maxStringBytes && Buffer.byteLength(value) <= maxStringBytes;
  return nameFlaw(name, maxNameBytes) ?? (isShort ? undefined : `has more than ${maxStringBytes} bytes`);
}

function firstOf(given: ReadonlyMap<string, string>, rule: readonly string[]) {
  for (const alternative of rule) {
    const of = alternative.split('+');
    const values = of.map((name) => given.get(name) ?? '');
    if (!values.includes('')) return { value: streamOfValues(values, of.length), of };
  }
  return undefined;
}
