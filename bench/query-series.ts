/** An answer of any system in one form: by `parameter stream`, times (ms; 0 where there is one value only) and values in turn. */
export type Series = Map<string, number[]>;

interface PitwallAnswer {
  readonly timestamps: readonly number[];
  readonly numericValues: Readonly<Record<string, readonly (number | null)[]>>;
  readonly tagValues: { readonly streamId?: readonly string[] };
}

/** `stream` is that of a question about one stream; empty where streams are taken together. */
export function pitwallSeries(answer: Buffer, stream: string, hasTimes: boolean): Series {
  const { timestamps, numericValues, tagValues } = JSON.parse(answer.toString()) as PitwallAnswer;
  // Nanoseconds as doubles are 256 apart in our days: close enough to name a millisecond.
  const times = timestamps.map((time) => (hasTimes ? Math.round(time / 1e6) : 0));
  const series: Series = new Map();
  for (const [column, values] of Object.entries(numericValues)) {
    const parameter = /\((.*)\)$/.exec(column)?.[1] ?? column;
    values.forEach((value, i) => {
      if (value !== null) add(series, parameter, tagValues.streamId?.[i] ?? stream, times[i]!, value);
    });
  }
  return series;
}

type Point = readonly [seconds: number, value: string];

interface PromAnswer {
  readonly data: {
    readonly result: readonly {
      readonly metric: { readonly __name__: string; readonly stream?: string };
      readonly value?: Point;
      readonly values?: readonly Point[];
    }[];
  };
}

/** Of `/api/v1/query_range`, whose buckets are named by their end, and of `/api/v1/query`, which has one value each. */
export function promSeries(answer: Buffer, bucketMs: number): Series {
  const { data } = JSON.parse(answer.toString()) as PromAnswer;
  const series: Series = new Map();
  for (const { metric, value, values } of data.result) {
    if (value !== undefined) add(series, metric.__name__, metric.stream, 0, Number(value[1]));
    for (const [seconds, text] of values ?? []) {
      add(series, metric.__name__, metric.stream, Math.round(seconds * 1000) - bucketMs, Number(text));
    }
  }
  return series;
}

/** Of `/api/v1/export`: a line for each metric. */
export function exportSeries(answer: Buffer): Series {
  const series: Series = new Map();
  for (const line of answer.toString().split('\n')) {
    if (line === '') continue;
    const { metric, values, timestamps } = JSON.parse(line) as {
      metric: { __name__: string; stream: string };
      values: number[];
      timestamps: number[];
    };
    values.forEach((value, i) => {
      add(series, metric.__name__, metric.stream, timestamps[i]!, value);
    });
  }
  return series;
}

export function add(series: Series, parameter: string, stream = '', timeMs: number, value: number): void {
  const key = `${parameter} ${stream}`;
  const points = series.get(key);
  if (points === undefined) series.set(key, [timeMs, value]);
  else points.push(timeMs, value);
}

/** Throws on the first difference, and on an answer with nothing in it. Means may be off in the last digits. */
export function compareSeries(found: Series, expected: Series, system: string, question: string): void {
  const fail = (what: string): Error => new Error(`${system}: ${question}: ${what}`);
  if (expected.size === 0) throw fail('expects nothing');
  if (found.size !== expected.size) throw fail(`${found.size} series, not ${expected.size}`);
  for (const [key, points] of expected) {
    const own = found.get(key);
    if (own === undefined) throw fail(`no ${key}`);
    if (own.length !== points.length)
      throw fail(`${key}: ${own.length / 2} points, not ${points.length / 2}`);
    points.forEach((wanted, i) => {
      if (Math.abs(own[i]! - wanted) > 1e-11 * Math.abs(wanted)) {
        throw fail(`${key} at ${own[i & ~1]}: ${own[i]}, not ${wanted}`);
      }
    });
  }
}
