import type { LiveEvent } from './live-event.ts';

/** Whoever wants to hear of a workspace: a connection. */
export interface Subscriber {
  readonly workspace: string;
  /** Must not throw, and not wait. */
  deliver(event: LiveEvent): void;
  /** Something that it subscribed to did not and will not come; it should come back and read what it missed. */
  interrupted?(): void;
}

/** `*` stands for every topic, stream, parameter or event. */
export type Subscription = IdSubscription | StreamSubscription | TopicSubscription;

export interface IdSubscription {
  readonly kind: 'parameter' | 'event';
  readonly topic: string;
  readonly streamId: string;
  readonly id: string;
}

export interface StreamSubscription {
  readonly kind: 'parameterDefinitions' | 'eventDefinitions';
  readonly topic: string;
  readonly streamId: string;
}

export interface TopicSubscription {
  readonly kind: 'activeStreams' | 'topicMetrics' | 'packages';
  readonly topic: string;
}

export const wildcard = '*';
