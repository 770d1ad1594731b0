import { valueText } from './decimal-text.ts';
import type { Labels } from './labels.ts';
import type { QueryResult } from './query.ts';
import { type Grid, type Samples, type Series, timeAt } from './values.ts';

/*
 * Answers in the form of Prometheus' HTTP API:
 *
 *   { "status": "success", "data": { "resultType": …, "result": … } }
 *
 *   scalar, string  [time, "text"]
 *   vector          [{ "metric": { label: value… }, "value": [time, "text"] }…]
 *   matrix          [{ "metric": {…}, "values": [[time, "text"]…] }…]
 *
 * Times are seconds, values are texts.
 */

const chunkLength = 1 << 16;

/** Series are in order of their labels, unless the query put them in one. */
export function* encodeResult(result: QueryResult): Generator<Buffer> {
  const pieces = piecesOf(result);
  let text = '{"status":"success","data":';
  for (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}}`);
}

function* piecesOf(result: QueryResult): Generator<string> {
  switch (result.type) {
    case 'scalar':
      yield `{"resultType":"scalar","result":${point(result.time, result.value)}}`;
      return;
    case 'string':
      yield `{"resultType":"string","result":[${secondsText(result.time)},${JSON.stringify(result.text)}]}`;
      return;
    case 'vector': {
      yield '{"resultType":"vector","result":[';
      const { time, series, isOrdered } = result;
      let before = '';
      for (const { labels, values } of isOrdered ? series : inOrder(series)) {
        yield `${before}{"metric":${metric(labels)},"value":${point(time, values[0]!)}}`;
        before = ',';
      }
      yield ']}';
      return;
    }
    case 'samples':
    case 'matrix': {
      yield '{"resultType":"matrix","result":[';
      const times = result.type === 'matrix' ? gridTexts(result.grid) : [];
      let before = '';
      for (const series of inOrder<Series | Samples>(result.series)) {
        yield `${before}{"metric":${metric(series.labels)},"values":[`;
        yield* 'present' in series ? pointsOf(series, times) : samplesOf(series);
        yield ']}';
        before = ',';
      }
      yield ']}';
    }
  }
}

/** The points of a piece of the answer: much less than a millisecond. */
const pointsOfPiece = 1000;

/** @param times of the grid, as texts */
function* pointsOf({ values, present }: Series, times: readonly string[]): Generator<string> {
  let text = '';
  let isFirst = true;
  for (let i = 0; i < values.length; i++) {
    if (present[i] === 1) {
      text += `${isFirst ? '' : ','}[${times[i]!},"${valueText(values[i]!)}"]`;
      isFirst = false;
    }
    if (i % pointsOfPiece < pointsOfPiece - 1) continue;
    yield text;
    text = '';
  }
  yield text;
}

function gridTexts(grid: Grid): string[] {
  return Array.from({ length: grid.count }, (_, i) => secondsText(timeAt(grid, i)));
}

function* samplesOf({ times, values }: Samples): Generator<string> {
  for (let i = 0; i < times.length; i++) yield (i === 0 ? '' : ',') + point(times[i]!, values[i]!);
}

function inOrder<One extends { readonly labels: Labels }>(all: readonly One[]): One[] {
  return [...all].sort((a, b) => compareLabels(a.labels, b.labels));
}

function compareLabels({ pairs: a }: Labels, { pairs: b }: Labels): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    for (const part of [0, 1] as const)
      if (a[i]![part] !== b[i]![part]) return a[i]![part] < b[i]![part] ? -1 : 1;
  }
  return a.length - b.length;
}

function point(time: number, value: number): string {
  return `[${secondsText(time)},"${valueText(value)}"]`;
}

/** Seconds of milliseconds, exact to the microsecond. */
function secondsText(ms: number): string {
  return String(Number.isInteger(ms) ? ms / 1000 : Math.round(ms * 1000) / 1e6);
}

export function metric({ pairs }: Labels): string {
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
}
