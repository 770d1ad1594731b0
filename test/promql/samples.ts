import { compressSync } from 'snappy';
import { staleBits, type WrittenSeries, write1 } from '../wire/remote-write-messages.ts';

/** The first time of the samples, in seconds: a whole number of hours. */
export const firstSecond = 1_700_002_800;

/** Stands for a stale mark where samples are made. */
const stale = 4.25e77;

type Labels = Readonly<Record<string, string>>;
type Point = readonly [ms: number, value: number];

/** Numbers in [0, 1) that are the same each time (S. Vigna, "xorshift*", with 32 bits). */
function numbers(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A point every so many seconds for an hour and a half, or for less. */
function points(everySeconds: number, value: (i: number) => number | undefined, seconds = 5400): Point[] {
  const found: Point[] = [];
  for (let i = 0; i * everySeconds <= seconds; i++) {
    const made = value(i);
    if (made !== undefined) found.push([(firstSecond + i * everySeconds) * 1000, made]);
  }
  return found;
}

function counter(random: () => number, most: number, resetEvery = 0): (i: number) => number {
  let total = Math.floor(random() * 1000);
  return (i) => {
    if (resetEvery > 0 && i > 0 && i % resetEvery === 0) total = 0;
    total += Math.floor(random() * most);
    return total;
  };
}

/** Series of the kinds that queries have to do with: counters that begin again, gauges, histograms, gaps, stale marks, odd numbers. */
export function madeSeries(): WrittenSeries[] {
  const random = numbers(20_260_711);
  const all: WrittenSeries[] = [];
  const add = (name: string, labels: Labels, samples: readonly Point[]): void => {
    all.push({ labels: { __name__: name, ...labels }, samples });
  };
  for (const instance of ['a:80', 'b:80']) {
    for (const method of ['GET', 'POST']) {
      for (const [code, most, reset] of [
        ['200', 40, 0],
        ['404', 3, 70],
        ['500', 2, 101],
      ] as const) {
        const labels = { job: 'api', instance, method, code };
        add('http_requests_total', labels, points(15, counter(random, most, reset)));
      }
    }
    const bounds = ['0.05', '0.1', '0.25', '0.5', '1', '2.5', '+Inf'];
    const buckets = bounds.map(() => [] as Point[]);
    const counts = bounds.map(() => 0);
    for (const [time] of points(15, () => 0)) {
      for (let n = 0; n < 12; n++) {
        const seconds = random() ** 3 * 3;
        bounds.forEach((bound, i) => {
          if (bound === '+Inf' || seconds <= Number(bound)) counts[i]!++;
        });
      }
      buckets.forEach((bucket, i) => {
        bucket.push([time, counts[i]!]);
      });
    }
    bounds.forEach((le, i) => {
      add('latency_seconds_bucket', { job: 'api', instance, le }, buckets[i]!);
    });
    add('latency_seconds_count', { job: 'api', instance }, buckets.at(-1)!);
    add('latency_seconds_sum', { job: 'api', instance }, points(15, counter(random, 30)));
  }
  for (const [n, instance] of ['n1', 'n2', 'n3'].entries()) {
    for (const cpu of ['0', '1']) {
      for (const mode of ['idle', 'user', 'system']) {
        const rise = counter(random, 15);
        add(
          'cpu_seconds_total',
          { job: 'node', instance, cpu, mode },
          points(30, (i) => rise(i) / 8),
        );
      }
    }
    const sensors = ['air', 'oil', 'water'].slice(0, n + 1);
    for (const sensor of sensors) {
      let at = firstSecond * 1000;
      const samples: Point[] = [];
      while (at < (firstSecond + 5400) * 1000) {
        samples.push([at, Math.round((Math.sin(at / 3e5 + n) * 25 + random() * 5) * 1000) / 1000]);
        at += Math.floor(3000 + random() * 40_000);
      }
      add('temperature_celsius', { job: 'node', instance, sensor }, samples);
    }
    add(
      'memory_bytes',
      { job: 'node', instance },
      points(60, () => Math.floor(random() * 2 ** 34)),
    );
    add(
      'build_info',
      { job: 'node', instance, version: `1.${n % 2}.0`, branch: 'main' },
      points(60, () => 1),
    );
    add(
      'up',
      { job: 'node', instance },
      points(30, (i) => (random() < 0.1 || i === 40 ? 0 : 1)),
    );
  }
  // Gone for a while, with a mark and without one, and for good.
  add(
    'flapping',
    { job: 'gap', instance: 'marked' },
    points(15, (i) => (i % 120 === 60 ? stale : i % 120 > 60 ? undefined : i)),
  );
  add(
    'flapping',
    { job: 'gap', instance: 'silent' },
    points(15, (i) => (i % 120 >= 60 ? undefined : i)),
  );
  add(
    'flapping',
    { job: 'gap', instance: 'gone' },
    points(15, (i) => (i === 100 ? stale : i > 100 ? undefined : -i)),
  );
  add(
    'up',
    { job: 'gap', instance: 'marked' },
    points(30, (i) => (i % 60 >= 30 ? 0 : 1)),
  );
  add(
    'sparse',
    { job: 'gap', instance: 'four' },
    points(240, (i) => i * 1.5),
  );
  add(
    'sparse',
    { job: 'gap', instance: 'six' },
    points(360, (i) => 100 - i),
  );
  add('once', { job: 'gap', instance: 'one' }, [[(firstSecond + 1000) * 1000 + 123, 42]]);
  add(
    'fast',
    { job: 'fast', instance: 'f' },
    points(1, (i) => Math.round(Math.sin(i / 20) * 1e6) / 1e3, 600),
  );
  const odd: Readonly<Record<string, (i: number) => number>> = {
    nan: () => Number.NaN,
    up: () => Number.POSITIVE_INFINITY,
    down: () => Number.NEGATIVE_INFINITY,
    zero: () => 0,
    mixed: (i) => [1, Number.NaN, 3, Number.POSITIVE_INFINITY, -2, 0, Number.NEGATIVE_INFINITY][i % 7]!,
    large: (i) => 1e300 * (i % 3),
    tiny: (i) => 1e-12 * i,
    steps: (i) => Math.floor(i / 10) % 3,
  };
  for (const [kind, value] of Object.entries(odd)) {
    add('odd', { job: 'odd', instance: 'o', kind }, points(30, value));
  }
  for (const [le, count] of [
    ['0.5', 10],
    ['1', 8],
    ['2', 20],
    ['+Inf', 21],
  ] as const) {
    add(
      'uneven_bucket',
      { job: 'odd', instance: 'o', le },
      points(60, () => count),
    );
    if (le !== '+Inf')
      add(
        'endless_bucket',
        { job: 'odd', instance: 'o', le },
        points(60, () => count),
      );
  }
  add(
    'uneven_bucket',
    { job: 'odd', instance: 'o', le: 'no number' },
    points(60, () => 5),
  );
  add(
    'job:requests:rate5m',
    { job: 'api', instance: 'rules', tier: 'gold' },
    points(60, (i) => i / 7),
  );
  add(
    'job:requests:rate5m',
    { job: 'api', instance: 'rules', tier: 'silver' },
    points(60, (i) => 50 - i / 3),
  );
  add(
    'labelled',
    { job: 'odd', instance: 'o', path: '/a/b c', note: 'say "hi" \\ ü' },
    points(60, (i) => i),
  );
  add(
    'labelled',
    { job: 'odd', instance: 'p', path: '/a', note: '' },
    points(60, (i) => 2 * i),
  );
  return all;
}

/** Requests of remote write (version 1) with all samples in order of time, of some minutes each. */
export function writeRequests(): Buffer[] {
  const all = madeSeries();
  const requests: Buffer[] = [];
  for (let from = firstSecond * 1000; from <= (firstSecond + 5400) * 1000; from += 600_000) {
    const some = all.flatMap(({ labels, samples }) => {
      const own = samples.filter(([time]) => Number(time) >= from && Number(time) < from + 600_000);
      const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
      return own.length === 0 ? [] : [{ labels: Object.fromEntries(pairs), samples: own }];
    });
    requests.push(compressSync(withStaleMarks(write1(some))));
  }
  return requests;
}

function withStaleMarks(body: Buffer): Buffer {
  const wanted = Buffer.alloc(8);
  wanted.writeDoubleLE(stale);
  for (let at = body.indexOf(wanted); at >= 0; at = body.indexOf(wanted, at + 8))
    body.writeBigUInt64LE(staleBits, at);
  return body;
}
