import { type ErrorCode, PitwallError } from '../../../errors.ts';
import type { SlabMemory } from '../log/slab.ts';
import type { Flusher } from './flush.ts';

/** Room in memory for rows that are not in parts yet; refuses writes that cannot be taken now. */
export class WriteRoom {
  readonly #flush;
  /** Bytes that rows may take which wait to become parts. */
  readonly #free: number;
  /** Workspaces whose removal is on its way to the disk. */
  readonly #closed = new Set<string>();

  /** @param headBytes what rows that wait to become parts may take, but for one slab, which is being written */
  constructor(
    flush: Pick<Flusher, 'waitingBytes' | 'failure' | 'progress'>,
    { slabBytes }: Pick<SlabMemory, 'slabBytes'>,
    headBytes: number,
  ) {
    this.#flush = flush;
    this.#free = Math.max(headBytes, 3 * slabBytes) - 2 * slabBytes;
  }

  /** Undefined where there is room, or none will come; otherwise resolves when there may be. */
  wait(): Promise<void> | undefined {
    return this.#flush.failure === undefined && this.#isFull() ? this.#flush.progress() : undefined;
  }

  /** Why there is no room, and none will come for now; undefined where there is, or it comes. */
  get failure(): ErrorCode | undefined {
    return this.#flush.failure !== undefined && this.#isFull() ? this.#flush.failure : undefined;
  }

  /** Whether more than half of it is taken: then sealing does not keep up. */
  get isHalfTaken(): boolean {
    return this.#flush.waitingBytes > this.#free / 2;
  }

  /** Throws a PitwallError (503) where a write to these workspaces cannot be taken now. */
  check(workspaces: readonly string[], freesSpace: boolean): void {
    const { failure } = this;
    if (failure !== undefined && !(freesSpace && failure === 'disk_full')) throw new PitwallError(failure);
    // The write would use numbers that are gone when its record is applied, after that of the removal.
    if (this.#closed.size > 0 && workspaces.some((name) => this.#closed.has(name))) {
      throw new PitwallError('overloaded', { detail: 'the workspace is being removed' });
    }
  }

  /** Takes no writes to these workspaces until `open`. */
  close(workspaces: readonly string[]): void {
    for (const name of workspaces) this.#closed.add(name);
  }

  open(workspaces: readonly string[]): void {
    for (const name of workspaces) this.#closed.delete(name);
  }

  #isFull(): boolean {
    return this.#flush.waitingBytes > this.#free;
  }
}
