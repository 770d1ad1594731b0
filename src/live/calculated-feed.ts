import type { Document } from '../domain/document.ts';
import { entryOf } from '../domain/entry-of.ts';
import type { NumericColumn, Rows } from '../domain/parameter-data.ts';
import { foldTopic } from '../domain/topic.ts';
import { evaluatorOf } from '../expression/evaluate.ts';
import type { Expression } from '../expression/syntax.ts';
import { topicExpressions } from '../expression/topic-expressions.ts';
import type { Steps } from '../turns/steps.ts';
import type { AheadLimit } from './ahead-limit.ts';
import { calculatedColumn } from './calculate-rows.ts';
import { type LiveRoom, type Run, Runs } from './calculated-runs.ts';
import type { Place } from './models.ts';
import { type Subscriber, type Subscription, wildcard } from './subscription.ts';
import type { SubscriptionTree } from './subscription-tree.ts';

/** What a subscriber gets of a package: for each of its rows the calculated columns, of one id or several. */
export interface CalculatedDelivery {
  readonly subscriber: Subscriber;
  readonly rows: readonly Rows[];
}

/**
 * Calculated parameters of topics for who subscribed to them by their ids; `*` stands for what is written only. What runs
 * along rows begins with the first package after the subscription.
 */
export interface CalculatedFeed {
  /** Parameters that are needed for what is subscribed of a stream. */
  operands(topic: string, streamId: string): ReadonlySet<string>;
  /** In order for each stream. Stops after each fraction of a millisecond. */
  deliveries(place: Place, rows: readonly Rows[]): Generator<CalculatedDelivery | undefined, void, undefined>;
  /**
   * Forgets what runs along rows for a subscriber, of a subscription, or all: these have left the tree. What it has subscribed to
   * in another way too goes on.
   */
  forget(
    subscriber: Subscriber,
    subscription?: Pick<Subscription, 'topic'> & { streamId?: string; id?: string },
  ): void;
  /** Forgets what runs along the rows of a stream. */
  ended(topic: string, streamId: string): void;
}

/** A column of each of the rows of a package. */
interface Wish {
  readonly id: string;
  readonly columns: readonly (NumericColumn | undefined)[];
}

const nothing: ReadonlySet<string> = new Set();

export function calculatedFeed(
  tree: SubscriptionTree,
  keptOf: (topic: string) => readonly Document[],
  room: LiveRoom,
  limit: AheadLimit,
): CalculatedFeed {
  return new Feed(tree, keptOf, room, limit);
}

class Feed implements CalculatedFeed {
  readonly #tree: SubscriptionTree;
  readonly #keptOf: (topic: string) => readonly Document[];
  /** What runs along rows of streams. */
  readonly #runs: Runs;

  constructor(
    tree: SubscriptionTree,
    keptOf: (topic: string) => readonly Document[],
    room: LiveRoom,
    limit: AheadLimit,
  ) {
    this.#tree = tree;
    this.#keptOf = keptOf;
    this.#runs = new Runs(room, limit);
  }

  operands(topic: string, streamId: string): ReadonlySet<string> {
    let names: Set<string> | undefined;
    for (const { expression } of this.#wanted({ topic, streamId })) {
      names ??= new Set();
      for (const name of expression.parameters) names.add(name);
    }
    return names ?? nothing;
  }

  *deliveries(
    place: Place,
    all: readonly Rows[],
  ): Generator<CalculatedDelivery | undefined, void, undefined> {
    const found = new Map<Subscriber, Wish[]>();
    const add = (id: string, subscribers: Iterable<Subscriber>, columns: Wish['columns']): void => {
      if (columns.every((column) => column === undefined)) return;
      const wish = { id, columns };
      for (const subscriber of subscribers) {
        const own = found.get(subscriber);
        if (own === undefined) found.set(subscriber, [wish]);
        else own.push(wish);
      }
    };
    for (const { id, expression } of this.#wanted(place)) {
      yield;
      if (expression.lookBack !== undefined) {
        for (const run of this.#runs.of(place, id, expression, this.#byName(place, id))) {
          const columns = yield* waiting(this.#runs.along(run, all));
          if (columns !== undefined) add(id, run.subscribers, columns);
        }
        continue;
      }
      const evaluator = evaluatorOf(expression);
      evaluator.beginStream();
      const columns: (NumericColumn | undefined)[] = [];
      for (const rows of all) columns.push(yield* waiting(calculatedColumn(rows, id, expression, evaluator)));
      add(id, this.#byName(place, id), columns);
    }
    // Those who get the same columns get the same rows.
    const made = new Map<string, readonly Rows[]>();
    const numbers = new Map<Wish, number>();
    for (const [subscriber, wishes] of found) {
      // The subscriptions as they are by now.
      const held = wishes.filter(({ id }) => this.#isStill(place, id, subscriber));
      if (held.length === 0) continue;
      const key = held.map((wish) => entryOf(numbers, wish, () => numbers.size)).join();
      yield { subscriber, rows: entryOf(made, key, () => withColumns(all, held)) };
    }
  }

  forget(
    subscriber: Subscriber,
    subscription?: Pick<Subscription, 'topic'> & { streamId?: string; id?: string },
  ): void {
    for (const run of this.#runs.ofSubscriber(subscriber))
      if (isOf(subscription, run) && !this.#isStill(run.place, run.id, subscriber))
        this.#runs.leave(run, subscriber);
  }

  ended(topic: string, streamId: string): void {
    this.#runs.end({ topic, streamId });
  }

  /** What someone subscribed to by its id. */
  *#wanted({ topic, streamId }: Place): Generator<{ id: string; expression: Expression }> {
    const items = this.#keptOf(topic);
    if (items.length === 0 || !this.#tree.hasAny('parameter', topic, streamId)) return;
    const expressions = topicExpressions(items);
    const subscriptions = this.#tree.parametersOf(topic, streamId);
    for (const id of expressions.ids) {
      if (subscriptions.named(id).length === 0) continue;
      const expression = expressions.of(id);
      if (expression !== undefined) yield { id, expression };
    }
  }

  #byName({ topic, streamId }: Place, id: string): Set<Subscriber> {
    return new Set(
      this.#tree
        .parametersOf(topic, streamId)
        .named(id)
        .flatMap((own) => [...own]),
    );
  }

  #isStill({ topic, streamId }: Place, id: string, subscriber: Subscriber): boolean {
    return this.#tree
      .parametersOf(topic, streamId)
      .named(id)
      .some((own) => own.has(subscriber));
  }
}

function withColumns(all: readonly Rows[], wishes: readonly Wish[]): Rows[] {
  return all
    .map((rows, i) => ({
      ...rows,
      columns: wishes.map(({ columns }) => columns[i]).filter((column) => column !== undefined),
    }))
    .filter(({ columns }) => columns.length > 0);
}

/** Steps without a delivery. */
function* waiting<Result>(steps: Steps<Result>): Steps<Result> {
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done === true) return next.value;
    yield undefined;
  }
}

function isOf(
  subscription: { topic: string; streamId?: string; id?: string } | undefined,
  { place, id }: Run,
): boolean {
  if (subscription === undefined) return true;
  const { topic, streamId = wildcard } = subscription;
  if (topic !== wildcard && foldTopic(topic) !== foldTopic(place.topic)) return false;
  if (streamId !== wildcard && streamId !== place.streamId) return false;
  return subscription.id === undefined || subscription.id === id;
}
