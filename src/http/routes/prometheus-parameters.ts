import { durationOf } from '../../promql/literals.ts';
import { badData } from '../../promql/query-error.ts';
import { isDay } from '../../wire/requests/iso-time.ts';
import type { Call } from '../route.ts';

/** Parameters of the address and of a form in the body, each with its values in order. */
export type Parameters = Readonly<Record<string, readonly string[]>>;

export function parametersOf({ query, body }: Pick<Call, 'query' | 'body'>): Parameters {
  const found: Record<string, string[]> = Object.create(null);
  const add = (name: string, value: unknown): void => {
    if (typeof value !== 'string') return;
    found[name] ??= [];
    found[name].push(value);
  };
  for (const [name, value] of new URLSearchParams(Buffer.from(body).toString())) add(name, value);
  for (const [name, given] of Object.entries(query)) {
    for (const value of Array.isArray(given) ? given : [given]) add(name, value);
  }
  return found;
}

/** The first value of a parameter; '' where there is none. */
export function one(parameters: Parameters, name: string): string {
  return parameters[name]?.[0] ?? '';
}

function invalid(name: string, message: string): Error {
  return badData(`invalid parameter ${JSON.stringify(name)}: ${message}`);
}

/** A time in ms: seconds since the Unix epoch, or a date of RFC 3339. */
export function timeOf(parameters: Parameters, name: string, otherwise?: number): number {
  const text = one(parameters, name);
  if (text === '' && otherwise !== undefined) return otherwise;
  const ms = decimal.test(text)
    ? Math.round(Number(text) * 1000)
    : date.test(text) && isDay(text.slice(0, 10))
      ? Date.parse(text)
      : Number.NaN;
  // Of 64-bit milliseconds, as far as they are exact.
  if (Math.abs(ms) <= Number.MAX_SAFE_INTEGER) return ms;
  throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`);
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** A length of time in ms: seconds, of which whole nanoseconds count as in Prometheus, or `5m`. */
export function durationParameter(parameters: Parameters, name: string, otherwise?: number): number {
  const text = one(parameters, name);
  if (text === '' && otherwise !== undefined) return otherwise;
  const ms = decimal.test(text) ? Math.trunc(Number(text) * 1e9) / 1e6 : durationOf(text);
  if (ms !== undefined && Math.abs(ms) < Number.MAX_SAFE_INTEGER) return ms;
  throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid duration`);
}

/** How many entries an answer may have; undefined: all. */
export function limitOf(parameters: Parameters): number | undefined {
  const text = one(parameters, 'limit');
  if (text === '') return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw invalid('limit', `cannot parse ${JSON.stringify(text)} to a number of entries`);
  return Number(text) === 0 ? undefined : Number(text);
}

/** The most points of a series, as in Prometheus. */
const maxPoints = 11_000;

/** The times of a range query. */
export function gridOf(parameters: Parameters) {
  const start = timeOf(parameters, 'start');
  const end = timeOf(parameters, 'end');
  if (end < start) throw invalid('end', 'end timestamp must not be before start time');
  const step = Math.floor(durationParameter(parameters, 'step'));
  if (step <= 0) {
    throw invalid(
      'step',
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    );
  }
  const points = Math.floor((end - start) / step);
  if (points > maxPoints) {
    const most = 'exceeded maximum resolution of 11,000 points per timeseries';
    throw badData(`${most}. Try decreasing the query resolution (?step=XX)`);
  }
  return { start, end, step, count: points + 1 };
}
