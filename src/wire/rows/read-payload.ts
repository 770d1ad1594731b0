import { PitwallError } from '../../errors.ts';
import { fault } from '../base/fault.ts';
import { checkMemberName, checkName, excerpt } from '../base/name.ts';
import { propertyNamed, propertyNames } from '../base/property-names.ts';
import {
  Byte,
  describeNext,
  nextMember,
  openObject,
  peek,
  readColon,
  type Scan,
  takeNull,
  unexpected,
} from '../json/json-scanner.ts';
import { readString } from '../json/json-string.ts';
import { readCachedString, type TextCache } from '../json/text-cache.ts';
import { readInteger64 } from '../json/timestamp-text.ts';
import { readBinaryColumn, readStringColumn } from './bytes-column.ts';
import { readNumericColumn } from './numeric-column.ts';
import { type OpenColumn, openColumn, type Payload, pathOf } from './payload.ts';
import { type OpenTag, openTag, readTagColumn, type TagColumn } from './tag-columns.ts';
import type { TagMemory } from './tag-memory.ts';
import { type OpenTimestamps, openTimestamps, readTimestamps, type Timestamps } from './timestamps.ts';

/** How a body is read. */
export type Reading = Pick<Payload, 'limits' | 'scratch' | 'pause' | 'rounded'>;

/** A payload, or an entry of a batch, with what of it was read so far. */
export interface OpenPayload extends Payload {
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

export function openPayload(
  scan: Scan,
  { limits, scratch, pause, rounded }: Reading,
  tagMemory: TagMemory,
  prefix: string,
  isEntry: boolean,
): OpenPayload {
  return {
    scan,
    limits,
    scratch,
    pause,
    rounded,
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
export function readPayload(payload: OpenPayload): boolean {
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

/** The names without values, which are no parameters but remembered all the same, for each parameter that may be. */
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
      const name = checkMemberName(readName(scan, scratch.names), prefix + group, limits.maxNameBytes);
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

/** The most faults that are listed: a person reads no more. */
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

export function wrongType(scan: Scan, path: string, expected: string): PitwallError {
  return fault('wrong_type', path, `must be ${expected}, not ${describeNext(scan)}`);
}
