import { isVanished } from '../../domain/vanished-number.ts';
import { checkMemberName } from '../base/name.ts';
import { readNumber } from '../json/json-number.ts';
import {
  Byte,
  endScan,
  nextMember,
  openObject,
  openScan,
  peek,
  readColon,
  readWord,
  type Scan,
  takeNull,
} from '../json/json-scanner.ts';
import { readString } from '../json/json-string.ts';
import { readCachedString } from '../json/text-cache.ts';
import type { Field, FieldValue } from '../lines/line-rows.ts';
import { checkText, type MessageRead } from './message-rows.ts';
import { messageTime } from './message-time.ts';

/**
 * Members of an object that are looked through one by one for a name that stands twice; with more of them it is read
 * as any JSON.
 */
const fewMembers = 64;

/** A flat object as it was read. */
export interface FlatObject {
  /** ns; undefined where no member is the time. */
  readonly time: bigint | undefined;
  readonly fields: readonly Field[];
}

/**
 * Reads an object of few members without another object or array in it, and makes nothing but its fields. Undefined
 * where the payload is no such object: it is to be read as any JSON then. What is wrong with it may be told by
 * either.
 */
export function readFlatObject(read: MessageRead): FlatObject | undefined {
  const { rules, message } = read;
  const scan = openScan(message.payload);
  if (peek(scan) !== Byte.OpenObject || !openObject(scan)) return undefined;
  const fields: Field[] = [];
  const seen: string[] = [];
  let time: bigint | undefined;
  let rank = rules.timeFields.length;
  let left = 0;
  do {
    if (peek(scan) !== Byte.Quote || seen.length === fewMembers) return undefined;
    const name = readCachedString(scan, rules.names);
    readColon(scan);
    if (seen.includes(name)) return undefined;
    seen.push(name);
    const byte = peek(scan);
    const place = rules.timeFields.indexOf(name);
    if (takeNull(scan)) {
      left++;
      continue;
    }
    // Of several times the first one of the rules counts, and the others are values: rare, so any JSON does.
    if (place >= 0) {
      if (rank < rules.timeFields.length) return undefined;
      rank = place;
      time = readTime(scan, byte, name);
      continue;
    }
    checkMemberName(name, '', rules.limits.maxNameBytes);
    const value = readValue(read, scan, byte, name);
    if (value === undefined || fields.length === rules.limits.maxParameters) return undefined;
    fields.push({ name, value });
  } while (nextMember(scan));
  endScan(scan);
  if (left > 0) read.refused.leaveOut('no_value', left);
  return { time, fields };
}

function readTime(scan: Scan, byte: number, name: string): bigint {
  if (byte === Byte.Quote) return messageTime(readString(scan), name);
  if (!beginsNumber(byte)) return messageTime(null, name);
  const start = scan.at;
  const value = readNumber(scan);
  return messageTime({ text: scan.bytes.toString('latin1', start, scan.at), value }, name);
}

/** Undefined for what is neither a text nor a boolean nor a number that a double holds. */
function readValue(read: MessageRead, scan: Scan, byte: number, name: string): FieldValue | undefined {
  if (byte === Byte.Quote) return checkText(read, name, Buffer.from(readString(scan)));
  if (byte === 0x74 || byte === 0x66) {
    readWord(scan, byte === 0x74 ? 'true' : 'false');
    return byte === 0x74 ? 1 : 0;
  }
  if (!beginsNumber(byte)) return undefined;
  const start = scan.at;
  const value = readNumber(scan);
  const isShort = scan.at - start < 3;
  if (value === 0 && !isShort && isVanished(scan.bytes.toString('latin1', start, scan.at), value))
    return undefined;
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

function beginsNumber(byte: number): boolean {
  return byte === Byte.Minus || (byte >= 0x30 && byte <= 0x39);
}
