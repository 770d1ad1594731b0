import { isUtf8 } from 'node:buffer';
import { decode, ExtData } from '@msgpack/msgpack';
import { PitwallError } from '../../src/errors.ts';
import type { HubMessage } from '../../src/hub/protocol/hub-message.ts';
import { messagePackHubProtocol } from '../../src/hub/protocol/messagepack-hub-protocol.ts';
import { jsonOfPacked } from '../../src/hub/protocol/messagepack-json.ts';
import { skipPacked } from '../../src/hub/protocol/messagepack-reader.ts';
import { whole } from '../../src/turns/steps.ts';
import type { JsonValue } from '../../src/wire/json/json-value.ts';
import { decodeJson } from '../../src/wire/json/value.ts';
import { mutate } from './mutate.ts';
import { packedList, packedText, packedValue } from './packed-value.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

const words = [0xc0, 0xc1, 0x80, 0x90, 0xa0, 0xdc, 0xdd, 0xde, 0xdf, 0xff].map((byte) => Buffer.from([byte]));
const sizes = [0, 1, 0x7fff_ffff, 0xffff_ffff].map((size) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(size);
  return bytes;
});

/**
 * An argument in MessagePack ends where @msgpack/msgpack says that it ends, and its JSON says what that library reads;
 * or both refuse. We alone refuse extensions, names that are no strings, and binary data outside of binaryValues. The
 * JSON is no more than so many times as long.
 */
export const messagePackTarget: Target = {
  name: 'messagepack',
  short: 5000,
  make: (random) => maybeMutated(random, packedValue(random)),
  check: compareValue,
};

const mostGrowth = 8;

function compareValue(input: Buffer): void {
  const end = endOf(input);
  const reading = readPacked(input.subarray(0, end ?? input.length));
  if (end === undefined) {
    if ('value' in reading) throw new Error('refuses where the library reads a value');
    return;
  }
  let json: Uint8Array;
  try {
    json = jsonOfPacked({ bytes: input, at: 0 }, 64);
  } catch (error) {
    if (!(error instanceof PitwallError)) throw error;
    const mayRefuse =
      error.code === 'too_deep' ||
      (error.code === 'wrong_type' && (!('value' in reading) || reading.isOther));
    if (!mayRefuse) throw new Error(`refuses with ${error.code} what the library reads`);
    return;
  }
  if (json.length > mostGrowth * end) throw new Error(`makes ${json.length} bytes of ${end}`);
  // Text that is not UTF-8 goes through, to the readers of JSON, which refuse it.
  if (!isUtf8(json)) return;
  if (!('value' in reading)) {
    if (reading.message.includes('__proto__')) return;
    throw new Error(`reads what the library refuses: ${reading.message}`);
  }
  let value: JsonValue;
  try {
    value = decodeJson(json);
  } catch (error) {
    if (error instanceof PitwallError && error.code === 'duplicate_property') return;
    throw error;
  }
  if (!same(value, reading.value)) throw new Error(`reads ${Buffer.from(json).toString()}`);
}

/** A message in MessagePack is read as the library reads it, or refused. */
export const messagePackHubTarget: Target = {
  name: 'messagepack-hub',
  short: 3000,
  make(random) {
    const type = random.once(5) ? random.below(10) : 1;
    const args = Array.from({ length: random.below(6) }, () => packedValue(random, 2));
    const parts = [
      Buffer.from([type]),
      random.once(4) ? packedValue(random, 3) : Buffer.from([0x80]),
      random.once(3) ? Buffer.from([0xc0]) : packedText(random, String(random.below(1000))),
      packedText(random, random.pick(['SendParameterData', 'x', ''])),
      packedList(random, args),
      ...(random.once(2) ? [packedList(random, random.once(5) ? [packedText(random, '1')] : [])] : []),
    ];
    return maybeMutated(random, packedList(random, parts));
  },
  check(input) {
    let message: HubMessage;
    try {
      message = whole(protocol.parse(input));
    } catch (error) {
      if (error instanceof PitwallError) return;
      throw error;
    }
    if (message.kind !== 'invocation') return;
    if (message.arguments.length > maxArguments) throw new Error('has more arguments than any method takes');
    const end = endOf(input);
    const reading = end === undefined ? undefined : readPacked(input.subarray(0, end));
    // What stands behind the parts that have a meaning is not looked at.
    if (
      reading === undefined ||
      !('value' in reading) ||
      hasReplacement(message.target + message.invocationId)
    )
      return;
    const parts = reading.value as unknown[];
    const sameHead = parts[3] === message.target && (parts[2] || undefined) === message.invocationId;
    if (!sameHead) throw new Error(`reads a call of ${message.target} with the id ${message.invocationId}`);
    const count = (parts[4] as unknown[]).length;
    const isRight =
      message.arguments.length === Math.min(count, maxArguments) && message.hasMore === count > maxArguments;
    if (!isRight) throw new Error('loses an argument');
    for (const argument of message.arguments) {
      try {
        argument.json();
      } catch (error) {
        if (!(error instanceof PitwallError)) throw error;
      }
    }
  },
};

/** Names that are not UTF-8 are no names here; how they are shown may differ. */
function hasReplacement(text: string): boolean {
  return text.includes('\ufffd');
}

const maxArguments = 3;
const protocol = messagePackHubProtocol({
  int64AsString: false,
  maxDepth: 64,
  maxArguments,
  maxJsonBytes: 2 ** 26,
});

function maybeMutated(random: Random, bytes: Buffer): Buffer {
  return random.once(3) ? mutate(bytes, random, [...words, ...sizes], [bytes]) : bytes;
}

/** The end of the first value; undefined where there is none. */
function endOf(input: Buffer): number | undefined {
  const pack = { bytes: input, at: 0 };
  try {
    whole(skipPacked(pack));
    return pack.at;
  } catch (error) {
    if (error instanceof PitwallError) return undefined;
    throw error;
  }
}

type Reading =
  /** `isOther`: something in it has no meaning here. */
  { readonly value: unknown; readonly isOther: boolean } | { readonly message: string };

function readPacked(bytes: Buffer): Reading {
  let hasOtherNames = false;
  let names = 0;
  try {
    const value = decode(bytes, {
      useBigInt64: true,
      // Of arrays that end early the library makes all the elements before it notices.
      maxArrayLength: bytes.length,
      maxMapLength: bytes.length,
      mapKeyConverter(key) {
        names++;
        if (typeof key !== 'string') hasOtherNames = true;
        return String(key);
      },
    });
    // Of a name that stands twice the library keeps the last value, and something else may have been the first.
    return { value, isOther: hasOtherNames || hasOther(value) || countNames(value) < names };
  } catch (error) {
    return { message: (error as Error).message };
  }
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0;
  const members = Object.values(value);
  return members.reduce<number>(
    (sum, member) => sum + countNames(member),
    Array.isArray(value) ? 0 : members.length,
  );
}

function hasOther(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Uint8Array || value instanceof ExtData || value instanceof Date) return true;
  return Object.values(value).some(hasOther);
}

function same(ours: JsonValue, theirs: unknown): boolean {
  if (typeof theirs === 'bigint') return isNumber(ours) && ours.text === String(theirs);
  if (typeof theirs === 'number') {
    if (!Number.isFinite(theirs)) return ours === String(theirs);
    return isNumber(ours) && Object.is(ours.value, theirs);
  }
  if (theirs instanceof Uint8Array) return ours === Buffer.from(theirs).toString('base64');
  if (typeof theirs !== 'object' || theirs === null) return ours === theirs;
  if (Array.isArray(theirs)) {
    return (
      Array.isArray(ours) &&
      ours.length === theirs.length &&
      theirs.every((element, i) => same(ours[i], element))
    );
  }
  const members = Object.entries(theirs);
  return (
    ours instanceof Map &&
    ours.size === members.length &&
    members.every(([name, member]) => ours.has(name) && same(ours.get(name) as JsonValue, member))
  );
}

function isNumber(value: JsonValue): value is Extract<JsonValue, { readonly text: string }> {
  return typeof value === 'object' && value !== null && 'text' in value;
}
