import { foldTopic } from '../domain/topic.ts';
import { PitwallError } from '../errors.ts';

/** The workspace may have no more streams, and a batch would make some. */
export class TooManyStreams extends PitwallError {
  readonly #made: ReadonlySet<string>;

  /** @param made the streams that it would make, by `streamName` */
  constructor(workspace: string, most: number, made: ReadonlySet<string>) {
    super('too_many_streams', {
      detail: `the workspace '${workspace}' may have ${most} streams; delete some for good first`,
    });
    this.#made = made;
  }

  /** Whether the batch would make this stream. */
  makes(topic: string, streamId: string): boolean {
    return this.#made.has(streamName(topic, streamId));
  }
}

/** One text for a stream of a workspace. */
export function streamName(topic: string, streamId: string): string {
  return JSON.stringify([foldTopic(topic), streamId]);
}
