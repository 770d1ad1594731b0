import { PitwallError } from '../../errors.ts';
import { type LineUnit, lineUnits } from '../../wire/lines/line-unit.ts';

/** Versions of InfluxDB's interface. */
export type Version = 1 | 2 | 3;

/** The parameters of an address of the line protocol. */
export type LineQuery = Readonly<Record<string, unknown>>;

/** Units of timestamps as each version calls them; the first is the one that counts without `precision`. */
const precisions: Readonly<Record<Version, Readonly<Record<string, LineUnit>>>> = {
  1: { ns: 'ns', n: 'ns', u: 'us', us: 'us', µ: 'us', ms: 'ms', s: 's', m: 'm', h: 'h' },
  2: { ns: 'ns', us: 'us', ms: 'ms', s: 's' },
  3: { auto: 'auto', nanosecond: 'ns', microsecond: 'us', millisecond: 'ms', second: 's' },
};

/** The unit of the timestamps, in nanoseconds; `auto` where each says it by its size. */
export function unitOf(query: LineQuery, version: Version): bigint | 'auto' {
  const known = precisions[version];
  const names = Object.keys(known);
  const name = onlyText(query, 'precision') || names[0]!;
  if (Object.hasOwn(known, name)) return lineUnits[known[name]!];
  throw new PitwallError('invalid_value', {
    detail: `the precision must be one of ${names.join(', ')}, not ${name}`,
  });
}

/** What version 1 calls the policy that each database has; it is the database itself here. */
export const defaultPolicy = 'autogen';

/**
 * The topic that an address names: the bucket, the database, or `database/policy`.
 *
 * @param otherwise where it names none
 */
export function topicOf(query: LineQuery, version: Version, otherwise: string | undefined): string {
  const name = version === 2 ? 'bucket' : 'db';
  const database = onlyText(query, name) || otherwise;
  if (database === undefined) {
    throw new PitwallError('missing_property', {
      detail: `the address must name the topic: ?${name}=…; or the service one for all that name none: --line-topic`,
    });
  }
  const policy = version === 1 ? onlyText(query, 'rp') : undefined;
  return !policy || policy === defaultPolicy ? database : `${database}/${policy}`;
}

/** Whether a parameter is set. */
export function flagOf(query: LineQuery, name: string, otherwise: boolean): boolean {
  const text = onlyText(query, name);
  if (text === undefined || text === '') return otherwise;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new PitwallError('invalid_value', { detail: `${name} must be true or false, not ${text}` });
}

/** A parameter of the address; of one that stands twice nobody can say which one is meant. */
function onlyText(query: LineQuery, name: string): string | undefined {
  const given = query[name];
  if (!Array.isArray(given)) return textOf(given);
  throw new PitwallError('invalid_value', { detail: `${name} stands twice in the address` });
}

/** A parameter that stands twice in the address comes as an array, and is none. */
export function textOf(given: unknown): string | undefined {
  return typeof given === 'string' ? given : undefined;
}
