import type { IncomingHttpHeaders } from 'node:http';
import type { TSchema } from 'typebox';
import type { Principal, Scope } from '../domain/principal.ts';
import { encodeWarning, warningHeader } from '../domain/warning.ts';
import type { PitwallError } from '../errors.ts';
import type { Reservation } from '../ingest/byte-budget.ts';
import type { Written } from '../ingest/write-call.ts';
import type { JsonLimits } from '../wire/json/json-memory.ts';

/** Which interface a route belongs to: one may have an address of its own. Everyone serves `service`. */
export type Interface = 'query' | 'writer' | 'admin' | 'explorer' | 'service';

/**
 * One call of the HTTP interface, as data: where it is, who may use it, what goes in and out, and what it does.
 * A route knows neither the framework nor the socket, so anything that has a `Call` can run it.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for a part that the caller chooses, `*` at the end for any more. */
  readonly path: string;
  readonly interface: Interface;
  /** What the token must allow, `any` takes every valid one; undefined means no token is needed. */
  readonly scope: Scope | 'any' | undefined;
  /** The token of a share may call it as well: the route narrows what it tells (auth/shared-reads.ts). */
  readonly openToShares?: true;
  /** No token is needed, and one of an admin of the default workspace is shown more. */
  readonly tellsOperatorMore?: boolean;
  readonly summary: string;
  /** Undefined where a body has no meaning; then none is read. */
  readonly body?: {
    readonly schema: TSchema;
    readonly optional: boolean;
    /** The body is taken as it is, whatever its media type; else it must be JSON. */
    readonly anyType?: boolean;
    /** It is a block of Snappy, and handed on decompressed. */
    readonly isSnappy?: boolean;
    /** Where it may not have as many bytes as a body of any kind. */
    readonly limits?: JsonLimits;
  };
  readonly query?: Readonly<Record<string, TSchema>>;
  /** Undefined means an empty body. */
  readonly response?: TSchema;
  /** Media types of the answer where it is not JSON, or not only. */
  readonly answerTypes?: readonly string[];
  /** Headers that the answer may have, each with what it says. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** Headers that a request may have, each with what it says. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** What its address names may not be there: then it is 404. */
  readonly mayBeMissing?: true;
  /** `handle` reads a large body in slices itself; else that is done before. */
  readonly readsAhead?: boolean;
  /** For people's eyes only: not in the OpenAPI document. */
  readonly unlisted?: boolean;
  /** The answer gains nothing from being compressed on its way, or is already. */
  readonly incompressible?: boolean;
  /**
   * Most requests are small and ask for nothing out of the ordinary: those are answered ahead of the framework
   * (lane/lane.ts).
   */
  readonly plain?: boolean;
  /** For clients of another service, who follow its rules; then it is not in the OpenAPI document. */
  readonly dialect?: Dialect;
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

/** What is different for clients of another service. */
export interface Dialect {
  /** Where they show their token: the value of an Authorization header of ours. */
  readonly authorization: (
    headers: IncomingHttpHeaders,
    query: Readonly<Record<string, unknown>>,
  ) => string | undefined;
  /** An error in their form, to a request with these headers. */
  readonly refuse: (error: PitwallError, headers: IncomingHttpHeaders) => Answer;
}

/** A request, authenticated and whole. */
export interface Call {
  /** Who asks; on a route without a scope nobody does, and reading anything of it is a bug. */
  readonly principal: Principal;
  /** Whether an admin of the default workspace asks, on a route without a scope too. */
  isOperator(): Promise<boolean>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly accept: string | undefined;
  /** The header Content-Type. */
  readonly contentType: string | undefined;
  /** The header Accept-Encoding. */
  readonly acceptEncoding: string | undefined;
  /** The header If-Match. */
  readonly ifMatch: string | undefined;
  /** The header If-None-Match. */
  readonly ifNoneMatch: string | undefined;
  /** The decompressed bytes; empty where none came. */
  readonly body: Uint8Array;
  /** The request's share of the byte budget; given back when the answer has left. */
  readonly reservation: Reservation;
  /** Aborts when the client goes away before the answer has left. */
  signal(): AbortSignal;
}

/** Status 200 unless it says otherwise; `chunks` are sent as they are made, an empty one is a place to pause. */
export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a 401 in a dialect: the values of WWW-Authenticate, each on a line of its own. */
  readonly challenges?: readonly string[];
  /** The request header that the form of the answer depends on. */
  readonly vary?: string;
  readonly body?: string;
  readonly chunks?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Aborts where the answer is not to go on: its connection is cut, also while its client takes nothing. */
  readonly ended?: AbortSignal;
}

/** The answer of a write: 200 and nothing more. */
export const done: Answer = {};

/** What the header says, for the OpenAPI document. */
export const warnings = {
  [warningHeader]:
    'What was probably meant otherwise, as text. A backslash is two; what is not printable ASCII is `\\\\u` and four hex digits',
};

/** How many rows of a write were expired already, and not kept. */
export const expiredRowsHeader = 'Pitwall-Expired-Rows';

/** Answers a write of rows. */
export function written({ expired, warning }: Written): Answer {
  if (expired === 0 && warning === undefined) return done;
  return {
    headers: {
      ...(expired > 0 && { [expiredRowsHeader]: String(expired) }),
      ...(warning !== undefined && { [warningHeader]: encodeWarning(warning) }),
    },
  };
}

export function json(value: unknown): Answer {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

/** The answer of a write is empty or short, and gains nothing either. */
export function gainsFromCompression(route: Route): boolean {
  return route.interface !== 'writer' && route.incompressible !== true;
}

const nothing = Buffer.from('{}');

/** Returns the body, or `{}` for an absent one. */
export function orEmptyObject(body: Uint8Array): Uint8Array {
  return body.length === 0 ? nothing : body;
}

/** An interface's own address serves its routes and the service's (health, metrics). */
export function servedBy(name: 'query' | 'writer' | 'hub', routes: readonly Route[]): Route[] {
  return routes.filter((route) => route.interface === name || route.interface === 'service');
}
