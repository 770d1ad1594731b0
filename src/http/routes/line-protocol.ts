import type { IncomingHttpHeaders } from 'node:http';
import { PitwallError } from '../../errors.ts';
import type { LinesWritten, Writer } from '../../ingest/writer.ts';
import type { Store } from '../../store/store.ts';
import { settingsLimits } from '../../wire/json-memory.ts';
import { type Answer, type Dialect, json, type Route, written } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { shownProblems } from './health.ts';

/**
 * The line protocol's addresses, for clients of InfluxDB: they follow that database's rules for tokens, answers and errors
 * (its API documentation of versions 1 and 2), none of our own.
 *
 *   version 2   POST /api/v2/write?bucket=…&precision=ns|us|ms|s      org is not looked at
 *   version 1   POST /write?db=…&rp=…&precision=ns|n|us|u|ms|s|m|h
 *
 * The topic is the bucket, or the database (`db/rp` with a retention policy).
 */
export function lineProtocol(
  writer: Writer,
  store: Pick<Store, 'health'>,
  streamTags: readonly string[],
): Route[] {
  const write = (version: 1 | 2, path: string): Route => ({
    method: 'POST',
    path,
    interface: 'writer',
    scope: 'write',
    summary: `Write in the line protocol, version ${version}`,
    body: { schema: eventValue, optional: true, anyType: true },
    dialect: dialects[version],
    async handle({ principal, query, body, signal }) {
      const topic = version === 2 ? needed(query, 'bucket') : databaseOf(query);
      const unit = unitOf(query, version);
      let warning: string | undefined;
      const warn = (text: string): void => {
        warning = text;
      };
      const lines = await writer.lines(principal.workspace, topic, body, unit, streamTags, signal, warn);
      const answer = lines.firstBad === undefined ? { status: 204 } : partialWrite[version](lines);
      return { ...answer, headers: { ...answer.headers, ...written(lines.expired, warning).headers } };
    },
  });
  return [write(2, '/api/v2/write'), write(1, '/write'), query(), ping(), health(store)];
}

/** Version 1 clients make their database first; a topic needs no making. */
function query(): Route {
  return {
    method: 'POST',
    path: '/query',
    interface: 'writer',
    scope: 'write',
    summary: 'CREATE DATABASE, for clients of the line protocol, version 1',
    body: { schema: eventValue, optional: true, anyType: true, limits: settingsLimits },
    dialect: dialects[1],
    handle({ query, body }) {
      const form = new URLSearchParams(Buffer.from(body).toString());
      const statement = textOf(query['q']) ?? form.get('q') ?? '';
      if (/^\s*create\s+database\s/i.test(statement)) return json({ results: [{ statement_id: 0 }] });
      throw new PitwallError('not_supported', {
        detail: 'only CREATE DATABASE is answered here; rows are read with POST /parameters/data',
      });
    },
  };
}

function ping(): Route {
  return {
    method: 'GET',
    path: '/ping',
    interface: 'writer',
    scope: undefined,
    summary: 'Is the service there? For clients of the line protocol',
    dialect: dialects[1],
    handle: () => ({
      status: 204,
      headers: { 'X-Influxdb-Version': 'pitwall', 'X-Influxdb-Build': 'pitwall' },
    }),
  };
}

function health(store: Pick<Store, 'health'>): Route {
  return {
    method: 'GET',
    path: '/health',
    interface: 'writer',
    scope: undefined,
    summary: 'Is the service well? For clients of the line protocol',
    dialect: dialects[2],
    async handle(call) {
      const { writable, problems } = store.health();
      const answer = { name: 'pitwall', checks: [] };
      if (writable) return json({ ...answer, message: 'ready for writes', status: 'pass' });
      const shown = await shownProblems(problems, call);
      return { ...json({ ...answer, message: shown.join('; '), status: 'fail' }), status: 503 };
    },
  };
}

/** Nanoseconds of a unit, by its name in each version; v1 knows all. */
const units: Readonly<Record<string, bigint>> = {
  n: 1n,
  ns: 1n,
  u: 1000n,
  us: 1000n,
  µ: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const unitNames = { 1: Object.keys(units), 2: ['ns', 'us', 'ms', 's'] } as const;

function unitOf(query: Query, version: 1 | 2): bigint {
  const name = textOf(query['precision']) || 'ns';
  const names: readonly string[] = unitNames[version];
  if (names.includes(name)) return units[name]!;
  throw new PitwallError('invalid_value', {
    detail: `the precision must be one of ${names.join(', ')}, not ${name}`,
  });
}

type Query = Readonly<Record<string, unknown>>;

function databaseOf(query: Query): string {
  const policy = textOf(query['rp']);
  const database = needed(query, 'db');
  return policy === undefined || policy === '' ? database : `${database}/${policy}`;
}

function needed(query: Query, name: string): string {
  const value = textOf(query[name]);
  if (value !== undefined && value !== '') return value;
  throw new PitwallError('missing_property', { detail: `the address must name the topic: ?${name}=…` });
}

/** A parameter that stands twice in the address comes as an array, and is none. */
function textOf(given: unknown): string | undefined {
  return typeof given === 'string' ? given : undefined;
}

/** `Token …` and Basic (the token is the password) beside Bearer, and `?u=…&p=…` (the token is p). */
function authorization(headers: IncomingHttpHeaders, query: Query): string | undefined {
  const header = headers.authorization;
  const password = textOf(query['p']);
  if (header === undefined) return password === undefined ? undefined : `Bearer ${password}`;
  const [, scheme, credentials] = /^(token|basic) +(\S+) *$/i.exec(header) ?? [];
  if (scheme === undefined || credentials === undefined) return header;
  if (scheme.toLowerCase() === 'token') return `Bearer ${tokenOf(credentials)}`;
  return `Bearer ${tokenOf(Buffer.from(credentials, 'base64').toString())}`;
}

/** Version 1 clients send `user:password`, under Token too. */
function tokenOf(credentials: string): string {
  return credentials.slice(credentials.indexOf(':') + 1);
}

const dialects: Readonly<Record<1 | 2, Dialect>> = {
  1: {
    authorization,
    refuse: (error) => ({
      ...json({ error: error.message }),
      status: error.status,
      headers: { 'X-Influxdb-Error': headerText(error.message), ...errorHeaders(error) },
    }),
  },
  2: {
    authorization,
    refuse: (error) => ({
      ...json({ code: codes[error.status] ?? 'invalid', message: error.message }),
      status: error.status,
      headers: errorHeaders(error),
    }),
  },
};

const codes: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  413: 'request too large',
  500: 'internal error',
  503: 'unavailable',
};

function errorHeaders({ status, retryAfter }: PitwallError): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  };
}

/** What a header may hold (RFC 9110, section 5.5). */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

/** Good lines are written, the first bad one is named. */
const partialWrite: Readonly<Record<1 | 2, (lines: LinesWritten) => Answer>> = {
  1: (lines) => {
    const message = `${faultText(lines)} dropped=${lines.bad}`;
    const error = lines.good > 0 ? `partial write: ${message}` : message;
    return { ...json({ error }), status: 400, headers: { 'X-Influxdb-Error': headerText(error) } };
  },
  2: (lines) => ({
    ...json({
      code: 'invalid',
      message: `${lines.good > 0 ? 'partial write: ' : ''}${faultText(lines)} (${lines.bad} of ${lines.good + lines.bad} lines were not written)`,
      line: lines.firstBad!.number,
    }),
    status: 400,
  }),
};

function faultText({ firstBad }: LinesWritten): string {
  const { number, text, reason } = firstBad!;
  return `unable to parse line ${number} '${text}': ${reason}`;
}
