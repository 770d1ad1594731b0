import { createJsonWriter, takeReady, takeRest, writeText } from '../wire/json/json-writer.ts';
import { metric, secondsText } from './answer-texts.ts';
import { valueText } from './decimal-text.ts';
import type { Labels } from './labels.ts';
import { matrixSeries } from './matrix-json.ts';
import type { QueryResult } from './query.ts';

/*
 * Answers in the form of Prometheus' HTTP API:
 *
 *   { "status": "success", "data": { "resultType": …, "result": … } }
 *
 *   scalar, string  [time, "text"]
 *   vector          [{ "metric": { label: value… }, "value": [time, "text"] }…]
 *   matrix          [{ "metric": {…}, "values": [[time, "text"]…] }…]
 *
 * Times are seconds, values are texts. Where series were left out, "warnings" says so behind the data.
 */

/** Says that an answer has as many entries as its request wants, and that there are more. */
export const cut = 'results truncated due to limit';

/**
 * Series are in order of their labels, unless the query put them in one.
 *
 * @param limit the most series of the answer
 */
export function* encodeResult(result: QueryResult, limit = Number.POSITIVE_INFINITY): Generator<Buffer> {
  const out = createJsonWriter();
  const isCut = 'series' in result && result.series.length > limit;
  writeText(out, '{"status":"success","data":');
  if (result.type === 'matrix') {
    writeText(out, '{"resultType":"matrix","result":[');
    yield* matrixSeries(out, inOrder(result.series).slice(0, limit), result.grid);
    writeText(out, ']}');
  } else {
    for (const piece of piecesOf(result, limit)) {
      writeText(out, piece);
      yield* takeReady(out);
    }
  }
  writeText(out, isCut ? `,"warnings":["${cut}"]}` : '}');
  yield* takeRest(out);
}

function* piecesOf(result: Exclude<QueryResult, { type: 'matrix' }>, limit: number): Generator<string> {
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
      for (const { labels, values } of (isOrdered ? series : inOrder(series)).slice(0, limit)) {
        yield `${before}{"metric":${metric(labels)},"value":${point(time, values[0]!)}}`;
        before = ',';
      }
      yield ']}';
      return;
    }
    case 'samples': {
      yield '{"resultType":"matrix","result":[';
      let before = '';
      for (const { labels, times, values } of inOrder(result.series).slice(0, limit)) {
        yield `${before}{"metric":${metric(labels)},"values":[`;
        for (let i = 0; i < times.length; i++) yield (i === 0 ? '' : ',') + point(times[i]!, values[i]!);
        yield ']}';
        before = ',';
      }
      yield ']}';
    }
  }
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
