import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { scopes } from '../domain/principal.ts';
import { beginChunks } from '../http/begin-chunks.ts';
import { queryParameterData } from '../http/routes/query-parameter-data.ts';
import { watchQueries } from '../http/watch-queries.ts';
import { createByteBudget } from '../ingest/byte-budget.ts';
import type { Log } from '../log.ts';
import { createRunningQueries } from '../query/bounds/running-queries.ts';
import type { Reader } from '../store/store.ts';
import { nextTurn } from '../turns/rest.ts';

/** With 1,200 the first real questions take no less, and the process 20 MB more instead of 6. */
const questions = 60;
/** The thread has so many times as long as a question took for everything else. */
const restFactor = 1.5;
/** Streams that are asked for, and parameters of each. */
const most = { streams: 8, parameters: 3 } as const;
/** Rows that a question reads. */
const rowsAsked = 360;
/** Groups of an aggregated question. */
const groups = 60n;

/** Answers a body of `/parameters/data`. */
type Ask = (body: string) => Promise<string>;

/** A warm-up that is under way. */
export interface WarmUp {
  /** Resolves when nothing of it is under way any more. */
  readonly ended: Promise<void>;
  /** Ends it; the same promise. */
  end(): Promise<void>;
}

/**
 * Asks what dashboards ask, some rows of a stream and the same in groups, and throws the answers away. The engine compiles
 * well only what runs often: without this, the first questions after a start take up to thirty times as long as later ones.
 * Nothing is written, counted or listed. It begins in the next turn and ends by itself: when it is done, where there is
 * nothing to ask, and where something goes wrong, for the first real question tells what.
 */
export function warmUp(store: Reader, config: Config, log: Log): WarmUp {
  const ending = new AbortController();
  const { signal } = ending;
  const ended = nextTurn()
    .then(() => askAll(store, config, log, signal))
    .catch((error: unknown) => {
      if (!signal.aborted) log.debug({ err: error }, 'warming up ended early');
    });
  const end = () => {
    ending.abort();
    return ended;
  };
  return { ended, end };
}

async function askAll(store: Reader, config: Config, log: Log, signal: AbortSignal): Promise<void> {
  for (const { name: workspace } of store.catalog.workspaces()) {
    signal.throwIfAborted();
    const ask = askOf(store, workspace, config, log, signal);
    const bodies = await bodiesOf(store, workspace, ask, signal);
    for (let i = 0; i < questions && bodies.length > 0; i++) {
      const start = performance.now();
      await ask(bodies[i % bodies.length]!);
      await pause((performance.now() - start) * restFactor, undefined, { signal });
    }
    if (bodies.length > 0) return;
  }
}

/** The way of a question about a workspace, of which nobody is told. */
function askOf(
  store: Reader,
  workspace: string,
  { maxResultBytes, maxInFlightBytes }: Config,
  log: Log,
  signal: AbortSignal,
): Ask {
  const uncounted = { rowsRead: { inc: () => undefined }, slowQueries: { inc: () => undefined } };
  const running = createRunningQueries(() => 'warm-up', Date.now);
  const watch = watchQueries({ running, slowQueryMs: undefined, metrics: uncounted, log });
  const { handle } = watch(queryParameterData(store, uncounted, Date.now, maxResultBytes));
  const principal = { tokenId: 'warm-up', workspace, scopes };
  const budget = createByteBudget(maxInFlightBytes);
  return async (body) => {
    const reservation = budget.open(principal);
    const { chunks = [] } = await handle({
      principal,
      isOperator: async () => false,
      params: {},
      query: {},
      accept: undefined,
      contentType: 'application/json',
      acceptEncoding: undefined,
      ifMatch: undefined,
      ifNoneMatch: undefined,
      body: Buffer.from(body),
      reservation,
      signal: () => signal,
    });
    const { begun, rest } = await beginChunks(chunks);
    await rest?.return?.();
    reservation.end();
    return Buffer.concat(begun).toString();
  };
}

/** What is asked of the first streams of a workspace. */
async function bodiesOf(
  { catalog }: Reader,
  workspace: string,
  ask: Ask,
  signal: AbortSignal,
): Promise<string[]> {
  const bodies: string[] = [];
  const paging = { index: 0, length: most.streams };
  for (const { topic, streamId } of await catalog.streams(workspace, { paging }, Date.now(), signal)) {
    const page = { index: 0, length: most.parameters };
    const filter = { topic, streamIds: [streamId], includeTypes: ['Numeric'], paging: page } as const;
    const rows = `"topic":${JSON.stringify(topic)},"streamIds":[${JSON.stringify(streamId)}]`;
    for (const { id } of await catalog.parameters(workspace, filter, signal)) {
      const parameter = `"parameterName":${JSON.stringify(id)}`;
      const raw = `${rows},"numericParameters":[{${parameter}}]`;
      const first = await ask(`{${raw},"limit":${rowsAsked}}`);
      // As text: they are exact there.
      const times = /"timestamps":\[([-\d,]+)\]/.exec(first)?.[1]?.split(',');
      if (times === undefined) continue;
      const [from, to] = [times[0]!, times.at(-1)!];
      const range = `"from":${from},"to":${to}`;
      const duration = (BigInt(to) - BigInt(from)) / groups + 1n;
      const highest = `"numericParameters":[{${parameter},"aggregationType":"Max"}]`;
      bodies.push(
        `{${raw},${range}}`,
        `{${rows},${highest},${range},"groupByTime":{"timeBucketDuration":${duration}}}`,
      );
    }
  }
  return bodies;
}
