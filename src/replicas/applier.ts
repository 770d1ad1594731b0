import { stateBody } from '../alerts/kept-state.ts';
import { defaultWorkspace } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { RuleStates, StateName } from '../ingest/alerts/rule-states.ts';
import type { Committer } from '../ingest/commit.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { type Framed, Groups } from './frame.ts';
import type { Lease } from './lease.ts';
import type { LogClock } from './log-clock.ts';
import type { LogMessage } from './nats-log.ts';
import { isAfter, keepPosition, type Position } from './position.ts';
import { changesOf, decodeRecord, type LogRecord } from './record.ts';

/** Applies the messages of the log to the store of this node, each once and in their order. */
export interface Applier {
  /** The message up to which all is applied and on disk. */
  readonly applied: number;
  /** The last message of which a record is. */
  readonly begun: number;
  /** Why it does not get on; undefined where it does. */
  readonly problem: string | undefined;
  /** Resolves when the next message may come. */
  apply(message: LogMessage): Promise<void>;
  /** Resolves with what applying the record of this id gives, or rejects as it does. */
  wait(id: string): Promise<unknown>;
  /** Nobody waits for it any more. */
  forget(id: string, error: unknown): void;
  /** Resolves when all that was begun is on disk. */
  settled(): Promise<void>;
}

export interface ApplierOptions {
  readonly node: string;
  readonly store: Store;
  readonly committer: Committer;
  /** Of alert rules, as this node knows them. */
  readonly states: Pick<RuleStates, 'get'>;
  readonly clock: LogClock;
  readonly lease: Lease;
  /** Where the log is read from. */
  readonly position: Position;
  readonly log: Pick<Log, 'error' | 'info'>;
}

/** The log builds on data that this node does not have, or a message of it is gone. */
export class BaseMissing extends Error {}

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Records whose rows are on their way to the disk at one time. */
const mostUnderWay = 512;
/** After a failure of the disk the record is tried again. */
const retryMs = 1000;
const longBytes = 256 << 10;
/** Messages after which the position is kept where nothing else keeps it. */
const keepEvery = 60;

export function createApplier(options: ApplierOptions): Applier {
  return new RecordApplier(options);
}

class RecordApplier implements Applier {
  readonly #options: ApplierOptions;
  readonly #groups = new Groups();
  readonly #waiters = new Map<string, Waiter>();
  readonly #underWay = new Set<Promise<void>>();
  /** What was placed last. */
  #placed: Position;
  #applied: number;
  #begun: number;
  /** Resolves when all messages so far are applied. */
  #all: Promise<void> = Promise.resolve();
  #problem: string | undefined;
  /** The message that comes next. */
  #next: number;
  /** The message up to which the store keeps the position. */
  #kept: number;

  constructor(options: ApplierOptions) {
    this.#options = options;
    this.#placed = options.position;
    this.#applied = options.position.sequence;
    this.#begun = options.position.sequence;
    this.#next = options.position.from;
    this.#kept = options.position.sequence;
  }

  get applied(): number {
    return this.#applied;
  }

  get begun(): number {
    return this.#begun;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  wait(id: string): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiters.set(id, { resolve, reject }));
  }

  forget(id: string, error: unknown): void {
    this.#waiters.get(id)?.reject(error);
    this.#waiters.delete(id);
  }

  settled(): Promise<void> {
    return this.#all;
  }

  async apply({ sequence, at, data }: LogMessage): Promise<void> {
    if (sequence > this.#next)
      throw new BaseMissing(`the messages ${this.#next} to ${sequence - 1} of the log are gone`);
    this.#next = sequence + 1;
    const records = this.#groups.take(data, sequence, at) ?? [];
    this.#options.clock.advance(at);
    const begun: { readonly done: Promise<void> }[] = [];
    const from = Math.min(sequence, this.#groups.firstNeeded() ?? sequence);
    for (const [record, framed] of records.entries()) {
      const { state: lease } = this.#options.lease;
      const position = { log: this.#placed.log, sequence, record, from, at, lease };
      if (!isAfter(position, this.#placed)) continue;
      begun.push(await this.#applyOne(framed, position));
      this.#placed = position;
    }
    this.#all = Promise.all([this.#all, ...begun.map(({ done }) => done)]).then(() => {
      this.#applied = sequence;
    });
  }

  /** Resolves, when the next record may come, with a promise of this one. */
  async #applyOne(framed: Framed, position: Position): Promise<{ readonly done: Promise<void> }> {
    const { id, record: bytes } = framed;
    const record = decodeRecord(bytes);
    const isBarrier = !isOfRows(record) && record.type !== 'lease';
    if (isBarrier) await Promise.all(this.#underWay);
    if (this.#underWay.size >= mostUnderWay) await Promise.race(this.#underWay);
    const room = this.#options.store.room();
    if (room !== undefined) await room;
    const isLong = bytes.length >= longBytes;
    const begun = this.#begin(record, position, isLong);
    const done = this.#finish(id, begun.done, record, position);
    this.#underWay.add(done);
    void done.finally(() => this.#underWay.delete(done));
    if (isBarrier) await done;
    else if (isLong) await Promise.race([begun.copied, done]);
    return { done };
  }

  /** Places the record; `copied` resolves when it has its place. */
  #begin(record: LogRecord, position: Position, isLong: boolean): Begun {
    const { store, committer, lease } = this.#options;
    switch (record.type) {
      case 'write': {
        const changes = [...changesOf(record), keepPosition(position)];
        if (!isLong) return { done: later(() => committer.commit(record.workspace, changes, record.said)) };
        let onCopied = (): void => undefined;
        const copied = new Promise<void>((resolve) => {
          onCopied = resolve;
        });
        const done = later(() => committer.commit(record.workspace, changes, record.said, onCopied));
        return { done, copied };
      }
      case 'append':
        return {
          done: later(() =>
            store.append({
              workspace: record.workspace,
              changes: [...record.changes, keepPosition(position)],
            }),
          ),
        };
      case 'streams':
        return {
          done: this.#with(position, () =>
            committer.changeStreams(record.workspace, record.action, record.filter, record.now),
          ),
        };
      case 'rows':
        return {
          done: this.#with(position, () => store.deleteRows(record.selection, record.parameters)),
        };
      case 'silence':
        return { done: this.#with(position, () => this.#commitSilence(record.name, record.state)) };
      case 'found':
        if (record.node !== this.#options.node)
          throw new BaseMissing(`the log builds on the data of ${record.node}`);
        return { done: Promise.resolve() };
      case 'lease':
        lease.apply(record.node, record.after, position.sequence);
        return { done: this.#keepNowAndThen({ ...position, lease: lease.state }) };
    }
  }

  async #commitSilence(name: StateName, body: string): Promise<void> {
    const { states, committer } = this.#options;
    const state = states.get(name);
    if (state !== undefined && stateBody(state) === body) await committer.commitSilence(name, state);
  }

  /** Nothing else keeps the position where nothing is written, and the next start would read all of it again. */
  #keepNowAndThen(position: Position): Promise<void> {
    if (position.sequence - this.#kept < keepEvery) return Promise.resolve();
    return this.#options.store.append({ workspace: defaultWorkspace, changes: [keepPosition(position)] });
  }

  /** Does what is no record that the position could stand in, and keeps the position after it. */
  async #with<Result>(position: Position, work: () => Promise<Result>): Promise<Result> {
    const result = await work();
    await this.#options.store.append({ workspace: defaultWorkspace, changes: [keepPosition(position)] });
    return result;
  }

  /** Tells who waits. What the disk refuses is tried again: this node stays behind until it takes it. */
  async #finish(id: string, done: Promise<unknown>, record: LogRecord, position: Position): Promise<void> {
    let attempt = done;
    for (;;) {
      try {
        const result = await attempt;
        this.#problem = undefined;
        if (record.type !== 'lease' || position.sequence - this.#kept >= keepEvery)
          this.#kept = Math.max(this.#kept, position.sequence);
        this.#begun = Math.max(this.#begun, position.sequence);
        this.#waiters.get(id)?.resolve(result);
        break;
      } catch (error) {
        if (!isOfDisk(error)) {
          this.#begun = Math.max(this.#begun, position.sequence);
          this.#waiters.get(id)?.reject(error);
          break;
        }
        const problem = `this node cannot apply the log: ${(error as Error).message}`;
        if (this.#problem === undefined) this.#options.log.error({ sequence: position.sequence }, problem);
        this.#problem = problem;
        this.#waiters.get(id)?.reject(error);
        this.#waiters.delete(id);
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
        attempt = this.#begin(record, position, false).done;
      }
    }
    this.#waiters.delete(id);
  }
}

/**
 * Whether a record writes rows and nothing else: it may be begun while those before it are on their way to the disk. What other records
 * change, a workspace or a rule, has to be seen by those behind them, and they have to see what was changed before.
 */
function isOfRows(record: LogRecord): boolean {
  return (
    record.type === 'write' &&
    record.more.length === 0 &&
    record.said.every(({ content }) => content.type === 'parameterData' || content.type === 'eventData')
  );
}

interface Begun {
  readonly done: Promise<unknown>;
  readonly copied?: Promise<void>;
}

function later<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}

const ofDisk = new Set(['disk_full', 'storage_failed', 'overloaded']);

function isOfDisk(error: unknown): boolean {
  return error instanceof PitwallError && ofDisk.has(error.code);
}
