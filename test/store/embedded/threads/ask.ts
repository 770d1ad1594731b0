import type { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { ParameterDataQuery } from '../../../../src/domain/query.ts';
import { uncounted } from '../../../../src/query/bounds/running-queries.ts';
import { planQuery } from '../../../../src/query/plan/plan.ts';
import type { AnswerTerms, MadeAnswer, RowsRequest } from '../../../../src/store/answers/answer.ts';
import type { EmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { rowsOf, type TestRow } from '../rows.ts';

/** A request for rows of the default workspace. */
export function requestOf(
  query: Partial<ParameterDataQuery>,
  form: RowsRequest['form'] = 'json',
): RowsRequest {
  const parameters = [{ kind: Kind.Numeric, name: 'p', aggregation: 'None' as const }];
  return {
    kind: 'rows',
    plans: [planQuery('default', { parameters, ...query })],
    groupBy: query.groupBy ?? [],
    form,
    int64AsString: false,
    maxBytes: 1e9,
  };
}

export function termsOf(terms: Partial<AnswerTerms> = {}): AnswerTerms {
  return {
    signal: new AbortController().signal,
    owner: 'o',
    countRows: uncounted,
    countAnswered: uncounted,
    take: () => undefined,
    ...terms,
  };
}

/** Takes an answer to its end. */
export async function bytesOf({ chunks }: MadeAnswer): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

export async function write(
  store: EmbeddedStore,
  streamId: string,
  rows: readonly TestRow[],
  topic = 't',
): Promise<void> {
  await store.append({
    workspace: 'default',
    changes: [{ type: 'rows', topic, streamId, rows: [rowsOf(rows)] }],
  });
}

/** Rows of `p`, a nanosecond apart. */
export function manyRows(from: number, count: number): TestRow[] {
  return Array.from({ length: count }, (_, i) => ({
    time: BigInt(from + i),
    cells: { p: Math.sin(from + i) },
  }));
}

/** The threads that begin while an action runs. */
export async function threadsBegunBy(action: () => Promise<unknown>): Promise<Worker[]> {
  const begun: Worker[] = [];
  const note = (worker: Worker): void => {
    begun.push(worker);
  };
  const all: EventEmitter = process;
  all.on('worker', note);
  try {
    await action();
    await new Promise(setImmediate);
  } finally {
    all.off('worker', note);
  }
  return begun;
}
