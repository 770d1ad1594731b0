import { isTimestamp } from '../../domain/timestamp.ts';
import { PitwallError } from '../../errors.ts';

/** Where a page of rows ended: the identity of its last row. The next page begins after it. */
export interface Position {
  readonly timestamp: bigint;
  readonly topic: string;
  readonly streamId: string;
  /** Canonical key of the row's tag set. */
  readonly tags: string;
  /** What functions along rows remember there, in base64url (store/calculated/page-state.ts). Clients may have written it. */
  readonly state?: string;
}

/** Where a page of aggregated rows ended. */
export interface GroupPosition {
  readonly timestamp: bigint;
  /** A value per tag of `groupBy`; undefined for rows without the tag. */
  readonly group: readonly (string | undefined)[];
}

/**
 * A cursor with a state has so many characters at most. It stands in a header of the answer: of all headers together nginx
 * passes 4,096 bytes on unless it is told otherwise, HAProxy and Node.js four times as many.
 */
export const maxCursorLength = 3072;

/**
 * A cursor is opaque to clients: base64url of a JSON array, and behind a dot the state, where it has room. It stays valid
 * while rows come and go.
 */
export function encodeCursor({ timestamp, topic, streamId, tags, state }: Position): string {
  const place = encode([String(timestamp), streamId, topic, tags]);
  if (state === undefined || place.length + 1 + state.length > maxCursorLength) return place;
  return `${place}.${state}`;
}

export function encodeGroupCursor({ timestamp, group }: GroupPosition): string {
  return encode([String(timestamp), group.map((value) => value ?? null)]);
}

/** Throws `invalid_value` for anything that is not a cursor of raw rows. */
export function decodeCursor(cursor: string): Position {
  const dot = cursor.indexOf('.');
  const state = dot < 0 ? undefined : cursor.slice(dot + 1);
  return decode(dot < 0 ? cursor : cursor.slice(0, dot), ([timestamp, streamId, topic, tags]) => {
    if (!isTime(timestamp) || ![streamId, topic, tags].every(isText)) return undefined;
    if (!isTagKey(tags as string)) return undefined;
    if (state !== undefined && (state.length > maxCursorLength || !/^[\w-]+$/.test(state))) return undefined;
    return {
      timestamp: BigInt(timestamp),
      streamId: streamId as string,
      topic: topic as string,
      tags: tags as string,
      ...(state !== undefined && { state }),
    };
  });
}

/** Throws `invalid_value` for anything that is not a cursor of rows of that many tags. */
export function decodeGroupCursor(cursor: string, tags: number): GroupPosition {
  return decode(cursor, ([timestamp, group, ...rest]) => {
    if (!isTime(timestamp) || !Array.isArray(group) || group.length !== tags || rest.length > 0)
      return undefined;
    if (!group.every((value) => value === null || isText(value))) return undefined;
    return { timestamp: BigInt(timestamp), group: group.map((value) => value ?? undefined) };
  });
}

function encode(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function decode<Place>(cursor: string, read: (parts: readonly unknown[]) => Place | undefined): Place {
  try {
    const place = read(JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]);
    if (place !== undefined) return place;
  } catch {
    // Neither base64 nor JSON nor an array: the same mistake.
  }
  throw notACursor();
}

export function notACursor(): PitwallError {
  return new PitwallError('invalid_value', {
    errors: [{ path: 'cursor', message: 'is not a cursor that this service gave to this query' }],
  });
}

function isTime(value: unknown): value is string {
  return isText(value) && /^-?[0-9]{1,19}$/.test(value) && isTimestamp(BigInt(value));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether a text is the JSON of pairs of texts. */
function isTagKey(text: string): boolean {
  const pairs = JSON.parse(text) as unknown;
  return (
    Array.isArray(pairs) &&
    pairs.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
  );
}
