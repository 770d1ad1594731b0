import type { Rows } from '../domain/parameter-data.ts';
import { PitwallError } from '../errors.ts';
import { assembleRows } from './assemble-rows.ts';
import { readBinaryColumn, readStringColumn } from './bytes-column.ts';
import { fault } from './fault.ts';
import type { MemoryShare } from './json-memory.ts';
import {
  Byte,
  describeNext,
  endScan,
  nextElement,
  nextMember,
  openArray,
  openObject,
  openScan,
  peek,
  readColon,
  type Scan,
  takeNull,
  unexpected,
} from './json-scanner.ts';
import { readString } from './json-string.ts';
import { checkName, excerpt } from './name.ts';
import { readNumericColumn } from './numeric-column.ts';
import { type Payload, pathOf } from './payload.ts';
import type { PayloadLimits } from './payload-limits.ts';
import { propertyNamed, propertyNames } from './property-names.ts';
import { createScratch, resetScratch, type Scratch } from './scratch.ts';
import { readTagColumn, type TagColumn } from './tag-columns.ts';
import { createTagMemory, type TagMemory } from './tag-memory.ts';
import { readCachedString, type TextCache } from './text-cache.ts';
import { readInteger64 } from './timestamp-text.ts';
import { readTimestamps, type Timestamps } from './timestamps.ts';

/**
 * Parameter data (contract, section 2), properties in any order:
 *
 *   timestamps    [int64, ...]            ns, added to `epoch`; at most 1,000,000; in any order
 *   epoch         int64                   ns since the Unix epoch, default 0
 *   numericValues { name: [number | "NaN" | "Infinity" | "-Infinity" | null, ...] }
 *   stringValues  { name: [string | null, ...] }    at most 64 KiB each
 *   binaryValues  { name: [base64 | null, ...] }    at most 1 MiB each
 *   tagValues     { name: [string | null, ...] }    at most 256 tags
 *
 * Every array has one element per timestamp. At most 4,096 parameters; names have 1..512 bytes of UTF-8. null is
 * "no value here", and the same as absent for a property and for a whole array. A batch is an array of such
 * objects, each with its `streamId`.
 */
export interface ParameterDataDecoder {
  /**
   * One payload. No rows come out where every value is null; several `Rows` where it spans 2^53 ns or more.
   * The arrays are valid until the decoder is used again.
   */
  decode(body: Uint8Array, share?: MemoryShare): Rows[];
  /** A batch, its entries in their order and valid together. One stream may stand twice. */
  decodeBatch(body: Uint8Array, share?: MemoryShare): StreamRows[];
}

export interface StreamRows {
  readonly streamId: string;
  readonly rows: Rows[];
}

export function createParameterDataDecoder(limits: PayloadLimits): ParameterDataDecoder {
  const scratch = createScratch();
  return {
    decode(body, share) {
      resetScratch(scratch);
      const scan = openScan(body);
      const { rows } = readPayload(newPayload(scan, limits, scratch, createTagMemory(share), ''), false);
      endScan(scan);
      return rows;
    },

    decodeBatch(body, share) {
      resetScratch(scratch);
      const tagMemory = createTagMemory(share);
      const scan = openScan(body);
      const entries: StreamRows[] = [];
      if (peek(scan) !== Byte.OpenArray) throw wrongType(scan, '', 'an array');
      if (openArray(scan)) {
        do {
          if (entries.length === maxEntries) {
            throw fault('invalid_value', '', `has more than ${maxEntries} entries`);
          }
          const prefix = `[${entries.length}].`;
          const { streamId, rows } = readPayload(newPayload(scan, limits, scratch, tagMemory, prefix), true);
          if (streamId === undefined) throw fault('missing_property', `${prefix}streamId`, 'is missing');
          entries.push({ streamId, rows });
        } while (nextElement(scan));
      }
      endScan(scan);
      return entries;
    },
  };
}

/** Each entry costs more memory than its bytes. */
const maxEntries = 100_000;

function newPayload(
  scan: Scan,
  limits: PayloadLimits,
  scratch: Scratch,
  tagMemory: TagMemory,
  prefix: string,
): Payload {
  return { scan, limits, scratch, tagMemory, prefix, count: undefined, columns: [], unsure: [] };
}

const payloadProperties = [
  'timestamps',
  'epoch',
  'numericValues',
  'stringValues',
  'binaryValues',
  'tagValues',
] as const;
const payloadNames = propertyNames(payloadProperties);
const entryNames = propertyNames(['streamId', ...payloadProperties]);

function readPayload(payload: Payload, isEntry: boolean): { streamId: string | undefined; rows: Rows[] } {
  const { scan, prefix, limits, scratch } = payload;
  const names = isEntry ? entryNames : payloadNames;
  const tags: TagColumn[] = [];
  let timestamps: Timestamps | undefined;
  let epoch = 0n;
  let streamId: string | undefined;
  let parameters = 0;
  const countParameter = () => {
    if (++parameters <= limits.maxParameters) return;
    throw fault(
      'too_many_parameters',
      prefix.slice(0, -1),
      `has more than ${limits.maxParameters} parameters`,
    );
  };
  const seen: string[] = [];
  if (peek(scan) !== Byte.OpenObject) throw wrongType(scan, prefix.slice(0, -1), 'an object');
  if (openObject(scan)) {
    do {
      const name = propertyNamed(names, readName(scan, scratch.names), prefix.slice(0, -1));
      if (seen.includes(name)) throw fault('duplicate_property', prefix + name, 'stands twice');
      seen.push(name);
      if (takeNull(scan)) continue;
      switch (name) {
        case 'timestamps':
          timestamps = readTimestamps(payload);
          payload.count = timestamps.count;
          break;
        case 'epoch':
          epoch = readInteger64(scan, `${prefix}epoch`);
          break;
        case 'numericValues':
          readArrays(payload, name, (column) => {
            countParameter();
            readNumericColumn(payload, column);
          });
          break;
        case 'stringValues':
          readArrays(payload, name, (column) => {
            countParameter();
            readStringColumn(payload, column);
          });
          break;
        case 'binaryValues':
          readArrays(payload, name, (column) => {
            countParameter();
            readBinaryColumn(payload, column);
          });
          break;
        case 'tagValues':
          readArrays(payload, name, (tag) => {
            if (tags.length === limits.maxTags) {
              throw fault('too_many_tags', `${prefix}tagValues`, `has more than ${limits.maxTags} tags`);
            }
            tags.push(readTagColumn(payload, tag));
          });
          break;
        case 'streamId':
          if (peek(scan) !== Byte.Quote) throw wrongType(scan, `${prefix}streamId`, 'a string');
          streamId = checkName(readString(scan), `${prefix}streamId`, limits.maxNameBytes);
      }
    } while (nextMember(scan));
  }
  if (timestamps === undefined) throw fault('missing_property', `${prefix}timestamps`, 'is missing');
  checkLengths(payload, timestamps.count);
  return { streamId, rows: assembleRows(payload, timestamps, epoch, tags) };
}

/** Names without values are no parameters, and are remembered all the same: so many for each parameter that may be. */
const namesOfParameter = 16;

/** Reads `{ name: [...], ... }`; `read` gets each name, and the scan before its array. */
function readArrays(payload: Payload, group: string, read: (name: string) => void): void {
  const { scan, prefix, limits, scratch } = payload;
  if (peek(scan) !== Byte.OpenObject) throw wrongType(scan, prefix + group, 'an object');
  if (!openObject(scan)) return;
  const seen = new Set<string>();
  const maxNames = limits.maxParameters * namesOfParameter;
  do {
    const name = checkName(readName(scan, scratch.names), prefix + group, limits.maxNameBytes);
    if (seen.size === maxNames) {
      throw fault(
        'too_many_parameters',
        prefix + group,
        `has more than ${maxNames} names, with those of null`,
      );
    }
    if (seen.size === seen.add(name).size) {
      throw fault('duplicate_property', prefix + group, `has the property ${excerpt(name)} twice`);
    }
    if (takeNull(scan)) continue;
    if (peek(scan) !== Byte.OpenArray) throw wrongType(scan, pathOf(payload, group, name), 'an array');
    read(name);
  } while (nextMember(scan));
}

function readName(scan: Scan, cache: TextCache): string {
  if (peek(scan) !== Byte.Quote) throw unexpected(scan, 'a name in quotes');
  const name = readCachedString(scan, cache);
  readColon(scan);
  return name;
}

/** More faults than a person reads are not listed. */
const listedFaults = 20;

function checkLengths({ unsure, prefix }: Payload, count: number): void {
  if (unsure.length === 0) return;
  const wrong = unsure.filter(({ length }) => length !== count);
  if (wrong.length === 0) return;
  throw new PitwallError('length_mismatch', {
    errors: wrong.slice(0, listedFaults).map(({ group, name, length }) => ({
      path: `${prefix}${group}.${name}`,
      message: `has ${length} elements, timestamps has ${count}`,
    })),
  });
}

function wrongType(scan: Scan, path: string, expected: string): PitwallError {
  return fault('wrong_type', path, `must be ${expected}, not ${describeNext(scan)}`);
}
