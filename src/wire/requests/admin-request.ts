import { type Scope, scopes } from '../../domain/principal.ts';
import { maxNameBytes } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, settingsLimits } from '../json/json-memory.ts';
import { emptyObject } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { readAge } from './age.ts';
import { defined, type Fields, integerFrom, listOf, nameWithin, oneOf, readFields } from './fields.ts';
import { isoTime } from './iso-time.ts';

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
 *   retention  string             age of data (age.ts)
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

export function decodeTokenRequest(body: Uint8Array, share?: MemoryShare): TokenRequest {
  const fields = readFields(decodeBody(body, settingsLimits, undefined, share), tokenFields, '');
  return {
    scopes: [...new Set(fields.require('scopes', listOf(oneOf(scopes))))],
    ...defined({
      workspace: fields.get('workspace', name),
      expires: fields.get('expires', isoTime),
      name: fields.get('name', name),
    }),
  };
}

export function decodeWorkspaceRequest(body: Uint8Array, share?: MemoryShare): WorkspaceRequest {
  const fields = readFields(decodeBody(body, settingsLimits, undefined, share), workspaceFields, '');
  return { name: fields.require('name', name), ...readSettings(fields) };
}

/** The settings alone; an empty body means `{}`. */
export function decodeWorkspaceSettings(body: Uint8Array, share?: MemoryShare): WorkspaceSettings {
  return readSettings(readFields(decodeBody(body, settingsLimits, emptyObject, share), settingsFields, ''));
}

function readSettings(fields: Fields<(typeof settings)[number]>): WorkspaceSettings {
  return defined({
    retention: fields.get('retention', readAge),
    maxStreams: fields.get('maxStreams', integerFrom(1)),
    maxBytes: fields.get('maxBytes', integerFrom(1)),
  });
}
