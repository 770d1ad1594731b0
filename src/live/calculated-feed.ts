import { entryOf } from '../domain/entry-of.ts';
import type { KeptItem } from '../domain/kept.ts';
import type { NumericColumn, Rows } from '../domain/parameter-data.ts';
import { foldTopic } from '../domain/topic.ts';
import { PitwallError } from '../errors.ts';
import { type Evaluator, evaluatorOf } from '../expression/evaluate.ts';
import { expressionKey } from '../expression/expression-key.ts';
import type { Expression } from '../expression/syntax.ts';
import { topicExpressions } from '../expression/topic-expressions.ts';
import type { Steps } from '../turns/steps.ts';
import type { AheadLimit } from './ahead-limit.ts';
import { calculatedColumn, rowsOfStep } from './calculate-rows.ts';
import type { Place } from './models.ts';
import { type Subscriber, type Subscription, wildcard } from './subscription.ts';
import type { SubscriptionTree } from './subscription-tree.ts';
import { timeOrder } from './time-order.ts';

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
  deliveries(place: Place, rows: readonly Rows[]): Generator<CalculatedDelivery | undefined, void, void>;
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

/** Room for what runs along rows of streams for all live readers of a node: 128 MiB with times. */
export interface LiveRoom {
  left: number;
}

export const liveRoomValues = 8 << 20;

/** What runs along the rows of a stream, for all who began at the same package. */
interface Run {
  readonly place: Place;
  readonly id: string;
  expression: Expression;
  readonly evaluator: Evaluator;
  readonly subscribers: Set<Subscriber>;
  /** Values of room that it has; undefined once they are given back. */
  taken: number | undefined;
  /** Time (ns) of the last row; what is further ahead is left out. */
  last: bigint | undefined;
}

/** A column of each of the rows of a package. */
interface Wish {
  readonly id: string;
  readonly columns: readonly (NumericColumn | undefined)[];
}

const nothing: ReadonlySet<string> = new Set();

export function calculatedFeed(
  tree: SubscriptionTree,
  keptOf: (topic: string) => readonly KeptItem[],
  room: LiveRoom,
  { last: lastAllowed, onAhead }: AheadLimit,
): CalculatedFeed {
  /** By stream, then id. */
  const streams = new Map<string, Map<string, Run[]>>();
  const bySubscriber = new Map<Subscriber, Set<Run>>();
  const keyOf = ({ topic, streamId }: Place) => JSON.stringify([foldTopic(topic), streamId]);
  const known = (place: Place, id: string): Run[] => streams.get(keyOf(place))?.get(id) ?? [];

  /** What someone subscribed to by its id. */
  function* wanted({ topic, streamId }: Place): Generator<{ id: string; expression: Expression }> {
    const items = keptOf(topic);
    if (items.length === 0 || !tree.hasAny('parameter', topic, streamId)) return;
    const expressions = topicExpressions(items);
    const subscriptions = tree.parametersOf(topic, streamId);
    for (const id of expressions.ids) {
      if (subscriptions.named(id).length === 0) continue;
      const expression = expressions.of(id);
      if (expression !== undefined) yield { id, expression };
    }
  }

  function openRun(place: Place, id: string, expression: Expression, subscribers: Set<Subscriber>): Run {
    const run: Run = {
      place,
      id,
      expression,
      subscribers,
      taken: 0,
      last: undefined,
      evaluator: evaluatorOf(expression, {
        take(values) {
          if (run.taken === undefined) return;
          room.left -= values;
          run.taken += values;
          if (room.left < 0)
            throw new PitwallError('query_too_large', { detail: 'live readers remember too much' });
        },
      }),
    };
    run.evaluator.beginStream();
    // Its evaluator has memory for the rows of a step, for each operation.
    run.taken = rowsOfStep * (expression.operations + 1);
    room.left -= run.taken;
    return run;
  }

  function keep(place: Place, id: string, kept: Run[]): void {
    const key = keyOf(place);
    const ofStream = streams.get(key) ?? new Map<string, Run[]>();
    if (kept.length > 0) streams.set(key, ofStream.set(id, kept));
    else if (ofStream.delete(id) && ofStream.size === 0) streams.delete(key);
  }

  function leave(run: Run, subscriber: Subscriber): void {
    const own = bySubscriber.get(subscriber);
    if (own?.delete(run) === true && own.size === 0) bySubscriber.delete(subscriber);
  }

  function close(run: Run): void {
    room.left += run.taken ?? 0;
    run.taken = undefined;
    for (const subscriber of run.subscribers) leave(run, subscriber);
    const others = known(run.place, run.id).filter((one) => one !== run);
    keep(run.place, run.id, others);
  }

  /** With one that begins now for who has none. */
  function runsOf(place: Place, id: string, expression: Expression): Run[] {
    const newest = lastAllowed();
    for (const run of known(place, id)) {
      const isSame =
        run.expression === expression || expressionKey(run.expression) === expressionKey(expression);
      // A clock that was set back makes it begin anew, too.
      if (!isSame || (run.last ?? newest) > newest) close(run);
      // Another definition of the topic may have changed.
      else run.expression = expression;
    }
    const fresh = new Set<Subscriber>();
    const begun = new Set(known(place, id).flatMap(({ subscribers }) => [...subscribers]));
    for (const subscriber of byName(place, id)) if (!begun.has(subscriber)) fresh.add(subscriber);
    if (fresh.size === 0) return known(place, id);
    const run = openRun(place, id, expression, fresh);
    for (const subscriber of fresh)
      bySubscriber.set(subscriber, (bySubscriber.get(subscriber) ?? new Set<Run>()).add(run));
    keep(place, id, [...known(place, id), run]);
    return known(place, id);
  }

  function byName({ topic, streamId }: Place, id: string): Set<Subscriber> {
    return new Set(
      tree
        .parametersOf(topic, streamId)
        .named(id)
        .flatMap((own) => [...own]),
    );
  }

  function isStill({ topic, streamId }: Place, id: string, subscriber: Subscriber): boolean {
    return tree
      .parametersOf(topic, streamId)
      .named(id)
      .some((own) => own.has(subscriber));
  }

  /** Columns of the next rows of a stream; undefined where no room is left for it: its readers have to come back. */
  function* runAlong(run: Run, all: readonly Rows[]): Steps<(NumericColumn | undefined)[] | undefined> {
    const columns: (NumericColumn | undefined)[] = all.map(() => undefined);
    const inTime = all.map((rows, i) => ({ rows, i })).sort((a, b) => (a.rows.base < b.rows.base ? -1 : 1));
    const newest = lastAllowed();
    let ahead = 0;
    try {
      if (room.left < 0) throw new PitwallError('query_too_large');
      for (const { rows, i } of inTime) {
        // Rows that are not newer come too late, or again.
        const first = run.last === undefined ? Number.NEGATIVE_INFINITY : Number(run.last - rows.base) + 1;
        const { order, after } = yield* timeOrder(rows, first, Number(newest - rows.base));
        ahead += after;
        columns[i] = yield* calculatedColumn(rows, run.id, run.expression, run.evaluator, order);
        const last = order === undefined ? rows.count - 1 : order.at(-1);
        if (last !== undefined && last >= 0) run.last = rows.base + BigInt(rows.offsets[last]!);
      }
      if (ahead > 0) onAhead?.(ahead);
      return columns;
    } catch (error) {
      if (!(error instanceof PitwallError)) throw error;
      close(run);
      for (const subscriber of [...run.subscribers]) subscriber.interrupted?.();
      return undefined;
    }
  }

  return {
    operands(topic, streamId) {
      let names: Set<string> | undefined;
      for (const { expression } of wanted({ topic, streamId })) {
        names ??= new Set();
        for (const name of expression.parameters) names.add(name);
      }
      return names ?? nothing;
    },

    *deliveries(place, all) {
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
      for (const { id, expression } of wanted(place)) {
        yield;
        if (expression.lookBack !== undefined) {
          for (const run of runsOf(place, id, expression)) {
            const columns = yield* waiting(runAlong(run, all));
            if (columns !== undefined) add(id, run.subscribers, columns);
          }
          continue;
        }
        const evaluator = evaluatorOf(expression);
        evaluator.beginStream();
        const columns: (NumericColumn | undefined)[] = [];
        for (const rows of all)
          columns.push(yield* waiting(calculatedColumn(rows, id, expression, evaluator)));
        add(id, byName(place, id), columns);
      }
      // Those who get the same columns get the same rows.
      const made = new Map<string, readonly Rows[]>();
      const numbers = new Map<Wish, number>();
      for (const [subscriber, wishes] of found) {
        // The subscriptions as they are by now.
        const held = wishes.filter(({ id }) => isStill(place, id, subscriber));
        if (held.length === 0) continue;
        const key = held.map((wish) => entryOf(numbers, wish, () => numbers.size)).join();
        yield { subscriber, rows: entryOf(made, key, () => withColumns(all, held)) };
      }
    },

    forget(subscriber, subscription) {
      for (const run of [...(bySubscriber.get(subscriber) ?? [])]) {
        if (!isOf(subscription, run) || isStill(run.place, run.id, subscriber)) continue;
        run.subscribers.delete(subscriber);
        leave(run, subscriber);
        if (run.subscribers.size === 0) close(run);
      }
    },

    ended(topic, streamId) {
      for (const run of [...(streams.get(keyOf({ topic, streamId }))?.values() ?? [])].flat()) close(run);
    },
  };
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
