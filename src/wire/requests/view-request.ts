import { PitwallError } from '../../errors.ts';
import { fault } from '../base/fault.ts';
import { excerpt, maxNameBytes } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, settingsLimits } from '../json/json-memory.ts';
import { emptyObject, type JsonValue } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import { defined, listOf, nameWithin, type Read, readFields, text } from './fields.ts';
import { isoTime } from './iso-time.ts';

/**
 * A view:
 *
 *   name       string         1..512 bytes
 *   topic      string         optional, 1..512 bytes
 *   streamIds  [string, ...]  optional, 1,000 at most, each 1..512 bytes
 *   state      any JSON       64 KiB at most, without white space; null without it
 *
 * and what an answer has besides, so that it can be sent back: `id`, which must be that of the address, and `createdAt`
 * and `updatedAt`, which change nothing.
 *
 * A share:
 *
 *   expires    string         optional, ISO 8601
 */
const viewFields = propertyNames(['name', 'topic', 'streamIds', 'state', 'id', 'createdAt', 'updatedAt']);
const shareFields = propertyNames(['expires']);

/** The most bytes of UTF-8 that the state of a view may have. */
export const maxStateBytes = 64 * 1024;
export const maxViewStreams = 1000;

export interface ViewRequest {
  readonly name: string;
  readonly topic?: string;
  /** Distinct. */
  readonly streamIds?: readonly string[];
  /** JSON. */
  readonly state: string;
}

export interface ShareRequest {
  /** Milliseconds since the Unix epoch. */
  readonly expires?: number;
}

const name = nameWithin(maxNameBytes);

const streams: Read<readonly string[] | undefined> = (value, path) => {
  const ids = listOf(name)(value, path);
  if (ids !== undefined && ids.length > maxViewStreams) {
    throw fault('invalid_value', path, `has ${ids.length} streams; ${maxViewStreams} are allowed`);
  }
  return ids && [...new Set(ids)];
};

/** Throws `body_too_large` (413) for a state that is too long. */
export function decodeViewRequest(body: Uint8Array, id: string, share?: MemoryShare): ViewRequest {
  const fields = readFields(decodeBody(body, settingsLimits, undefined, share), viewFields, '');
  const given = fields.get('id', text);
  if (given !== undefined && given !== id) {
    throw fault('invalid_value', 'id', `is ${excerpt(given)}, and the address has ${excerpt(id)}`);
  }
  for (const time of ['createdAt', 'updatedAt'] as const) fields.get(time, text);
  return {
    name: fields.require('name', name),
    ...defined({ topic: fields.get('topic', name), streamIds: fields.get('streamIds', streams) }),
    state: fields.get('state', jsonText) ?? 'null',
  };
}

/** An empty body means `{}`. */
export function decodeShareRequest(body: Uint8Array, share?: MemoryShare): ShareRequest {
  const fields = readFields(decodeBody(body, settingsLimits, emptyObject, share), shareFields, '');
  return defined({ expires: fields.get('expires', isoTime) });
}

/** A value as JSON: numbers with the digits that they came with. It is given up where it becomes too long. */
const jsonText: Read<string> = (value) => {
  const pieces: string[] = [];
  let bytes = 0;
  const add = (piece: string): void => {
    bytes += Buffer.byteLength(piece);
    if (bytes > maxStateBytes) {
      throw new PitwallError('body_too_large', {
        detail: `the state of a view may have ${maxStateBytes} bytes, without white space`,
      });
    }
    pieces.push(piece);
  };
  write(value, add);
  return pieces.join('');
};

function write(value: JsonValue, add: (piece: string) => void): void {
  if (value === null || typeof value !== 'object') add(JSON.stringify(value));
  else if (Array.isArray(value)) {
    let separator = '[';
    for (const element of value as readonly JsonValue[]) {
      add(separator);
      write(element, add);
      separator = ',';
    }
    add(separator === '[' ? '[]' : ']');
  } else if (value instanceof Map) {
    let separator = '{';
    for (const [name, member] of value) {
      add(`${separator}${JSON.stringify(name)}:`);
      write(member, add);
      separator = ',';
    }
    add(separator === '{' ? '{}' : '}');
  } else add((value as { readonly text: string }).text);
}
