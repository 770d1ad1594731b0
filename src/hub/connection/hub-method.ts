import type { Principal } from '../../domain/principal.ts';
import type { Subscriber } from '../../live/subscription.ts';
import { checkName } from '../../wire/base/name.ts';
import { longBodyBytes } from '../../wire/json/in-slices.ts';
import { checkBodySize, type MemoryShare, settingsLimits } from '../../wire/json/json-memory.ts';
import { Byte } from '../../wire/json/json-scanner.ts';
import { decodeBody } from '../../wire/json/value.ts';
import { text } from '../../wire/requests/fields.ts';
import type { NameLimit } from '../../wire/rows/stream-request.ts';
import type { Argument } from '../protocol/hub-message.ts';

/** Who calls a method: a connection, and what its token allows. */
export interface Caller {
  readonly principal: Principal;
  readonly subscriber: Subscriber;
}

/** A method that clients can invoke. */
export interface HubMethod {
  readonly name: string;
  readonly scope: 'read' | 'write';
  /** The token of a share may call it as well: the method, or whoever delivers, narrows what it tells. */
  readonly openToShares?: true;
  /** How many arguments it takes: from, to. */
  readonly arity: readonly [min: number, max: number];
  /** The argument that may be large: what it takes to read it is done before the call begins. */
  readonly payload?: number;
  /** Begins only when the calls before it on its connection are answered, because it looks at what they did. */
  readonly looksBack?: true;
  /** Its result is a list that may be very long: the calls after it wait until the answer is made. */
  readonly answersList?: true;
  /**
   * Gives the result, undefined for none. A write has to reach the store before this returns, as long as the store
   * has room and its payload is not long: so the calls of one connection keep their order. Those after a long one wait. What it makes of its arguments counts against `share`.
   */
  invoke(caller: Caller, args: readonly Argument[], share: MemoryShare): unknown;
}

/** Whether a payload, which is prepared, is so long that it is decoded in slices. */
export function isLongArgument({ jsonLength }: Argument): boolean {
  return jsonLength >= longBodyBytes;
}

/** Whatever stands in the place of a text is not larger than the longest text. */
const textLimits = { ...settingsLimits, what: 'an argument that is a text' };

/** The text of an argument that is a string. */
export function textArgument(args: readonly Argument[], index: number, name: string): string {
  const argument = args[index]!;
  checkBodySize(argument, textLimits);
  const json = argument.json();
  return plainText(json) ?? text(decodeBody(json, textLimits), name);
}

/** The longest text that is looked at byte by byte: names are mostly shorter. */
const longestPlain = 64;

/** The text of a JSON string of printable ASCII without escapes, as nearly all are; undefined for all else. */
function plainText(json: Uint8Array): string | undefined {
  const end = json.length - 1;
  if (end < 1 || end > longestPlain || json[0] !== Byte.Quote || json[end] !== Byte.Quote) return undefined;
  for (let at = 1; at < end; at++) {
    const byte = json[at]!;
    if (byte < 0x20 || byte > 0x7e || byte === Byte.Quote || byte === Byte.Backslash) return undefined;
  }
  return Buffer.from(json.buffer, json.byteOffset + 1, end - 1).toString('latin1');
}

/** Reads an argument that is a name or id. */
export function nameArgument(
  args: readonly Argument[],
  index: number,
  name: string,
  { maxNameBytes }: NameLimit,
): string {
  return checkName(textArgument(args, index, name), name, maxNameBytes);
}
