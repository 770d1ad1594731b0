import { encodeResult } from '../../promql/answer-json.ts';
import type { QueryResult, QueryTerms } from '../../promql/query.ts';
import { badData, QueryError } from '../../promql/query-error.ts';
import { paceQuery } from '../../query/bounds/pace.ts';
import { type QueryMemory, queryMemoryPool } from '../../query/bounds/query-memory.ts';
import type { Reader } from '../../store/store.ts';
import { settingsLimits } from '../../wire/json/json-memory.ts';
import type { Answer, Call, Route } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { type QueryCall, type QueryRoute, type QueryWatch, watchQueries } from '../watch-queries.ts';
import { prometheusDialect } from './prometheus-dialect.ts';
import {
  durationParameter,
  gridOf,
  limitOf,
  one,
  type Parameters,
  parametersOf,
  timeOf,
} from './prometheus-parameters.ts';

/** What the routes of the query API read from, and what they may take. */
export interface PrometheusReads extends QueryWatch {
  readonly store: Reader;
  /** Labels that make the stream. */
  readonly streamLabels: readonly string[];
  /** How long a query may work, in ms. */
  readonly maxQueryMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Of one query; all of them may hold twice as much. */
const queryBytes = 256 << 20;
const pool = queryMemoryPool(queryBytes, 2 * queryBytes);

/** Loaded with the first query: a start needs neither the grammar nor the functions. */
export const engine = () => import('../../promql/engine.ts');

/** `/api/v1/query` and `/api/v1/query_range` of Prometheus. */
export function prometheusQueries(reads: PrometheusReads): Route[] {
  return [
    ...prometheusRoutes(
      reads,
      '/api/v1/query',
      'Ask as Prometheus, at one time',
      async (call, parameters) => {
        const time = timeOf(parameters, 'time', reads.now());
        return answerTo(call, parameters, reads, async (text, terms) =>
          (await engine()).instantQuery(text, time, terms),
        );
      },
    ),
    ...prometheusRoutes(
      reads,
      '/api/v1/query_range',
      'Ask as Prometheus, at many times',
      async (call, parameters) => {
        const grid = gridOf(parameters);
        return answerTo(call, parameters, reads, async (text, terms) =>
          (await engine()).rangeQuery(text, grid, terms),
        );
      },
    ),
  ];
}

/** A route of the query API, with its parameters in the address or in a form. */
export function prometheusRoutes(
  reads: PrometheusReads,
  path: string,
  summary: string,
  handle: (call: QueryCall, parameters: Parameters) => ReturnType<QueryRoute['handle']>,
): Route[] {
  return (['GET', 'POST'] as const).map((method) => {
    const route: QueryRoute = {
      method,
      path,
      interface: 'query',
      scope: 'read',
      summary,
      ...(method === 'POST' && {
        body: { schema: eventValue, optional: true, anyType: true, limits: settingsLimits },
      }),
      dialect: prometheusDialect,
      handle: (call) => handle(call, parametersOf({ query: {}, body: call.body })),
    };
    const watched = watchQueries(reads)(route);
    // What runs is listed with what it asks for, wherever that stood.
    return { ...watched, handle: (call: Call) => watched.handle({ ...call, body: asForm(call) }) };
  });
}

function asForm(call: Call): Uint8Array {
  const pairs = Object.entries(parametersOf(call)).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return Buffer.from(new URLSearchParams(pairs).toString());
}

/** How far back a sample counts, as in Prometheus. */
const defaultLookback = 300_000;

async function answerTo(
  call: QueryCall,
  parameters: Parameters,
  reads: PrometheusReads,
  ask: (text: string, terms: QueryTerms) => Promise<QueryResult>,
): Promise<Answer> {
  const limit = limitOf(parameters);
  return withTerms(call, parameters, reads, async (terms) => {
    const result = await ask(one(parameters, 'query'), terms);
    return { type: 'application/json; charset=utf-8', chunks: encodeResult(result, limit) };
  });
}

/** Does what a call asks for with memory that is held until its answer has left. */
export async function withTerms(
  call: QueryCall,
  parameters: Parameters,
  reads: PrometheusReads,
  answer: (terms: QueryTerms) => Promise<Answer>,
): Promise<Answer> {
  const memory = pool.open();
  // Whoever leaves before the answer begins asks for none of its chunks.
  call.signal().addEventListener('abort', memory.release, { once: true });
  try {
    const made = await answer(termsOf(call, parameters, reads, memory));
    if (made.chunks !== undefined)
      return { ...made, chunks: released(made.chunks as Iterable<Uint8Array>, memory) };
    memory.release();
    return made;
  } catch (error) {
    memory.release();
    throw named(error);
  }
}

/** Says that it is the query that is wrong, as Prometheus does. */
function named(error: unknown): unknown {
  const isNamed =
    !(error instanceof QueryError) ||
    error.kind !== 'bad_data' ||
    /^(?:invalid|no|exceeded) /.test(error.message);
  return isNamed ? error : badData(`invalid parameter "query": ${error.message}`);
}

function* released(chunks: Iterable<Uint8Array>, memory: QueryMemory): Generator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    memory.release();
  }
}

/** What a query of this call is evaluated on. */
function termsOf(
  { principal, signal: signalOf, countRows }: QueryCall,
  parameters: Parameters,
  { store, streamLabels, maxQueryMs, now }: PrometheusReads,
  memory: QueryMemory,
): QueryTerms {
  const timeout = durationParameter(parameters, 'timeout', maxQueryMs);
  const lookback = durationParameter(parameters, 'lookback_delta', defaultLookback);
  const signal = signalOf();
  return {
    store,
    workspace: principal.workspace,
    streamLabels,
    lookback: lookback > 0 ? lookback : defaultLookback,
    memory,
    pace: paceQuery(signal, Math.max(1, Math.min(timeout, maxQueryMs))).pace,
    signal,
    countRows,
    now: now(),
  };
}
