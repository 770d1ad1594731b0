import { takeForgotten } from './deletes/forgotten-documents.ts';
import { createRechecks, type Rechecks } from './deletes/rechecks.ts';
import { createRemovals, type Removals } from './deletes/removals.ts';
import { createRetentions, type Retentions } from './deletes/retention.ts';
import { type Job, keepDoing } from './server/keep-doing.ts';
import type { StoreBase } from './store-base.ts';
import { keepWindows } from './windows/window-keeping.ts';

/** Nodes that were started together do not do it together. */
const anHourOrTwo = () => 3_600_000 * (1 + Math.random());

/** What goes on beside requests: rows are taken that were deleted or expired, and windows are kept tidy. */
export class Upkeep {
  readonly #base: StoreBase;
  readonly #rechecks: Rechecks;
  readonly removals: Removals;
  readonly retentions: Retentions;
  /** Takes the rows of what was forgotten, every hour or two. */
  readonly #forgetting: Job;
  /** Keeps windows; undefined before `begin`. */
  #housekeeping: Job | undefined;
  /** Settled when what stopped nodes had begun is finished, and when the last `catchUp` is done. */
  #finished: Promise<void> = Promise.resolve();
  #caughtUp: Promise<void> = Promise.resolve();

  constructor(base: StoreBase) {
    const { finishing: clickhouse, topology, writer, registry, versions, expiry, feed, log } = base;
    this.#base = base;
    const rechecks = createRechecks(base.logged('could not recheck what other nodes wrote'));
    this.#rechecks = rechecks;
    this.removals = createRemovals({
      clickhouse,
      topology,
      writer,
      registry,
      clock: versions,
      refresh: feed.refresh,
      rechecks,
    });
    this.retentions = createRetentions({
      clickhouse,
      topology,
      registry,
      clock: expiry,
      versions,
      rechecks,
    });
    this.#forgetting = keepDoing(() => this.#forget(), {
      what: 'take the rows of what was forgotten',
      firstMs: anHourOrTwo(),
      betweenMs: anHourOrTwo(),
      log,
    });
  }

  /** Resolves when writes may begin. What stopped nodes had begun may take its time. */
  async begin(): Promise<void> {
    const { finishing: clickhouse, topology, versions, expiry, log, logged } = this.#base;
    await this.removals
      .forgetAlerts()
      .catch(logged('could not forget what alert rules know of removed streams'));
    this.#finished = this.#finish().catch(
      logged('could not look for removals to finish; the next start will'),
    );
    this.#housekeeping = keepWindows({ clickhouse, topology, clock: versions, isHeld: expiry.isHeld, log });
  }

  /** Takes what expired while ClickHouse was kept from expiring rows. */
  catchUp(): void {
    this.#caughtUp = this.retentions
      .all()
      .catch(this.#base.logged('could not take the rows that expired meanwhile'));
  }

  /** Resolves when nothing is under way. To be called when `closing` has aborted. */
  async close(): Promise<void> {
    const jobs = [this.#housekeeping, this.#rechecks, this.#forgetting];
    await Promise.all([...jobs.map((job) => job?.close()), this.#finished, this.#caughtUp]);
  }

  /** What nodes that stopped had begun. */
  async #finish(): Promise<void> {
    await this.removals.finish();
    await this.retentions.finish();
    await this.#forget();
  }

  #forget(): Promise<unknown> {
    const { finishing: clickhouse, topology, versions } = this.#base;
    return takeForgotten({ clickhouse, topology, clock: versions });
  }
}
