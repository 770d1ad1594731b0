import { PitwallError } from '../errors.ts';

/** Where a page of rows ended: the identity of its last row. The next page begins behind it. */
export interface Position {
  readonly timestamp: bigint;
  readonly topic: string;
  readonly streamId: string;
  /** Canonical key of the row's tag set. */
  readonly tags: string;
}

/** A cursor is opaque to clients: base64url of a JSON array. It stays valid while rows come and go. */
export function encodeCursor(position: Position): string {
  const { timestamp, topic, streamId, tags } = position;
  return Buffer.from(JSON.stringify([String(timestamp), streamId, topic, tags])).toString('base64url');
}

export function decodeCursor(cursor: string): Position {
  try {
    const [timestamp, streamId, topic, tags] = JSON.parse(
      Buffer.from(cursor, 'base64url').toString(),
    ) as unknown[];
    if (![timestamp, streamId, topic, tags].every((part) => typeof part === 'string'))
      throw new Error('shape');
    if (!isTagKey(tags as string)) throw new Error('tags');
    return {
      timestamp: BigInt(timestamp as string),
      streamId: streamId as string,
      topic: topic as string,
      tags: tags as string,
    };
  } catch {
    throw new PitwallError('invalid_value', {
      errors: [{ path: 'cursor', message: 'is not a cursor that this service gave' }],
    });
  }
}

/** Whether a text is the JSON of pairs of texts. */
function isTagKey(text: string): boolean {
  const pairs = JSON.parse(text) as unknown;
  return (
    Array.isArray(pairs) &&
    pairs.every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string'),
    )
  );
}
