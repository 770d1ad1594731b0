import type { TopicActivity } from './activity.ts';
import type { Place } from './heartbeat.ts';
import type { WholePackage } from './package.ts';

/**
 * The link to the other nodes over NATS. It is made in the background and made again for ever; without it this node
 * does all its work but hears nothing of the others, nor they of it. What is promised:
 * docs/decisions/011-live-between-nodes.md.
 *
 * Subjects: `<prefix>.2.live.…` for packages (`subject.ts`), `<prefix>.2.node` for beats. The 2 is the version of
 * all that is sent: nodes of another one share nothing with this.
 */
export interface LiveLink {
  connected(): boolean;
  /** Why NATS does not let this node in, where it said so when it was last asked. */
  refused(): string | undefined;
  /** For people, empty where all is well. */
  readonly problems: readonly string[];
  readonly counts: LinkCounts;
  /** Who hears what the link brings. To be set once, before the first event of the loop. */
  attach(ends: LinkEnds): void;
  /** Patterns of packages, as `subscriptionPattern` makes them; counted. */
  want(pattern: string): void;
  unwant(pattern: string): void;
  /** In order. Not sent where there is no link or no room; others learn that it is missing. */
  publish(whole: WholePackage): void;
  /** A package of this node was let go before it came here; the other nodes learn that it is missing. */
  missed(place?: Place): void;
  /** Resolves when NATS knows what is wanted, or is away. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface LinkEnds {
  onPackage(arrived: WholePackage): void;
  onSummary(summary: readonly TopicActivity[]): void;
  /** Something that was wanted did not and will not come: of this topic, or, where undefined, anything. */
  onGap(place?: Place): void;
  /** What happened here since the last call, or, with `all`, every stream that is active through this node. */
  summary(all: boolean): TopicActivity[];
}

/** Packages, since the start. */
export interface LinkCounts {
  readonly sent: number;
  readonly lost: number;
  readonly received: number;
}
