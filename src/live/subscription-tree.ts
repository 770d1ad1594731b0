import { foldTopic } from '../domain/topic.ts';
import type { Slices } from '../slices.ts';
import { type Subscriber, type Subscription, wildcard } from './subscription.ts';
import { subscriptionTable } from './subscription-table.ts';

/** Kinds that nothing can be missed of: the next event tells the whole state. */
const summaries: ReadonlySet<Subscription['kind']> = new Set(['activeStreams', 'topicMetrics']);

/**
 * The subscriptions of one workspace, as a tree of (kind, topic, stream, id), so that a match costs a few look-ups
 * and what it finds, however many subscriptions there are. Topics match without regard to case.
 */
export interface SubscriptionTree {
  add(subscriber: Subscriber, subscription: Subscription): void;
  remove(subscriber: Subscriber, subscription: Subscription): void;
  /** Removes what a subscriber has for exactly this stream (or wildcard). */
  removeStream(subscriber: Subscriber, topic: string, streamId: string): void;
  /** Removes all of a subscriber that takes no more events: where they are very many, in slices. */
  drop(subscriber: Subscriber): void;
  isEmpty(): boolean;
  /** Everyone who subscribed to what is written (to these topics, folded), not only to what is active and how much comes. */
  readers(topics?: ReadonlySet<string>): Subscriber[];
  /** Everyone who subscribed to this, each once or, by several patterns, more often. */
  matches(kind: Subscription['kind'], topic: string, streamId?: string, id?: string): Iterable<Subscriber>;
  /** Who subscribed to which parameters of a stream; look-ups of all parameters of a package begin here. */
  parametersOf(topic: string, streamId: string): ParameterSubscriptions;
  hasAny(kind: Subscription['kind'], topic: string, streamId?: string, id?: string): boolean;
}

/** Who subscribed to the parameters of one stream: of just this one, or by patterns. It is up to date until a turn ends. */
export interface ParameterSubscriptions {
  has(id: string): boolean;
  /**
   * Who wants a parameter, as the sets that the tree keeps, one for each pattern: two that are one object have the same
   * subscribers.
   */
  groups(id: string): readonly ReadonlySet<Subscriber>[];
  /** The sets of who subscribed to it by its id. */
  named(id: string): readonly ReadonlySet<Subscriber>[];
}

/** Subscriptions that are removed between two looks at the clock. */
const fewPaths = 64;

type Leaf = Set<Subscriber>;
type Node = Map<string, Node | Leaf>;

export function subscriptionTree(slices: Slices): SubscriptionTree {
  const root: Node = new Map();
  const table = subscriptionTable<readonly string[]>();

  function pruneAll(paths: readonly (readonly string[])[], subscriber: Subscriber): void {
    let done = 0;
    for (const path of paths) {
      if (done > 0 && done % fewPaths === 0 && slices.isOver()) {
        slices.later(() => pruneAll(paths.slice(done), subscriber));
        return;
      }
      prune(root, path, subscriber);
      done++;
    }
  }

  return {
    add(subscriber, subscription) {
      const path = pathOf(subscription);
      table.set(subscriber, subscription, path);
      let node = root;
      for (const step of path.slice(0, -1)) node = child(node, step);
      const leaf = node.get(path.at(-1)!) as Set<Subscriber> | undefined;
      if (leaf === undefined) node.set(path.at(-1)!, new Set([subscriber]));
      else leaf.add(subscriber);
    },
    remove(subscriber, subscription) {
      const path = table.remove(subscriber, subscription);
      if (path !== undefined) prune(root, path, subscriber);
    },
    removeStream(subscriber, topic, streamId) {
      for (const path of table.removeStream(subscriber, topic, streamId)) prune(root, path, subscriber);
    },
    drop(subscriber) {
      pruneAll(table.drop(subscriber), subscriber);
    },
    isEmpty: table.isEmpty,
    readers: (topics) =>
      [...table.all()]
        .filter(([, own]) =>
          own.some(
            ({ kind, topic }) =>
              !summaries.has(kind) &&
              (topics === undefined || topic === wildcard || topics.has(foldTopic(topic))),
          ),
        )
        .map(([subscriber]) => subscriber),
    *matches(kind, topic, streamId, id) {
      for (const found of reached(root, kind, topic, streamId, id)) yield* found as Leaf;
    },
    parametersOf: (topic, streamId) => subscriptionsOf(reached(root, 'parameter', topic, streamId) as Node[]),
    hasAny: (kind, topic, streamId, id) => reached(root, kind, topic, streamId, id).length > 0,
  };
}

function pathOf(subscription: Subscription): string[] {
  const path = [subscription.kind, foldTopic(subscription.topic)];
  if ('streamId' in subscription) path.push(subscription.streamId);
  if ('id' in subscription) path.push(subscription.id);
  return path;
}

/** The nodes at the end of the steps. Every step but the kind matches its own name and the wildcard. */
function reached(
  root: Node,
  kind: Subscription['kind'],
  topic: string,
  streamId?: string,
  id?: string,
): (Node | Leaf)[] {
  const ofKind = root.get(kind);
  if (ofKind === undefined) return [];
  let found = below([ofKind as Node], foldTopic(topic));
  if (streamId !== undefined) found = below(found as Node[], streamId);
  if (id !== undefined) found = below(found as Node[], id);
  return found;
}

function below(nodes: readonly Node[], name: string): (Node | Leaf)[] {
  const found: (Node | Leaf)[] = [];
  for (const node of nodes) {
    const own = node.get(name);
    if (own !== undefined) found.push(own);
    const any = name === wildcard ? undefined : node.get(wildcard);
    if (any !== undefined) found.push(any);
  }
  return found;
}

/** @param streams the nodes of the stream, of patterns too */
function subscriptionsOf(streams: readonly Node[]): ParameterSubscriptions {
  return {
    has: (id) => streams.some((node) => node.has(id) || node.has(wildcard)),
    groups: (id) => below(streams, id) as Leaf[],
    named: (id) =>
      id === wildcard ? [] : streams.map((node) => node.get(id) as Leaf).filter((leaf) => leaf !== undefined),
  };
}

function child(node: Node, step: string): Node {
  let next = node.get(step) as Node | undefined;
  if (next === undefined) {
    next = new Map();
    node.set(step, next);
  }
  return next;
}

/** Takes a subscriber out of the leaf, and branches that are empty then. */
function prune(node: Node, path: readonly string[], subscriber: Subscriber, depth = 0): void {
  const step = path[depth]!;
  const next = node.get(step)!;
  if (depth === path.length - 1) (next as Leaf).delete(subscriber);
  else prune(next as Node, path, subscriber, depth + 1);
  if (next.size === 0) node.delete(step);
}
