import { type EndType, endTypes, normalLocation, type StreamProperties } from '../domain/stream.ts';
import { defined, type Fields, listOf, nameWithin, object, oneOf, readFields, text } from './fields.ts';
import { isoTime } from './iso-time.ts';
import { checkName } from './name.ts';
import { propertyNames } from './property-names.ts';
import { decodeJson, emptyObject, type JsonObject, memberPath } from './value.ts';

/**
 * The properties of a stream; every field is optional, an empty body means `{}`:
 *
 *   name            string              1..512 bytes
 *   location        string              a slash is put before it where it has none
 *   metadata        { name: string }    null leaves an entry out
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
export interface NameLimit {
  readonly maxNameBytes: number;
}

export function decodeStreamProperties(body: Uint8Array, limit: NameLimit): StreamProperties {
  return readProperties(readFields(decodeJson(body, emptyObject), propertyFields, ''), limit);
}

export interface CreateStream {
  readonly streamId?: string;
  /** Absent where the body names none: then those of a stream that exists stay. */
  readonly properties?: StreamProperties;
}

export function decodeCreateStream(body: Uint8Array, limit: NameLimit): CreateStream {
  const fields = readFields(decodeJson(body, emptyObject), createFields, '');
  const given = readProperties(fields, limit);
  return defined({
    streamId: fields.get('streamId', nameWithin(limit.maxNameBytes)),
    properties: Object.keys(given).length === 0 ? undefined : given,
  });
}

export function decodeCloseStream(body: Uint8Array): EndType {
  return (
    readFields(decodeJson(body, emptyObject), closeFields, '').get('endType', oneOf(endTypes)) ?? 'Closed'
  );
}

function readProperties(
  fields: Fields<(typeof properties)[number]>,
  { maxNameBytes }: NameLimit,
): StreamProperties {
  const name = nameWithin(maxNameBytes);
  return defined({
    name: fields.get('name', name),
    location: fields.get('location', (value, path) => normalLocation(text(value, path))),
    metadata: fields.get('metadata', (value, path) => readMetadata(object(value, path), path, maxNameBytes)),
    parents: fields.get('parents', listOf(name)),
    timeOfRecording: fields.get('timeOfRecording', isoTime),
  });
}

function readMetadata(entries: JsonObject, path: string, maxNameBytes: number): Record<string, string> {
  const metadata: [string, string][] = [];
  for (const [key, value] of entries) {
    checkName(key, path, maxNameBytes);
    if (value !== null) metadata.push([key, text(value, memberPath(path, key))]);
  }
  // Unlike an assignment, this makes `__proto__` an entry like others.
  return Object.fromEntries(metadata);
}
