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
    ) as string[];
    if (streamId === undefined || topic === undefined || !Array.isArray(JSON.parse(tags!)))
      throw new Error('shape');
    return { timestamp: BigInt(timestamp!), streamId, topic, tags: tags! };
  } catch {
    throw new PitwallError('invalid_value', {
      errors: [{ path: 'cursor', message: 'is not a cursor that this service gave' }],
    });
  }
}
