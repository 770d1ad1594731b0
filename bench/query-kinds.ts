import { parameterName, streamName } from './data.ts';
import { request } from './driver.ts';
import { pitwallQuery } from './pitwall.ts';
import { endMs, namesOf, type QueryData, someOf, startMs, stepMs, valueAt } from './query-data.ts';
import { add, exportSeries, pitwallSeries, promSeries, type Series } from './query-series.ts';

/** One question, as each system is asked it and as each answers it. */
export interface Question {
  readonly pitwall: Buffer;
  readonly victoria: Buffer;
  ofPitwall(answer: Buffer): Series;
  ofVictoria(answer: Buffer): Series;
  /** Worked out from the data itself. */
  expected(): Series;
}

export interface QueryKind {
  readonly name: string;
  readonly title: string;
  /** The p50 of Pitwall as a part of VictoriaMetrics' p50: at most this. */
  readonly aim: number;
  /** Draws a question at random. */
  readonly ask: (data: QueryData, random: () => number) => Question;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const firstHourMs = startMs - (startMs % hourMs);
const lastHourMs = endMs - (endMs % hourMs);

export const queryKinds: readonly QueryKind[] = [
  {
    name: 'max-1-1',
    title: 'max of one parameter of one stream, an hour in minutes',
    aim: 1,
    ask: (data, random) => maxByMinute(data, random, 1, 1),
  },
  {
    name: 'max-5-8',
    title: 'max of five parameters over eight streams, an hour in minutes',
    aim: 1,
    ask: (data, random) => maxByMinute(data, random, 5, 8),
  },
  {
    name: 'mean-1',
    title: 'mean of one parameter per stream and hour, all streams',
    aim: 1,
    ask: (data, random) => meanByHour(data, someOf(random, 1, data.parameters)),
  },
  {
    name: 'mean-10',
    title: 'mean of ten parameters per stream and hour, all streams',
    aim: 1,
    ask: (data) => meanByHour(data, everyParameter(data)),
  },
  {
    name: 'last',
    title: 'last point of every stream, ten parameters, in the whole span',
    aim: 0.5,
    ask: (data) => lastPoints(data, endMs - firstHourMs),
  },
  {
    name: 'last-recent',
    title: 'the same, looked for in the last ten minutes only',
    aim: 0.5,
    ask: (data) => lastPoints(data, 10 * minuteMs),
  },
  {
    name: 'raw',
    title: 'raw rows of one stream, ten parameters, whole span',
    aim: 1,
    ask: rawRows,
  },
];

function everyParameter({ parameters }: QueryData): number[] {
  return Array.from({ length: parameters }, (_, i) => i);
}

function maxByMinute(
  data: QueryData,
  random: () => number,
  parameterCount: number,
  streamCount: number,
): Question {
  const parameters = someOf(random, parameterCount, data.parameters);
  const streams = someOf(random, streamCount, data.streams);
  const minutes = Math.floor((endMs - hourMs - startMs) / minuteMs);
  const fromMs = startMs - (startMs % minuteMs) + minuteMs * (1 + Math.floor(random() * (minutes - 1)));
  const names = namesOf(parameters, parameterName);
  const ids = namesOf(streams, streamName);
  const metric = `{__name__=~"${names.join('|')}",stream=~"${ids.join('|')}"}`;
  const isOne = parameterCount * streamCount === 1;
  return {
    pitwall: pitwallQuery({
      numericParameters: names.map((name) => ({ parameterName: name, aggregationType: 'Max' })),
      streamIds: ids,
      ...between(fromMs, fromMs + hourMs),
      groupByTime: { timeBucketDuration: minuteMs * 1e6 },
    }),
    victoria: rangeQuery(
      isOne
        ? `max_over_time(${names[0]}{stream="${ids[0]}"}[1m])`
        : `max(max_over_time(${metric}[1m])) by (__name__)`,
      fromMs + minuteMs,
      fromMs + hourMs,
      minuteMs,
    ),
    ofPitwall: (answer) => pitwallSeries(answer, isOne ? ids[0]! : '', true),
    ofVictoria: (answer) => promSeries(answer, minuteMs),
    expected() {
      const series: Series = new Map();
      for (const parameter of parameters) {
        for (let bucketMs = fromMs; bucketMs < fromMs + hourMs; bucketMs += minuteMs) {
          const values = streams.flatMap((stream) => valuesIn(data, stream, parameter, bucketMs, minuteMs));
          add(series, parameterName(parameter), isOne ? ids[0]! : '', bucketMs, Math.max(...values));
        }
      }
      return series;
    },
  };
}

function meanByHour(data: QueryData, parameters: readonly number[]): Question {
  const names = namesOf(parameters, parameterName);
  const metric = names.length === 1 ? names[0] : `{__name__=~"${names.join('|')}"}`;
  return {
    pitwall: pitwallQuery({
      numericParameters: names.map((name) => ({ parameterName: name, aggregationType: 'Mean' })),
      ...between(firstHourMs, lastHourMs + hourMs),
      groupBy: ['streamId'],
      groupByTime: { timeBucketDuration: hourMs * 1e6 },
    }),
    victoria: rangeQuery(`avg_over_time(${metric}[1h])`, firstHourMs + hourMs, lastHourMs + hourMs, hourMs),
    ofPitwall: (answer) => pitwallSeries(answer, '', true),
    ofVictoria: (answer) => promSeries(answer, hourMs),
    expected() {
      const series: Series = new Map();
      for (let stream = 0; stream < data.streams; stream++) {
        for (const parameter of parameters) {
          for (let bucketMs = firstHourMs; bucketMs <= lastHourMs; bucketMs += hourMs) {
            const values = valuesIn(data, stream, parameter, bucketMs, hourMs);
            const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
            add(series, parameterName(parameter), streamName(stream), bucketMs, mean);
          }
        }
      }
      return series;
    },
  };
}

/** `lookbackMs` before the last row, which every stream has. */
function lastPoints(data: QueryData, lookbackMs: number): Question {
  const names = namesOf(everyParameter(data), parameterName);
  const expression = `last_over_time({__name__=~"${names.join('|')}"}[${lookbackMs}ms])`;
  return {
    pitwall: pitwallQuery({
      numericParameters: names.map((name) => ({ parameterName: name, aggregationType: 'Last' })),
      ...between(endMs - lookbackMs, endMs + 1),
      groupBy: ['streamId'],
    }),
    victoria: get('/api/v1/query', { query: expression, time: endMs / 1000, nocache: 1 }),
    ofPitwall: (answer) => pitwallSeries(answer, '', false),
    ofVictoria: (answer) => promSeries(answer, 0),
    expected() {
      const series: Series = new Map();
      for (let stream = 0; stream < data.streams; stream++) {
        names.forEach((name, parameter) => {
          add(series, name, streamName(stream), 0, valueAt(data, stream, parameter, data.rows - 1));
        });
      }
      return series;
    },
  };
}

function rawRows(data: QueryData, random: () => number): Question {
  const names = namesOf(everyParameter(data), parameterName);
  const stream = Math.floor(random() * data.streams);
  const id = streamName(stream);
  return {
    pitwall: pitwallQuery({
      numericParameters: names.map((name) => ({ parameterName: name })),
      streamIds: [id],
      ...between(startMs, endMs + 1),
    }),
    victoria: get('/api/v1/export', {
      'match[]': `{stream="${id}"}`,
      start: startMs / 1000,
      end: endMs / 1000,
    }),
    ofPitwall: (answer) => pitwallSeries(answer, id, true),
    ofVictoria: exportSeries,
    expected() {
      const series: Series = new Map();
      names.forEach((name, parameter) => {
        for (let row = 0; row < data.rows; row++) {
          add(series, name, id, startMs + row * stepMs, valueAt(data, stream, parameter, row));
        }
      });
      return series;
    },
  };
}

function valuesIn(
  data: QueryData,
  stream: number,
  parameter: number,
  bucketMs: number,
  widthMs: number,
): number[] {
  const first = Math.max(0, Math.ceil((bucketMs - startMs) / stepMs));
  const end = Math.min(data.rows, Math.ceil((bucketMs + widthMs - startMs) / stepMs));
  return Array.from({ length: end - first }, (_, i) => valueAt(data, stream, parameter, first + i));
}

/** Nanoseconds, from the first up to before the second; as text, since they are no safe integers. */
function between(fromMs: number, beforeMs: number): { from: string; to: string } {
  return { from: `${fromMs}000000`, to: String(BigInt(beforeMs) * 1_000_000n - 1n) };
}

function rangeQuery(expression: string, startAtMs: number, endAtMs: number, bucketMs: number): Buffer {
  return get('/api/v1/query_range', {
    query: expression,
    start: startAtMs / 1000,
    end: endAtMs / 1000,
    step: `${bucketMs}ms`,
    nocache: 1,
  });
}

function get(path: string, parameters: Readonly<Record<string, string | number>>): Buffer {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return request('GET', `${path}?${pairs.join('&')}`, {}, Buffer.alloc(0));
}
