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
}

export interface GroupLimits {
  /** A group takes no more requests when it has so many rows or bytes; a larger request is a group of its own. */
  readonly maxRows: number;
  readonly maxBytes: number;
  /**
   * A group that is not full waits until its first row is so old (ms). 0: it goes as soon as the insert before it is
   * acknowledged, so a request alone never waits and many share inserts by themselves.
   */
  readonly maxAgeMs: number;
  /** Full groups may go beside inserts under way, up to so many. */
  readonly maxInserts: number;
}

interface Group<Row> {
  readonly rows: Row[];
  readonly since: number;
  size: { rows: number; bytes: number };
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** @param send inserts a group as one block; `since` is when its first row came, by `performance.now()` */
export function insertGroups<Row>(
  limits: GroupLimits,
  send: (rows: readonly Row[], since: number) => Promise<void>,
): InsertGroups<Row> {
  /** In the order in which they came; only the last takes more. */
  const waiting: Group<Row>[] = [];
  const underWay = new Set<Group<Row>>();
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;

  const isFull = ({ size }: Group<Row>) => size.rows >= limits.maxRows || size.bytes >= limits.maxBytes;

  function groupFor(size: Size): Group<Row> {
    const last = waiting.at(-1);
    const fits =
      last !== undefined &&
      last.size.rows + size.rows <= limits.maxRows &&
      last.size.bytes + size.bytes <= limits.maxBytes;
    if (fits) return last;
    const group = newGroup<Row>();
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
      const isWhole = waiting.length > 1 || isFull(group);
      if (underWay.size >= (isWhole ? limits.maxInserts : 1)) return;
      const restMs = group.since + limits.maxAgeMs - performance.now();
      if (!isWhole && restMs > 0) {
        timer = setTimeout(goOn, restMs);
        return;
      }
      waiting.shift();
      run(group);
    }
  }

  function run(group: Group<Row>): void {
    underWay.add(group);
    send(group.rows, group.since)
      .then(group.resolve, group.reject)
      .finally(() => {
        underWay.delete(group);
        goOn();
      });
  }

  return {
    add(rows, size) {
      const group = groupFor(size);
      for (const row of rows) group.rows.push(row);
      group.size.rows += size.rows;
      group.size.bytes += size.bytes;
      schedule();
      return group.done;
    },
    async settled() {
      await Promise.allSettled([...underWay, ...waiting].map(({ done }) => done));
    },
  };
}

function newGroup<Row>(): Group<Row> {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const done = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { rows: [], since: performance.now(), size: { rows: 0, bytes: 0 }, done, resolve, reject };
}
