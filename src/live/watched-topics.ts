import { foldTopic } from '../domain/topic.ts';
import { type ActiveStreams, activeStreams } from './active-streams.ts';
import { type InOrder, inOrder } from './in-order.ts';
import { wildcard } from './subscription.ts';
import type { TopicHistory } from './topic-history.ts';

/** What is known of a topic from moment to moment. */
export interface TopicWatch {
  readonly workspace: string;
  /** As it came. */
  readonly topic: string;
  readonly active: ActiveStreams;
  /** Streams to be told at the next tick. */
  readonly changed: Set<string>;
  /** Streams that have been told since the last tick: once a second is enough. */
  readonly told: Set<string>;
  /** Readers learn of streams in the order in which things happened to them. */
  readonly telling: InOrder;
  /** Bytes since the last tick. */
  bytes: number;
  /** Ticks since something was written or asked for. */
  quietTicks: number;
  history: TopicHistory | undefined;
}

/** The topics that are watched. */
export interface WatchedTopics {
  /** The watch of a topic, which begins where there is none. */
  begin(workspace: string, topic: string): TopicWatch;
  find(workspace: string, topic: string): TopicWatch | undefined;
  /** The one of a topic, or for `*` all of the workspace. */
  select(workspace: string, topic: string): Iterable<TopicWatch>;
  /** All; what is iterated may be ended. */
  all(): Iterable<TopicWatch>;
  end(watch: TopicWatch): void;
}

export function watchedTopics(): WatchedTopics {
  const workspaces = new Map<string, Map<string, TopicWatch>>();

  const find = (workspace: string, topic: string): TopicWatch | undefined =>
    workspaces.get(workspace)?.get(foldTopic(topic));

  return {
    begin(workspace, topic) {
      let topics = workspaces.get(workspace);
      if (topics === undefined) {
        topics = new Map();
        workspaces.set(workspace, topics);
      }
      const key = foldTopic(topic);
      let watch = topics.get(key);
      if (watch === undefined) {
        watch = {
          workspace,
          topic,
          active: activeStreams(),
          changed: new Set(),
          told: new Set(),
          telling: inOrder(),
          bytes: 0,
          quietTicks: 0,
          history: undefined,
        };
        topics.set(key, watch);
      }
      return watch;
    },

    find,

    select(workspace, topic) {
      if (topic === wildcard) return workspaces.get(workspace)?.values() ?? [];
      const watch = find(workspace, topic);
      return watch === undefined ? [] : [watch];
    },

    *all() {
      for (const topics of workspaces.values()) yield* topics.values();
    },

    end({ workspace, topic }) {
      const topics = workspaces.get(workspace);
      topics?.delete(foldTopic(topic));
      if (topics?.size === 0) workspaces.delete(workspace);
    },
  };
}
