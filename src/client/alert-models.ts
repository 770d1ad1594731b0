import type { EventLevel } from '../domain/definition.ts';

/** A rule that watches the rows that are written to the streams of a topic. */
export interface AlertRule {
  /** Says when it is true, of rows that each stand for themselves: `WaterTemp > 120`. */
  readonly expression: string;
  /** It fires when the expression has been true for so long (`5s`); at once without it. */
  readonly for?: string;
  /** Says when what fires is over; without it, when the expression is not true. */
  readonly clear?: string;
  /** It fires, too, when a stream has given it no row for so long, while the service could take some. */
  readonly noDataFor?: string;
  /** Which streams of the topic; all without it. */
  readonly streams?: AlertStreams;
  readonly level?: EventLevel;
  /** What people are told. */
  readonly text?: string;
  /** Who is told of each change over HTTP. */
  readonly webhook?: AlertWebhook;
}

export interface AlertWebhook {
  /** At a host that the operator named with `--webhook-allow`. */
  readonly url: string;
  /** Sent with each message. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fields combine with AND, as those of a StreamFilter. */
export interface AlertStreams {
  readonly streamIds?: readonly string[];
  readonly location?: string;
  readonly metadata?: readonly { readonly key?: string; readonly value?: string }[];
  readonly name?: string;
  readonly parentStreamId?: string;
  readonly search?: string;
}

export interface AlertRuleInfo extends AlertRule {
  readonly name: string;
}

/** The stored rows to try a rule on. */
export interface AlertTest {
  readonly streamIds: readonly string[];
  /** Both inclusive. */
  readonly from?: bigint;
  readonly to?: bigint;
}

/** What a rule would have said. */
export interface AlertChange {
  readonly streamId: string;
  readonly state: 'firing' | 'resolved';
  /** The rule's parameters at that row; NaN and the infinities are texts. */
  readonly values: Readonly<Record<string, number | string>>;
  readonly timestamp: bigint;
}

export interface AlertFilter {
  readonly topic?: string;
  readonly topics?: readonly string[];
  readonly streamIds?: readonly string[];
  readonly names?: readonly string[];
}

/**
 * An alert that fires; or (`failed`, with a `problem`) a rule that could not be evaluated, that left out rows too far ahead of the
 * service's clock, or whose webhook could not be told.
 */
export interface Alert {
  readonly topic: string;
  readonly name: string;
  readonly streamId?: string;
  readonly state: 'firing' | 'failed';
  /** It fires because no rows come. */
  readonly noData?: boolean;
  readonly level?: EventLevel;
  readonly text?: string;
  readonly problem?: string;
  /** Of a rule with a webhook: what it was not told of this stream. */
  readonly webhook?: AlertWebhookState;
  /** Since when it fires. */
  readonly timestamp?: bigint;
}

export interface AlertWebhookState {
  /** Messages that wait to be sent. */
  readonly waiting: number;
  /** Why the last try failed. */
  readonly problem?: string;
  /** A message was given up since one was delivered. */
  readonly givenUp?: boolean;
}
