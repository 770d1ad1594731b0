import type { Steps } from '../../turns/steps.ts';
import { fault } from '../../wire/base/fault.ts';
import { readNumber } from '../../wire/json/json-number.ts';
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
} from '../../wire/json/json-scanner.ts';
import { readKey, readString } from '../../wire/json/json-string.ts';
import { createJsonWriter, takeReady, takeRest, writeText } from '../../wire/json/json-writer.ts';
import {
  type Argument,
  type HubMessage,
  type HubProtocol,
  MessageType,
  maxTextBytes,
  type ProtocolOptions,
} from './hub-message.ts';
import { joined } from './joined-chunks.ts';
import { jsonSteps, writeJson } from './json-steps.ts';
import { jsonOf } from './json-value.ts';
import { tooLarge } from './message-buffer.ts';
import { textMessage, textMessageFormat } from './message-formats.ts';
import { isShort, skipShortValue, skipValue, stringEnd } from './skip-value.ts';

/**
 * Messages as JSON, each with the record separator 0x1E after it (HubProtocol.md, "JSON encoding"):
 *
 *   in   { type: 1 | 4, invocationId?, target, arguments, streamIds?, headers? }   fields in any order
 *        { type: 6 }, { type: 7 }; other types are ignored
 *   out  { type: 1, target, arguments }, { type: 3, invocationId, result | error }, { type: 6 },
 *        { type: 7, error?, allowReconnect? }
 *
 * Arguments are not read here: each is a range of the message's bytes, for the scanner that knows its type.
 */
export function jsonHubProtocol(options: ProtocolOptions): HubProtocol {
  const { int64AsString } = options;
  return {
    name: 'json',
    isBinary: false,
    framing: textMessageFormat,
    parse: (message) => parse(message, options),
    completion(invocationId, outcome) {
      const id = JSON.stringify(invocationId);
      if ('error' in outcome)
        return textMessage(`{"type":3,"invocationId":${id},"error":${JSON.stringify(outcome.error)}}`);
      if (outcome.result === undefined) return textMessage(`{"type":3,"invocationId":${id}}`);
      return textMessage(`{"type":3,"invocationId":${id},"result":${jsonOf(outcome.result, int64AsString)}}`);
    },
    close(error, allowReconnect) {
      const reason = error === undefined ? '' : `,"error":${JSON.stringify(error)}`;
      return textMessage(`{"type":7${reason}${allowReconnect ? ',"allowReconnect":true' : ''}}`);
    },
    listCompletion: (invocationId, list) =>
      message(`{"type":3,"invocationId":${JSON.stringify(invocationId)},"result":`, list, int64AsString),
    event: ({ target, args }) => message(`{"type":1,"target":"${target}","arguments":`, args, int64AsString),
    ping: textMessage('{"type":6}'),
  };
}

/** A message whose last member is `value`. */
function* message(begin: string, value: unknown, int64AsString: boolean): Steps<Uint8Array> {
  const out = createJsonWriter();
  writeText(out, begin);
  yield* writeJson(jsonSteps(out, int64AsString), value);
  writeText(out, '}\u001e');
  return yield* joined([...takeReady(out), ...takeRest(out)]);
}

/** The most members of a message: it has about ten, and clients add few of their own. */
const maxMembers = 64;

function* parse(message: Buffer, options: ProtocolOptions): Steps<HubMessage> {
  const scan = openScan(message);
  let type: number | undefined;
  let invocationId: string | undefined;
  let target: string | undefined;
  let args: Arguments = { found: [], hasMore: false };
  let members = 0;
  let hasStreams = false;
  if (peek(scan) !== Byte.OpenObject) throw wrongType(scan, '', 'an object');
  if (openObject(scan)) {
    do {
      if (++members > maxMembers)
        throw fault('bad_request', '', `has more members than the ${maxMembers} that a message may have`);
      switch (hasShortName(scan) ? readKey(scan) : yield* skipName(scan)) {
        case 'type':
          if (describeNext(scan) !== 'a number') throw wrongType(scan, 'type', 'a number');
          type = readNumber(scan);
          break;
        case 'invocationId':
          invocationId = readText(scan, 'invocationId');
          break;
        case 'target':
          target = readText(scan, 'target');
          break;
        case 'arguments':
          if (!takeNull(scan)) args = yield* readArguments(scan, options);
          break;
        case 'streamIds':
          hasStreams = yield* readHasElements(scan);
          break;
        default:
          yield* skipValue(scan);
      }
    } while (nextMember(scan));
  }
  endScan(scan);
  switch (type) {
    case undefined:
      throw fault('missing_property', 'type', 'is missing');
    case MessageType.Invocation:
    case MessageType.StreamInvocation:
      if (target === undefined) throw fault('missing_property', 'target', 'is missing');
      return {
        kind: 'invocation',
        // Some clients write an empty text for none.
        invocationId: invocationId === '' ? undefined : invocationId,
        target,
        arguments: args.found,
        hasMore: args.hasMore,
        streaming: hasStreams || type === MessageType.StreamInvocation,
      };
    case MessageType.Ping:
      return { kind: 'ping' };
    case MessageType.Close:
      return { kind: 'close' };
    default:
      return { kind: 'ignored' };
  }
}

function readText(scan: Scan, path: string): string | undefined {
  if (takeNull(scan)) return undefined;
  if (peek(scan) !== Byte.Quote) throw wrongType(scan, path, 'a string');
  if (isLongText(scan)) throw tooLarge(path === 'target' ? 'the target' : 'the invocation id', maxTextBytes);
  return readString(scan);
}

/** Whether the name of the next member is short enough to have a meaning; what is no name is for `readKey` to tell. */
function hasShortName(scan: Scan): boolean {
  return peek(scan) !== Byte.Quote || !isLongText(scan);
}

/** Gets past the name of a member, and the `:` after it. */
function* skipName(scan: Scan): Steps<undefined> {
  yield* skipValue(scan);
  readColon(scan);
  return undefined;
}

/** Whether the string that is next has more than `maxTextBytes` as it is written. */
function isLongText({ bytes, at, end }: Scan): boolean {
  const from = at + 1;
  return end - from > maxTextBytes && stringEnd(bytes, from, from + maxTextBytes + 1) > from + maxTextBytes;
}

interface Arguments {
  readonly found: readonly Argument[];
  readonly hasMore: boolean;
}

/** Those that methods take are found one by one; where there are more, the scan gets past all of them at once. */
function* readArguments(scan: Scan, { maxDepth, maxArguments }: ProtocolOptions): Steps<Arguments> {
  if (peek(scan) !== Byte.OpenArray) throw wrongType(scan, 'arguments', 'an array');
  const first = scan.at;
  const found: Argument[] = [];
  if (openArray(scan)) {
    do {
      if (found.length === maxArguments) {
        scan.at = first;
        scan.depth--;
        yield* skipValue(scan);
        return { found, hasMore: true };
      }
      peek(scan);
      const start = scan.at;
      const depth = isShort(scan) ? skipShortValue(scan) : yield* skipValue(scan);
      found.push(argument(scan.bytes.subarray(start, scan.at), depth, maxDepth));
    } while (nextElement(scan));
  }
  return { found, hasMore: false };
}

function argument(json: Uint8Array, depth: number, maxDepth: number): Argument {
  return {
    length: json.length,
    jsonLength: json.length,
    json() {
      if (depth > maxDepth) throw fault('too_deep', '', `is nested deeper than ${maxDepth} levels`);
      return json;
    },
  };
}

function* readHasElements(scan: Scan): Steps<boolean> {
  if (takeNull(scan)) return false;
  if (peek(scan) !== Byte.OpenArray) throw wrongType(scan, 'streamIds', 'an array');
  const start = scan.at;
  if (!openArray(scan)) return false;
  scan.at = start;
  scan.depth--;
  yield* skipValue(scan);
  return true;
}

function wrongType(scan: Scan, path: string, expected: string) {
  return fault('wrong_type', path, `must be ${expected}, not ${describeNext(scan)}`);
}
