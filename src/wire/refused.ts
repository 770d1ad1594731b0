/** Why a door does not take a part of a message. */
export const refusals = ['bad_series', 'bad_time', 'bad_value', 'not_supported', 'exemplar'] as const;
export type Refusal = (typeof refusals)[number];

/** Counts what a door does not take of a message while it takes the rest. */
export class Refused {
  readonly counts = new Map<Refusal, number>();
  /** Without what is only left out. */
  total = 0;
  /** What is wrong with the first one. */
  first: string | undefined;

  /** So many values are refused, and their writer is told. */
  add(reason: Refusal, count: number, text: string): void {
    this.leaveOut(reason, count);
    this.total += count;
    this.first ??= text;
  }

  /** So many are left out, as the door's page says. */
  leaveOut(reason: Refusal, count: number): void {
    if (count > 0) this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
  }
}
