import { type Scope, scopes } from '../domain/principal.ts';
import { fault } from './fault.ts';
import {
  defined,
  type Fields,
  integerFrom,
  listOf,
  nameWithin,
  oneOf,
  type Read,
  readFields,
  text,
} from './fields.ts';
import { isoTime } from './iso-time.ts';
import { excerpt, maxNameBytes } from './name.ts';
import { propertyNames } from './property-names.ts';
import { decodeJson, emptyObject } from './value.ts';

/**
 * A new token:
 *
 *   workspace  string             optional, 1..512 bytes
 *   scopes     [string, ...]      read, write, admin in any case; at least one
 *   expires    string             optional, ISO 8601
 *   name       string             optional, 1..512 bytes
 *
 * A workspace has a `name` (1..512 bytes) and settings, each optional:
 *
 *   retention  string             age of data: digits and one of s m h d w y (a year has 365 days)
 *   maxStreams integer from 1
 *   maxBytes   integer from 1     bytes
 */
const tokenFields = propertyNames(['workspace', 'scopes', 'expires', 'name']);
const settings = ['retention', 'maxStreams', 'maxBytes'] as const;
const settingsFields = propertyNames(settings);
const workspaceFields = propertyNames(['name', ...settings]);

export interface TokenRequest {
  readonly workspace?: string;
  /** Distinct, at least one. */
  readonly scopes: readonly Scope[];
  /** Milliseconds since the Unix epoch. */
  readonly expires?: number;
  readonly name?: string;
}

export interface WorkspaceSettings {
  /** Nanoseconds. */
  readonly retention?: bigint;
  readonly maxStreams?: number;
  readonly maxBytes?: number;
}

export interface WorkspaceRequest extends WorkspaceSettings {
  readonly name: string;
}

const name = nameWithin(maxNameBytes);

export function decodeTokenRequest(body: Uint8Array): TokenRequest {
  const fields = readFields(decodeJson(body), tokenFields, '');
  return {
    scopes: [...new Set(fields.require('scopes', listOf(oneOf(scopes))))],
    ...defined({
      workspace: fields.get('workspace', name),
      expires: fields.get('expires', isoTime),
      name: fields.get('name', name),
    }),
  };
}

export function decodeWorkspaceRequest(body: Uint8Array): WorkspaceRequest {
  const fields = readFields(decodeJson(body), workspaceFields, '');
  return { name: fields.require('name', name), ...readSettings(fields) };
}

/** The settings alone; an empty body means `{}`. */
export function decodeWorkspaceSettings(body: Uint8Array): WorkspaceSettings {
  return readSettings(readFields(decodeJson(body, emptyObject), settingsFields, ''));
}

function readSettings(fields: Fields<(typeof settings)[number]>): WorkspaceSettings {
  return defined({
    retention: fields.get('retention', age),
    maxStreams: fields.get('maxStreams', integerFrom(1)),
    maxBytes: fields.get('maxBytes', integerFrom(1)),
  });
}

const secondsPerUnit: ReadonlyMap<string, bigint> = new Map([
  ['s', 1n],
  ['m', 60n],
  ['h', 3600n],
  ['d', 86_400n],
  ['w', 7n * 86_400n],
  ['y', 365n * 86_400n],
]);

/** Longer than any timestamp can be old. */
const longestAge = 2n ** 63n - 1n;

const age: Read<bigint> = (value, path) => {
  const given = text(value, path);
  const [, digits = '0', unit = ''] = /^([0-9]{1,12})([smhdwy])$/.exec(given) ?? [];
  const nanoseconds = BigInt(digits) * (secondsPerUnit.get(unit) ?? 0n) * 1_000_000_000n;
  if (nanoseconds > 0n && nanoseconds <= longestAge) return nanoseconds;
  throw fault(
    'invalid_value',
    path,
    `must be a time like 30d (digits and one of s m h d w y), not ${excerpt(given)}`,
  );
};
