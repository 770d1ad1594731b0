import type { EventLevel } from './definition.ts';
import type { StreamFilter } from './query.ts';

/** A rule that watches what is written to the streams of a topic (contract, section 10). */
export interface AlertRule {
  /** Of a topic each once; its events have the id `alert:<name>`. */
  readonly name: string;
  /** Says when it is true; of rows, each of which stands for itself. */
  readonly expression: string;
  /** It fires when the expression has been true for so long: nanoseconds, 0 for at once. */
  readonly forNs: bigint;
  /** Says when what fires is over; without it, when `expression` is not true. */
  readonly clear?: string;
  /** It fires, too, when a stream has given it no row for so long: nanoseconds of the service's clock. */
  readonly noDataForNs?: bigint;
  /** Which streams of the topic; all without it. Only fields in `ruleFilterFields`. */
  readonly streams?: RuleFilter;
  readonly level?: EventLevel;
  /** What people are told. */
  readonly text?: string;
  /** Who is told of each change over HTTP. */
  readonly webhook?: Webhook;
}

/** Where the messages of a rule go. */
export interface Webhook {
  /** http or https, in its normal form. */
  readonly url: string;
  /** Sent with each message; their values may be secrets. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a stream is chosen by: what does not depend on when it is asked. */
export const ruleFilterFields = [
  'streamIds',
  'location',
  'metadata',
  'name',
  'parentStreamId',
  'search',
] as const;
export type RuleFilter = Pick<StreamFilter, (typeof ruleFilterFields)[number]>;

/** A rule as it is kept. */
export interface StoredRule {
  readonly rule: AlertRule;
  /** When it was made (ms): one that was removed and made again begins anew. */
  readonly made: number;
  /** Another number for each change: a run of true rows counts for one wording of the rule. */
  readonly revision: number;
}

/** The longest `for` of a rule: times are compared as doubles, and those within about 104 days are exact. */
export const maxForNs = 100n * 86_400n * 1_000_000_000n;

export type AlertState = 'firing' | 'resolved';

/** The id of the events that a rule writes. */
export function alertEventId(name: string): string {
  return `alert:${name}`;
}
