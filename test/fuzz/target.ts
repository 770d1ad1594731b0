import type { Random } from './random.ts';

/** A claim about a reader of bytes that come from outside, and a source of bytes to try it with. */
export interface Target {
  /** How `--only` names it. */
  readonly name: string;
  /** How many inputs `npm test` tries; none where the claim is of time. */
  readonly short: number;
  /** An input that the random numbers determine. It is used before the next one is made, and may share its memory. */
  make(random: Random): Buffer;
  /** Throws where the claim does not hold for these bytes. */
  check(input: Buffer): void | Promise<void>;
  /** Makes ready what the checks need, such as a service; gives what ends it. */
  open?(): Promise<() => Promise<void>>;
}
