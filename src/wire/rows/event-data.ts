import type { EventRow } from '../../domain/event-data.ts';
import { noTags, type TagPair, type TagSet, tagSet } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import type { Steps } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import { checkMemberName } from '../base/name.ts';
import { propertyNames } from '../base/property-names.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { type JsonValue, memberPath } from '../json/json-value.ts';
import { elementSteps } from '../json/value.ts';
import { integer64, nameWithin, object, type Read, readFields, textWithin } from '../requests/fields.ts';
import type { PayloadLimits } from './payload-limits.ts';

/**
 * Event data: an array of events, or a single one. Each is
 *
 *   id         string              1..512 bytes
 *   timestamp  int64               ns since the Unix epoch
 *   value      string              optional, at most 64 KiB; empty without it
 *   tags       { name: string }    optional, at most 256; null leaves a tag out
 *
 * At most 1,000,000 events, of 4,096 distinct ids. The rows come in the order of the array. The body must stay as it is
 * until the last step.
 */
export function* eventSteps(body: Uint8Array, limits: PayloadLimits, share?: MemoryShare): Steps<EventRow[]> {
  const rows: EventRow[] = [];
  yield* elementSteps(body, countedReader(limits, rows, share), share);
  return rows;
}

/** Reads one event after another into `rows`, and counts their memory. */
function countedReader(
  limits: PayloadLimits,
  rows: EventRow[],
  share: MemoryShare | undefined,
): (value: JsonValue, path: string) => void {
  const read = eventReader(limits, rows);
  return (value, path) => {
    read(value, path);
    if (rows.length % countedRows === 0) share?.take(countedRows * rowBytes);
  };
}

/** What an event takes beside its texts, and how many are counted together. */
const rowBytes = 120;
const countedRows = 128;

/**
 * The value of an event as a body of its own: UTF-8 text, or text in the `charset` that its media type names. Throws
 * `bad_utf8`, `string_too_long`, and `unsupported_media_type` for a charset that is not known.
 */
export function decodeEventValue(
  body: Uint8Array,
  { maxStringBytes }: PayloadLimits,
  contentType?: string,
): string {
  const decoder = decoderFor(contentType);
  const check = (bytes: number): void => {
    if (bytes > maxStringBytes)
      throw fault('string_too_long', '', `has ${bytes} bytes; ${maxStringBytes} are allowed`);
  };
  // UTF-16 has twice as many bytes at most.
  check(decoder === utf8 ? body.length : body.length / 2);
  try {
    const value = decoder.decode(body);
    if (decoder !== utf8) check(Buffer.byteLength(value));
    return value;
  } catch (error) {
    if (error instanceof PitwallError) throw error;
    const form = decoder === utf8 ? 'UTF-8' : decoder.encoding;
    throw new PitwallError('bad_utf8', { detail: `The value of an event must be text in ${form}.` });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoderFor(contentType: string | undefined): InstanceType<typeof TextDecoder> {
  const charset = /;[\t ]*charset="?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  if (charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)) return utf8;
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    throw new PitwallError('unsupported_media_type', { detail: `the charset ${charset} is not known` });
  }
}

const eventNames = propertyNames(['id', 'timestamp', 'value', 'tags']);

/** Reads one event after another into `rows`. */
function eventReader(limits: PayloadLimits, rows: EventRow[]): Read<void> {
  const ids = new Set<string>();
  const readId = nameWithin(limits.maxNameBytes);
  const readText = textWithin(limits.maxStringBytes);
  const readTags: Read<TagSet> = (value, path) => {
    const pairs: TagPair[] = [];
    for (const [name, member] of object(value, path)) {
      checkMemberName(name, path, limits.maxNameBytes);
      if (member !== null) pairs.push([name, readText(member, memberPath(path, name))]);
    }
    if (pairs.length > limits.maxTags)
      throw fault('too_many_tags', path, `has more than ${limits.maxTags} tags`);
    return tagSet(pairs);
  };

  return (value, path) => {
    if (rows.length === limits.maxTimestamps) {
      throw fault('too_many_timestamps', '', `has more than ${limits.maxTimestamps} events`);
    }
    const fields = readFields(value, eventNames, path);
    const id = fields.require('id', readId);
    if (ids.size === limits.maxParameters && !ids.has(id)) {
      throw fault('too_many_parameters', '', `has events of more than ${limits.maxParameters} ids`);
    }
    ids.add(id);
    rows.push({
      id,
      timestamp: fields.require('timestamp', integer64),
      value: fields.get('value', readText) ?? '',
      tags: fields.get('tags', readTags) ?? noTags,
    });
  };
}
