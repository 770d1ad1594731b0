import { encode } from '@msgpack/msgpack';
import type { Steps } from '../../turns/steps.ts';
import type { MemoryShare } from '../../wire/json/json-memory.ts';
import {
  type Argument,
  type HubMessage,
  type HubProtocol,
  MessageType,
  maxTextBytes,
  type ProtocolOptions,
} from './hub-message.ts';
import { joined } from './joined-chunks.ts';
import { isSequence } from './json-value.ts';
import { binaryMessage, binaryMessageFormat, binaryPrefix } from './message-formats.ts';
import { createTranscript, jsonOfPacked } from './messagepack-json.ts';
import {
  need,
  notMessagePack,
  type Pack,
  readArrayHeader,
  readFormat,
  readText,
  readUnsigned,
  skipPacked,
} from './messagepack-reader.ts';
import { pack, packSteps, takePacked } from './messagepack-steps.ts';

/**
 * Messages as MessagePack arrays, each after its length (HubProtocol.md, "MessagePack encoding"):
 *
 *   in   [1 | 4, headers, invocationId or nil, target, arguments, streamIds?], [6], [7, error?]; others are ignored
 *   out  [1, {}, nil, target, arguments, []], [3, {}, invocationId, 1, error], [3, {}, invocationId, 2],
 *        [3, {}, invocationId, 3, result], [6], [7, error or nil, allowReconnect]
 */
export function messagePackHubProtocol(options: ProtocolOptions): HubProtocol {
  const { int64AsString } = options;
  const message = (parts: readonly unknown[]): Buffer =>
    binaryMessage(encode(plain(parts, int64AsString), { useBigInt64: true }));
  return {
    name: 'messagepack',
    isBinary: true,
    framing: binaryMessageFormat,
    parse: (bytes) => parse({ bytes, at: 0 }, options),
    completion(invocationId, outcome) {
      if ('error' in outcome) return message([MessageType.Completion, {}, invocationId, 1, outcome.error]);
      if (outcome.result === undefined) return message([MessageType.Completion, {}, invocationId, 2]);
      return message([MessageType.Completion, {}, invocationId, 3, outcome.result]);
    },
    close: (error, allowReconnect) => message([MessageType.Close, error ?? null, allowReconnect]),
    listCompletion: (invocationId, list) =>
      messageInSteps([MessageType.Completion, {}, invocationId, 3, list], int64AsString),
    event: ({ target, args }) =>
      messageInSteps([MessageType.Invocation, {}, null, target, args, []], int64AsString),
    ping: message([MessageType.Ping]),
  };
}

function* messageInSteps(parts: readonly unknown[], int64AsString: boolean): Steps<Uint8Array> {
  const to = packSteps(int64AsString);
  yield* pack(to, parts);
  return yield* joined(takePacked(to), binaryPrefix);
}

function* parse(pack: Pack, options: ProtocolOptions): Steps<HubMessage> {
  const items = readArrayHeader(pack, 'the message');
  if (items === 0) throw notMessagePack('it is an empty array');
  const type = readType(pack);
  if (type === MessageType.Ping) return { kind: 'ping' };
  if (type === MessageType.Close) return { kind: 'close' };
  if (type !== MessageType.Invocation && type !== MessageType.StreamInvocation) return { kind: 'ignored' };
  if (items < 5) throw notMessagePack(`an invocation has ${items} items; at least 5 are needed`);
  // Headers; clients put their credentials there.
  yield* skipPacked(pack);
  const invocationId = readText(pack, 'the invocation id', maxTextBytes);
  const target = readText(pack, 'the target', maxTextBytes);
  if (target === undefined) throw notMessagePack('the target is missing');
  const { found, hasMore } = yield* readArguments(pack, options);
  // What follows arguments that are not read has no meaning: the call fails.
  const hasStreams = !hasMore && items > 5 && (yield* readHasElements(pack));
  return {
    kind: 'invocation',
    // Some clients write an empty text for none.
    invocationId: invocationId === '' ? undefined : invocationId,
    target,
    arguments: found,
    hasMore,
    streaming: hasStreams || type === MessageType.StreamInvocation,
  };
}

function readType(pack: Pack): number {
  const format = readFormat(pack);
  if (format < 0x80) return format;
  if (format === 0xcc) return readUnsigned(pack, 1);
  throw notMessagePack('the type must be a small integer');
}

interface Arguments {
  readonly found: readonly Argument[];
  readonly hasMore: boolean;
}

function* readArguments(pack: Pack, options: ProtocolOptions): Steps<Arguments> {
  const { maxArguments } = options;
  const count = readArrayHeader(pack, 'the list of arguments');
  // Each has a byte at least.
  need(pack, count);
  const found: Argument[] = [];
  for (let i = 0; i < Math.min(count, maxArguments); i++) {
    const start = pack.at;
    yield* skipPacked(pack);
    found.push(argument(pack.bytes.subarray(start, pack.at), options));
  }
  return { found, hasMore: count > maxArguments };
}

/** The size up to which the JSON of an argument is made at once. */
const shortBytes = 16 * 1024;

function argument(bytes: Buffer, { maxDepth, maxJsonBytes: maxBytes }: ProtocolOptions): Argument {
  let made: (() => Uint8Array) | undefined;
  const found = {
    length: bytes.length,
    jsonLength: bytes.length,

    json: () => (made === undefined ? jsonOfPacked({ bytes, at: 0 }, maxDepth) : made()),

    prepare(share: MemoryShare) {
      if (bytes.length <= shortBytes) return undefined;
      const transcript = createTranscript({ bytes, at: 0 }, { maxDepth, maxBytes, share });
      made = transcript.json;
      return () => {
        try {
          const hasMore = transcript.step();
          if (!hasMore) found.jsonLength = transcript.json().length;
          return hasMore;
        } catch (error) {
          made = () => {
            throw error;
          };
          return false;
        }
      };
    },
  };
  return found;
}

/** Whether the next value, an array or nil, has elements. */
function* readHasElements(pack: Pack): Steps<boolean> {
  const head = pack.at;
  yield* skipPacked(pack);
  if (pack.bytes[head] === 0xc0) return false;
  return readArrayHeader({ bytes: pack.bytes, at: head }, 'the list of stream ids') > 0;
}

/** Data as the encoder takes it: it would write typed arrays as binary, and undefined as nil. */
function plain(value: unknown, int64AsString: boolean): unknown {
  if (typeof value === 'bigint') return int64AsString ? String(value) : value;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (isSequence(value)) return Array.from(value, (element) => plain(element, int64AsString));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member, int64AsString)]));
}
