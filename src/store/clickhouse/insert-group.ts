import { insertCompany } from './insert-company.ts';

/** What came for one table and waits to be inserted; requests under way at the same time share an insert. */
export interface InsertGroups<Row> {
  /** Resolves when ClickHouse has acknowledged the insert with these rows, all of which stand in the same one. */
  add(rows: readonly Row[], size: Size): Promise<void>;
  /** Resolves when all that was added before the call has been acknowledged or refused. */
  settled(): Promise<void>;
}

export interface Size {
  /** Rows of the table. */
  readonly rows: number;
  /** Bytes of memory. */
  readonly bytes: number;
  /** The partitions of the table that the rows are in, where it has any. */
  readonly partitions?: ReadonlySet<number>;
}

export interface GroupLimits {
  /** A group takes no more requests when it has so many rows or bytes; a larger request is a group of its own. */
  readonly maxRows: number;
  readonly maxBytes: number;
  /** The same of partitions: an insert makes a part for each. */
  readonly maxPartitions: number;
  /**
   * A group that is not full goes so long (ms) after the one before it at the earliest. So rows wait no longer for
   * others, and what comes after a pause does not wait. 0: as soon as the insert before it is acknowledged and its
   * company is there (insert-company.ts).
   */
  readonly maxAgeMs: number;
  /** Full groups may go beside inserts under way, up to so many. */
  readonly maxInserts: number;
}

interface Group<Row> {
  readonly rows: Row[];
  readonly since: number;
  size: { rows: number; bytes: number };
  readonly partitions: Set<number>;
  requests: number;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const none: ReadonlySet<number> = new Set();

/** A group with such a share of a full one is worth an insert; it does not wait for company. */
const ample = 0.5;

/**
 * @param send inserts a group as one block; `since` is when its first row came, by the clock
 * @param clock milliseconds
 */
export function insertGroups<Row>(
  limits: GroupLimits,
  send: (rows: readonly Row[], since: number) => Promise<void>,
  clock: () => number = () => performance.now(),
): InsertGroups<Row> {
  /** In the order in which they came; only the last takes more. */
  const waiting: Group<Row>[] = [];
  const underWay = new Set<Group<Row>>();
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;
  const company = insertCompany();
  let startedAt = Number.NEGATIVE_INFINITY;

  const holds = ({ size }: Group<Row>, share: number) =>
    size.rows >= share * limits.maxRows || size.bytes >= share * limits.maxBytes;

  function restMs(group: Group<Row>): number {
    const now = clock();
    const toAge = startedAt + limits.maxAgeMs - now;
    if (holds(group, ample)) return toAge;
    return Math.max(toAge, company.restMs(group.requests, group.since, now));
  }

  function groupFor(size: Size): Group<Row> {
    const last = waiting.at(-1);
    const fits =
      last !== undefined &&
      last.size.rows + size.rows <= limits.maxRows &&
      last.size.bytes + size.bytes <= limits.maxBytes &&
      union(last.partitions, size.partitions) <= limits.maxPartitions;
    if (fits) return last;
    const group = newGroup<Row>(clock());
    waiting.push(group);
    return group;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    // Requests that arrive in the same turn go together.
    setImmediate(() => {
      isScheduled = false;
      goOn();
    });
  }

  function goOn(): void {
    clearTimeout(timer);
    timer = undefined;
    for (let group = waiting[0]; group !== undefined; group = waiting[0]) {
      // One behind which another waits is as full as it gets.
      const isWhole = waiting.length > 1 || holds(group, 1);
      if (underWay.size >= (isWhole ? limits.maxInserts : 1)) return;
      const rest = isWhole ? 0 : restMs(group);
      if (rest > 0) {
        timer = setTimeout(goOn, rest);
        return;
      }
      waiting.shift();
      run(group);
    }
  }

  /** What `send` throws at once fails the group as well: nothing else may end its requests. */
  async function sent({ rows, since }: Group<Row>): Promise<void> {
    await send(rows, since);
  }

  function run(group: Group<Row>): void {
    const start = clock();
    startedAt = start;
    underWay.add(group);
    sent(group)
      .then(group.resolve, group.reject)
      .finally(() => {
        underWay.delete(group);
        const requests = [group, ...underWay, ...waiting].reduce((sum, each) => sum + each.requests, 0);
        const now = clock();
        company.settled(now, now - start, requests);
        goOn();
      });
  }

  return {
    add(rows, size) {
      const group = groupFor(size);
      for (const row of rows) group.rows.push(row);
      group.size.rows += size.rows;
      group.size.bytes += size.bytes;
      for (const partition of size.partitions ?? none) group.partitions.add(partition);
      group.requests++;
      company.joined(clock());
      schedule();
      return group.done;
    },
    async settled() {
      await Promise.allSettled([...underWay, ...waiting].map(({ done }) => done));
    },
  };
}

/** How many two sets have together. */
function union(some: ReadonlySet<number>, others: ReadonlySet<number> = none): number {
  let size = some.size;
  for (const one of others) if (!some.has(one)) size++;
  return size;
}

function newGroup<Row>(since: number): Group<Row> {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const done = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return {
    rows: [],
    since,
    size: { rows: 0, bytes: 0 },
    partitions: new Set(),
    requests: 0,
    done,
    resolve,
    reject,
  };
}
