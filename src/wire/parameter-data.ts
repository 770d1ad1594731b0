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
import { noPause, type OpenColumn, openColumn, type Payload, pathOf } from './payload.ts';
import type { PayloadLimits } from './payload-limits.ts';
import { propertyNamed, propertyNames } from './property-names.ts';
import { createScratch, resetScratch } from './scratch.ts';
import { type Steps, whole } from './steps.ts';
import { type OpenTag, openTag, readTagColumn, type TagColumn } from './tag-columns.ts';
import { createTagMemory, type TagMemory } from './tag-memory.ts';
import { readCachedString, type TextCache } from './text-cache.ts';
import { readInteger64 } from './timestamp-text.ts';
import { type OpenTimestamps, openTimestamps, readTimestamps, type Timestamps } from './timestamps.ts';

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
  const reading: Reading = { limits, scratch: createScratch(), pause: noPause };
  return {
    decode(body, share) {
      resetScratch(reading.scratch);
      const scan = openScan(body);
      const payload = openPayload(scan, reading, createTagMemory(share), '', false);
      readPayload(payload);
      const rows = whole(assembleRows(payload, payload.timestamps!, payload.epoch, payload.tags));
      endScan(scan);
      return rows;
    },

    decodeBatch(body, share) {
      resetScratch(reading.scratch);
      return whole(batchSteps(body, reading, share));
    },
  };
}

/**
 * A large payload step by step: what `decode` gives, in memory of its own. The body must stay as it is until the last step.
 *
 * @param every bytes that are read between two steps
 */
export function parameterDataSteps(
  body: Uint8Array,
  limits: PayloadLimits,
  share?: MemoryShare,
  every = bytesOfStep,
): Steps<Rows[]> {
  return payloadSteps(body, { limits, scratch: createScratch(), pause: { at: 0, every } }, share);
}

/** The same of a batch. */
export function parameterDataBatchSteps(
  body: Uint8Array,
  limits: PayloadLimits,
  share?: MemoryShare,
  every = bytesOfStep,
): Steps<StreamRows[]> {
  return batchSteps(body, { limits, scratch: createScratch(), pause: { at: 0, every } }, share);
}

/** A small part of a millisecond, or half of one where each few bytes are a new tag. */
const bytesOfStep = 16 * 1024;

function* payloadSteps(body: Uint8Array, reading: Reading, share: MemoryShare | undefined): Steps<Rows[]> {
  const scan = openScan(body);
  const payload = openPayload(scan, reading, createTagMemory(share), '', false);
  while (!readPayload(payload)) {
    yield;
    reading.pause.at = scan.at + reading.pause.every;
  }
  const rows = yield* assembleRows(payload, payload.timestamps!, payload.epoch, payload.tags);
  endScan(scan);
  return rows;
}

function* batchSteps(
  body: Uint8Array,
  reading: Reading,
  share: MemoryShare | undefined,
): Steps<StreamRows[]> {
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
      const payload = openPayload(scan, reading, tagMemory, prefix, true);
      while (!readPayload(payload)) {
        yield;
        reading.pause.at = scan.at + reading.pause.every;
      }
      const { streamId, timestamps, epoch, tags } = payload;
      const rows = yield* assembleRows(payload, timestamps!, epoch, tags);
      if (streamId === undefined) throw fault('missing_property', `${prefix}streamId`, 'is missing');
      entries.push({ streamId, rows });
    } while (nextElement(scan));
  }
  endScan(scan);
  return entries;
}

/** Each entry costs more memory than its bytes. */
const maxEntries = 100_000;

/** How a body is read. */
type Reading = Pick<Payload, 'limits' | 'scratch' | 'pause'>;

/** A payload, or an entry of a batch, with what of it was read so far. */
interface OpenPayload extends Payload {
  readonly isEntry: boolean;
  isBegun: boolean;
  /** The names of its properties so far. */
  readonly seen: string[];
  /** The property that is being read: its value follows. */
  property: string | undefined;
  readonly open: { timestamps: OpenTimestamps | undefined; group: OpenGroup | undefined };
  streamId: string | undefined;
  timestamps: Timestamps | undefined;
  epoch: bigint;
  parameters: number;
  readonly tags: TagColumn[];
}

/** A property that has arrays, while it is read. */
interface OpenGroup {
  readonly names: Set<string>;
  /** The array that is being read: the rest of it follows. */
  column: OpenColumn | OpenTag | undefined;
}

function openPayload(
  scan: Scan,
  { limits, scratch, pause }: Reading,
  tagMemory: TagMemory,
  prefix: string,
  isEntry: boolean,
): OpenPayload {
  return {
    scan,
    limits,
    scratch,
    pause,
    tagMemory,
    prefix,
    count: undefined,
    columns: [],
    unsure: [],
    isEntry,
    isBegun: false,
    seen: [],
    property: undefined,
    open: { timestamps: undefined, group: undefined },
    streamId: undefined,
    timestamps: undefined,
    epoch: 0n,
    parameters: 0,
    tags: [],
  };
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

/** Reads on, to the end of the payload; false where it pauses. */
function readPayload(payload: OpenPayload): boolean {
  const { scan, prefix, scratch, seen, isEntry } = payload;
  const path = prefix.slice(0, -1);
  if (!payload.isBegun && peek(scan) !== Byte.OpenObject) throw wrongType(scan, path, 'an object');
  if (payload.isBegun || openObject(scan)) {
    payload.isBegun = true;
    do {
      if (payload.property === undefined) {
        const name = propertyNamed(isEntry ? entryNames : payloadNames, readName(scan, scratch.names), path);
        if (seen.includes(name)) throw fault('duplicate_property', prefix + name, 'stands twice');
        seen.push(name);
        if (takeNull(scan)) continue;
        payload.property = name;
      }
      if (!readProperty(payload, payload.property)) return false;
      payload.property = undefined;
    } while (nextMember(scan));
  }
  const { timestamps } = payload;
  if (timestamps === undefined) throw fault('missing_property', `${prefix}timestamps`, 'is missing');
  checkLengths(payload, timestamps.count);
  return true;
}

/** Reads on in the value of a property; false where it pauses. */
function readProperty(payload: OpenPayload, name: string): boolean {
  const { scan, prefix, open } = payload;
  switch (name) {
    case 'timestamps':
      open.timestamps ??= openTimestamps();
      payload.timestamps = readTimestamps(payload, open.timestamps);
      payload.count = payload.timestamps?.count;
      return payload.timestamps !== undefined;
    case 'epoch':
      payload.epoch = readInteger64(scan, `${prefix}epoch`);
      return true;
    case 'streamId':
      if (peek(scan) !== Byte.Quote) throw wrongType(scan, `${prefix}streamId`, 'a string');
      payload.streamId = checkName(readString(scan), `${prefix}streamId`, payload.limits.maxNameBytes);
      return true;
    default:
      return readArrays(payload, name);
  }
}

/** Names without values are no parameters, and are remembered all the same: so many for each parameter that may be. */
const namesOfParameter = 16;

/** Reads `{ name: [...], ... }`; false where it pauses. */
function readArrays(payload: OpenPayload, group: string): boolean {
  const { scan, prefix, limits, scratch, open } = payload;
  if (open.group === undefined) {
    if (peek(scan) !== Byte.OpenObject) throw wrongType(scan, prefix + group, 'an object');
    if (!openObject(scan)) return true;
    open.group = { names: new Set(), column: undefined };
  }
  const { names } = open.group;
  const maxNames = limits.maxParameters * namesOfParameter;
  do {
    if (open.group.column === undefined) {
      const name = checkName(readName(scan, scratch.names), prefix + group, limits.maxNameBytes);
      if (names.size === maxNames) {
        throw fault(
          'too_many_parameters',
          prefix + group,
          `has more than ${maxNames} names, with those of null`,
        );
      }
      if (names.size === names.add(name).size) {
        throw fault('duplicate_property', prefix + group, `has the property ${excerpt(name)} twice`);
      }
      if (takeNull(scan)) continue;
      if (peek(scan) !== Byte.OpenArray) throw wrongType(scan, pathOf(payload, group, name), 'an array');
      open.group.column = beginColumn(payload, group, name);
    }
    if (!readColumn(payload, group, open.group.column)) return false;
    open.group.column = undefined;
  } while (nextMember(scan));
  open.group = undefined;
  return true;
}

/** Counts a parameter or tag, whose array follows. */
function beginColumn(payload: OpenPayload, group: string, name: string): OpenColumn | OpenTag {
  const { prefix, limits } = payload;
  if (group === 'tagValues') {
    if (payload.tags.length === limits.maxTags) {
      throw fault('too_many_tags', `${prefix}tagValues`, `has more than ${limits.maxTags} tags`);
    }
    return openTag(name);
  }
  if (++payload.parameters > limits.maxParameters) {
    throw fault(
      'too_many_parameters',
      prefix.slice(0, -1),
      `has more than ${limits.maxParameters} parameters`,
    );
  }
  return openColumn(name);
}

function readColumn(payload: OpenPayload, group: string, column: OpenColumn | OpenTag): boolean {
  switch (group) {
    case 'numericValues':
      return readNumericColumn(payload, column as OpenColumn);
    case 'stringValues':
      return readStringColumn(payload, column as OpenColumn);
    case 'binaryValues':
      return readBinaryColumn(payload, column as OpenColumn);
    default: {
      const tag = readTagColumn(payload, column as OpenTag);
      if (tag !== undefined) payload.tags.push(tag);
      return tag !== undefined;
    }
  }
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
