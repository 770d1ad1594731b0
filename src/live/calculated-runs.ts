import type { NumericColumn, Rows } from '../domain/parameter-data.ts';
import { foldTopic } from '../domain/topic.ts';
import { PitwallError } from '../errors.ts';
import { type Evaluator, evaluatorOf } from '../expression/evaluate.ts';
import { expressionKey } from '../expression/expression-key.ts';
import type { Expression } from '../expression/syntax.ts';
import type { Steps } from '../turns/steps.ts';
import type { AheadLimit } from './ahead-limit.ts';
import { calculatedColumn, rowsOfStep } from './calculate-rows.ts';
import type { Place } from './models.ts';
import type { Subscriber } from './subscription.ts';
import { timeOrder } from './time-order.ts';

/** Room for what runs along rows of streams for all live readers of a node: 128 MiB with times. */
export interface LiveRoom {
  left: number;
}

export const liveRoomValues = 8 << 20;

/** What runs along the rows of a stream, for all who began at the same package. */
export interface Run {
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

/** What runs along rows of streams for live readers: one for each calculated parameter, and for all who began at the same package. */
export class Runs {
  /** Shared by all topics of a node. */
  readonly #room: LiveRoom;
  readonly #limit: AheadLimit;
  /** By stream, then id. */
  readonly #streams = new Map<string, Map<string, Run[]>>();
  readonly #bySubscriber = new Map<Subscriber, Set<Run>>();

  constructor(room: LiveRoom, limit: AheadLimit) {
    this.#room = room;
    this.#limit = limit;
  }

  ofSubscriber(subscriber: Subscriber): Run[] {
    return [...(this.#bySubscriber.get(subscriber) ?? [])];
  }

  /** A subscriber wants no more of it. */
  leave(run: Run, subscriber: Subscriber): void {
    run.subscribers.delete(subscriber);
    this.#forget(run, subscriber);
    if (run.subscribers.size === 0) this.#close(run);
  }

  /** The stream has ended. */
  end(place: Pick<Place, 'topic' | 'streamId'>): void {
    for (const run of [...(this.#streams.get(this.#keyOf(place))?.values() ?? [])].flat()) this.#close(run);
  }

  /** With one that begins now for who has none. */
  of(place: Place, id: string, expression: Expression, subscribers: ReadonlySet<Subscriber>): Run[] {
    const newest = this.#limit.last();
    for (const run of this.#known(place, id)) {
      const isSame =
        run.expression === expression || expressionKey(run.expression) === expressionKey(expression);
      // A clock that was set back makes it begin anew, too.
      if (!isSame || (run.last ?? newest) > newest) this.#close(run);
      // Another definition of the topic may have changed.
      else run.expression = expression;
    }
    const fresh = new Set<Subscriber>();
    const begun = new Set(this.#known(place, id).flatMap(({ subscribers }) => [...subscribers]));
    for (const subscriber of subscribers) if (!begun.has(subscriber)) fresh.add(subscriber);
    if (fresh.size === 0) return this.#known(place, id);
    const run = this.#openRun(place, id, expression, fresh);
    for (const subscriber of fresh)
      this.#bySubscriber.set(subscriber, (this.#bySubscriber.get(subscriber) ?? new Set<Run>()).add(run));
    this.#keep(place, id, [...this.#known(place, id), run]);
    return this.#known(place, id);
  }

  /** Columns of the next rows of a stream; undefined where no room is left for it: its readers have to come back. */
  *along(run: Run, all: readonly Rows[]): Steps<(NumericColumn | undefined)[] | undefined> {
    const columns: (NumericColumn | undefined)[] = all.map(() => undefined);
    const inTime = all.map((rows, i) => ({ rows, i })).sort((a, b) => (a.rows.base < b.rows.base ? -1 : 1));
    const newest = this.#limit.last();
    let ahead = 0;
    try {
      if (this.#room.left < 0) throw new PitwallError('query_too_large');
      for (const { rows, i } of inTime) {
        // Rows that are not newer come too late, or again.
        const first = run.last === undefined ? Number.NEGATIVE_INFINITY : Number(run.last - rows.base) + 1;
        const { order, after } = yield* timeOrder(rows, first, Number(newest - rows.base));
        ahead += after;
        columns[i] = yield* calculatedColumn(rows, run.id, run.expression, run.evaluator, order);
        const last = order === undefined ? rows.count - 1 : order.at(-1);
        if (last !== undefined && last >= 0) run.last = rows.base + BigInt(rows.offsets[last]!);
      }
      if (ahead > 0) this.#limit.onAhead?.(ahead);
      return columns;
    } catch (error) {
      if (!(error instanceof PitwallError)) throw error;
      this.#close(run);
      for (const subscriber of [...run.subscribers]) subscriber.interrupted?.();
      return undefined;
    }
  }

  #keyOf({ topic, streamId }: Place): string {
    return JSON.stringify([foldTopic(topic), streamId]);
  }

  #known(place: Place, id: string): Run[] {
    return this.#streams.get(this.#keyOf(place))?.get(id) ?? [];
  }

  #openRun(place: Place, id: string, expression: Expression, subscribers: Set<Subscriber>): Run {
    const run: Run = {
      place,
      id,
      expression,
      subscribers,
      taken: 0,
      last: undefined,
      evaluator: evaluatorOf(expression, {
        take: (values) => {
          if (run.taken === undefined) return;
          this.#room.left -= values;
          run.taken += values;
          if (this.#room.left < 0)
            throw new PitwallError('query_too_large', { detail: 'live readers remember too much' });
        },
      }),
    };
    run.evaluator.beginStream();
    // Its evaluator has memory for the rows of a step, for each operation.
    run.taken = rowsOfStep * (expression.operations + 1);
    this.#room.left -= run.taken;
    return run;
  }

  #keep(place: Place, id: string, kept: Run[]): void {
    const key = this.#keyOf(place);
    const ofStream = this.#streams.get(key) ?? new Map<string, Run[]>();
    if (kept.length > 0) this.#streams.set(key, ofStream.set(id, kept));
    else if (ofStream.delete(id) && ofStream.size === 0) this.#streams.delete(key);
  }

  #forget(run: Run, subscriber: Subscriber): void {
    const own = this.#bySubscriber.get(subscriber);
    if (own?.delete(run) === true && own.size === 0) this.#bySubscriber.delete(subscriber);
  }

  #close(run: Run): void {
    this.#room.left += run.taken ?? 0;
    run.taken = undefined;
    for (const subscriber of run.subscribers) this.#forget(run, subscriber);
    const others = this.#known(run.place, run.id).filter((one) => one !== run);
    this.#keep(run.place, run.id, others);
  }
}
