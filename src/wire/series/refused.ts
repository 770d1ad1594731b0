/** Why a door does not take a part of a message. */
export const refusals = [
  'bad_series',
  'too_many_streams',
  'bad_time',
  'not_supported',
  'exemplar',
  'bad_attribute',
  'no_value',
  'rounded',
  'replaced',
  'repeats_full',
] as const;
export type Refusal = (typeof refusals)[number];

/** Why nothing of a stream is taken, though its name is right; undefined where all is well. */
export type RefusesStream = (topic: string, streamId: string) => string | undefined;

/** Counts what a door does not take of a message while it takes the rest. */
export class Refused {
  readonly counts = new Map<Refusal, number>();
  /** Without what is only left out. */
  total = 0;
  /** What is wrong with the first one. */
  first: string | undefined;
  /** What was written otherwise than it came, or not, without being refused; the first of each reason. */
  readonly notes = new Map<Refusal, string>();

  /** So many values are refused, and their writer is told. */
  add(reason: Refusal, count: number, text: string): void {
    this.leaveOut(reason, count);
    this.total += count;
    this.first ??= text;
  }

  /** So many are left out, as the door's page says; with a text their writer is told. */
  leaveOut(reason: Refusal, count: number, text?: string): void {
    if (count === 0) return;
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
    if (text !== undefined && !this.notes.has(reason)) this.notes.set(reason, text);
  }
}
