import { foldTopic } from '../domain/topic.ts';

/**
 * How long after its end a stream may be told of by another node: what was written just before goes with the next
 * beat.
 */
const lateMs = 2000;

/** Streams that ended a moment ago: that they were written to is no news, for what was written came before the end. */
export class RecentEndings {
  /** Milliseconds of a clock. */
  readonly #now: () => number;
  /** When each ended, the oldest first but for streams that ended again. */
  readonly #times = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(workspace: string, topic: string, streamId: string): void {
    this.#times.set(keyOf(workspace, topic, streamId), this.#now());
  }

  has(workspace: string, topic: string, streamId: string): boolean {
    const ending = this.#times.size === 0 ? undefined : this.#times.get(keyOf(workspace, topic, streamId));
    return ending !== undefined && this.#now() - ending < lateMs;
  }

  remove(workspace: string, topic: string, streamId: string): void {
    this.#times.delete(keyOf(workspace, topic, streamId));
  }

  /** Lets go of those that have become old. */
  forgetOld(): void {
    for (const [key, time] of this.#times) {
      if (this.#now() - time < lateMs) break;
      this.#times.delete(key);
    }
  }
}

function keyOf(workspace: string, topic: string, streamId: string): string {
  return JSON.stringify([workspace, foldTopic(topic), streamId]);
}
