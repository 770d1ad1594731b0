/** Rows of one stream as they are written: several in a write, in any order. */
export interface PlainRow {
  readonly time: bigint;
  readonly tags: string;
  /** Undefined: not written. */
  readonly a?: number | undefined;
  readonly b?: number | undefined;
}

export interface PlainRule {
  readonly isTrue: (row: PlainRow) => boolean | undefined;
  readonly clears: ((row: PlainRow) => boolean | undefined) | undefined;
  readonly forNs: bigint;
}

export interface PlainChange {
  readonly state: 'firing' | 'resolved';
  readonly time: bigint;
}

/** What a rule says of writes, one row of time after another, in the plainest way. */
export function plainChanges(
  { isTrue, clears, forNs }: PlainRule,
  writes: readonly (readonly PlainRow[] | 'silence')[],
): PlainChange[] {
  const changes: PlainChange[] = [];
  let evaluated: bigint | undefined;
  let run: bigint | undefined;
  let firing: 'no' | 'rows' | 'silence' = 'no';
  for (const write of writes) {
    if (write === 'silence') {
      if (evaluated !== undefined && firing === 'no') firing = 'silence';
      continue;
    }
    const rows = new Map<string, PlainRow>();
    for (const row of write) {
      const key = `${row.time} ${row.tags}`;
      const before = rows.get(key);
      rows.set(key, { ...row, a: row.a ?? before?.a, b: row.b ?? before?.b });
    }
    const byTime = new Map<bigint, PlainRow[]>();
    for (const row of rows.values()) byTime.set(row.time, [...(byTime.get(row.time) ?? []), row]);
    const limit = evaluated;
    for (const [time, ofTime] of [...byTime].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (limit !== undefined && time <= limit) continue;
      const truths = ofTime.map(isTrue).filter((truth) => truth !== undefined);
      const ends = clears === undefined ? [] : ofTime.map(clears).filter((end) => end !== undefined);
      if (truths.length === 0 && ends.length === 0) continue;
      evaluated = time;
      const truth = truths.length === 0 ? undefined : truths.includes(true);
      if (firing === 'rows') {
        if (clears === undefined ? truth === false : ends.includes(true)) {
          firing = 'no';
          run = undefined;
          changes.push({ state: 'resolved', time });
        }
        continue;
      }
      if (truth === true) run ??= time;
      if (truth === false) run = undefined;
      const fires = truth === true && time - run! >= forNs;
      if (firing === 'silence') {
        firing = fires ? 'rows' : 'no';
        if (!fires) changes.push({ state: 'resolved', time });
      } else if (fires) {
        firing = 'rows';
        changes.push({ state: 'firing', time });
      }
    }
  }
  return changes;
}
