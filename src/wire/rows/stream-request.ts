import { type EndType, endTypes, normalLocation, type StreamProperties } from '../../domain/stream.ts';
import { checkMemberName } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import { type MemoryShare, settingsLimits } from '../json/json-memory.ts';
import { emptyObject, type JsonObject, memberPath } from '../json/json-value.ts';
import { decodeBody } from '../json/value.ts';
import {
  defined,
  type Fields,
  listOf,
  nameWithin,
  object,
  oneOf,
  type Read,
  readFields,
  textWithin,
} from '../requests/fields.ts';
import { isoTime } from '../requests/iso-time.ts';
import type { PayloadLimits } from './payload-limits.ts';

/**
 * The properties of a stream; every field is optional, an empty body means `{}`:
 *
 *   name            string              1..512 bytes
 *   location        string              a slash is put before it where it has none; at most 64 KiB
 *   metadata        { name: string }    null leaves an entry out; at most 64 KiB each
 *   parents         [string, ...]       stream ids, 1..512 bytes each
 *   timeOfRecording string              ISO 8601
 *
 * Making a stream takes `streamId` (1..512 bytes) beside them; closing one takes `{ endType }`, by default Closed.
 */
const properties = ['name', 'location', 'metadata', 'parents', 'timeOfRecording'] as const;
const propertyFields = propertyNames(properties);
const createFields = propertyNames(['streamId', ...properties]);
const closeFields = propertyNames(['endType']);

/** The limit on names and ids, in bytes of UTF-8. */
export type NameLimit = Pick<PayloadLimits, 'maxNameBytes'>;

/** Limits on names and ids, and on texts, in bytes of UTF-8. */
export type TextLimits = Pick<PayloadLimits, 'maxNameBytes' | 'maxStringBytes'>;

export function decodeStreamProperties(
  body: Uint8Array,
  limit: TextLimits,
  share?: MemoryShare,
): StreamProperties {
  return readProperties(
    readFields(decodeBody(body, settingsLimits, emptyObject, share), propertyFields, ''),
    limit,
  );
}

export interface CreateStream {
  readonly streamId?: string;
  /** Absent where the body names none: then those of a stream that exists stay. */
  readonly properties?: StreamProperties;
}

export function decodeCreateStream(body: Uint8Array, limit: TextLimits, share?: MemoryShare): CreateStream {
  const fields = readFields(decodeBody(body, settingsLimits, emptyObject, share), createFields, '');
  const given = readProperties(fields, limit);
  return defined({
    streamId: fields.get('streamId', nameWithin(limit.maxNameBytes)),
    properties: Object.keys(given).length === 0 ? undefined : given,
  });
}

export function decodeCloseStream(body: Uint8Array, share?: MemoryShare): EndType {
  return (
    readFields(decodeBody(body, settingsLimits, emptyObject, share), closeFields, '').get(
      'endType',
      oneOf(endTypes),
    ) ?? 'Closed'
  );
}

function readProperties(
  fields: Fields<(typeof properties)[number]>,
  { maxNameBytes, maxStringBytes }: TextLimits,
): StreamProperties {
  const name = nameWithin(maxNameBytes);
  const free = textWithin(maxStringBytes);
  return defined({
    name: fields.get('name', name),
    location: fields.get('location', (value, path) => normalLocation(free(value, path))),
    metadata: fields.get('metadata', (value, path) =>
      readMetadata(object(value, path), path, maxNameBytes, free),
    ),
    parents: fields.get('parents', listOf(name)),
    timeOfRecording: fields.get('timeOfRecording', isoTime),
  });
}

function readMetadata(
  entries: JsonObject,
  path: string,
  maxNameBytes: number,
  free: Read<string>,
): Record<string, string> {
  const metadata: [string, string][] = [];
  for (const [key, value] of entries) {
    checkMemberName(key, path, maxNameBytes);
    if (value !== null) metadata.push([key, free(value, memberPath(path, key))]);
  }
  // Unlike an assignment, this makes `__proto__` an entry like others.
  return Object.fromEntries(metadata);
}
