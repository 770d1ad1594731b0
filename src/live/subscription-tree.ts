import { foldTopic } from '../domain/topic.ts';
import type { Slices } from '../turns/slices.ts';
import { type Subscriber, type Subscription, wildcard } from './subscription.ts';
import { type Held, subscriptionTable } from './subscription-table.ts';

/** Kinds that nothing can be missed of: the next event tells the whole state. */
const summaries: ReadonlySet<Subscription['kind']> = new Set(['activeStreams', 'topicMetrics']);

/**
 * The subscriptions of one workspace, as a tree of (kind, topic, stream, id), so that a match costs a few look-ups
 * and what it finds, however many subscriptions there are. Topics match without regard to case.
 */
export interface SubscriptionTree {
  add(subscriber: Subscriber, subscription: Subscription): void;
  remove(subscriber: Subscriber, subscription: Subscription): void;
  /** Removes what a subscriber has for exactly this stream (or wildcard). It gets no more of it; the rest is done in slices. */
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
  /** True for a while where all who had were removed, and there were very many of them. */
  hasAny(kind: Subscription['kind'], topic: string, streamId?: string, id?: string): boolean;
}

/** Who subscribed to the parameters of one stream: of just this one, or by patterns. It is up to date until a turn ends. */
export interface ParameterSubscriptions {
  has(id: string): boolean;
  /**
   * Who wants a parameter, as the sets that the tree keeps, one for each pattern: two that are one object have the same
   * subscribers.
   */
  groups(id: string): readonly Subscribers[];
  /** The sets of who subscribed to it by its id. */
  named(id: string): readonly Subscribers[];
}

/** A set of those who subscribed to the same. */
export interface Subscribers extends Iterable<Subscriber> {
  has(subscriber: Subscriber): boolean;
}

/** Subscriptions that are removed between two looks at the clock. */
const fewPaths = 64;

/** Who subscribed, and how: one whose stream was removed may stand there for a while. */
class Leaf implements Subscribers {
  readonly #held = new Map<Subscriber, Own>();

  get size(): number {
    return this.#held.size;
  }

  has(subscriber: Subscriber): boolean {
    return this.#held.get(subscriber)?.stream.isOver === false;
  }

  *[Symbol.iterator](): Generator<Subscriber> {
    for (const [subscriber, { stream }] of this.#held) if (!stream.isOver) yield subscriber;
  }

  set(subscriber: Subscriber, own: Own): void {
    this.#held.set(subscriber, own);
  }

  /** Not where it has been subscribed to anew. */
  delete(subscriber: Subscriber, own: Own): void {
    if (this.#held.get(subscriber) === own) this.#held.delete(subscriber);
  }
}

/** With its path in the tree. */
type Own = Held<readonly string[]>;
type Node = Map<string, Node | Leaf>;

export function subscriptionTree(slices: Slices): SubscriptionTree {
  const root: Node = new Map();
  const table = subscriptionTable<readonly string[]>();

  function pruneAll(removed: Iterator<Own>, subscriber: Subscriber): void {
    for (let done = 1; ; done++) {
      const next = removed.next();
      if (next.done === true) return;
      prune(root, next.value, subscriber);
      if (done % fewPaths === 0 && slices.isOver()) {
        slices.later(() => pruneAll(removed, subscriber));
        return;
      }
    }
  }

  return {
    add(subscriber, subscription) {
      const path = pathOf(subscription);
      const own = table.set(subscriber, subscription, path);
      let node = root;
      for (const step of path.slice(0, -1)) node = child(node, step);
      const last = path.at(-1)!;
      const leaf = (node.get(last) as Leaf | undefined) ?? new Leaf();
      leaf.set(subscriber, own);
      node.set(last, leaf);
    },
    remove(subscriber, subscription) {
      const own = table.remove(subscriber, subscription);
      if (own !== undefined) prune(root, own, subscriber);
    },
    removeStream(subscriber, topic, streamId) {
      pruneAll(table.removeStream(subscriber, topic, streamId).held()[Symbol.iterator](), subscriber);
    },
    drop(subscriber) {
      pruneAll(table.drop(subscriber).held()[Symbol.iterator](), subscriber);
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
function prune(node: Node, own: Own, subscriber: Subscriber, depth = 0): void {
  const path = own.value;
  const step = path[depth]!;
  const next = node.get(step);
  // It was subscribed to anew meanwhile, and that was removed.
  if (next === undefined) return;
  if (depth === path.length - 1) (next as Leaf).delete(subscriber, own);
  else prune(next as Node, own, subscriber, depth + 1);
  if (next.size === 0) node.delete(step);
}
