import { serialize } from 'node:v8';
import { paceQuery, paceReads } from '../../../query/pace.ts';
import type { AggregatePlan, ReadPlan } from '../../../query/plan.ts';
import { queryMemoryPool } from '../../../query/query-memory.ts';
import type { Ending } from '../../../turns/pace.ts';
import { nextTurn } from '../../../turns/rest.ts';
import type { MadeAnswer, RowReader } from '../../answers/answer.ts';
import { makeAnswer } from '../../answers/make-answer.ts';
import { filePool } from '../parts/file-pool.ts';
import { partCache } from '../parts/part-cache.ts';
import { partReaders } from '../parts/part-readers.ts';
import { aggregate } from '../read/aggregate.ts';
import type { BoundStreams } from '../read/bind-streams.ts';
import { execute } from '../read/execute.ts';
import { answerOneself, asksOneself, type OwnQuestion } from '../read/own-questions.ts';
import { choosesByTags, partsWithTags } from '../read/parts-with-tags.ts';
import { allQueriesBytes, queryBytes, type ReadTerms } from '../read/read-terms.ts';
import { tagNames } from '../read/tag-names.ts';
import { tagValues } from '../read/tag-values.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { type AnswerSender, answerSender } from './answer-sender.ts';
import { type PortionGiver, portionGiver } from './give-portions.ts';
import type { ForReads, FromThread, ThreadData } from './messages.ts';
import { type PlanKeeper, planKeeper } from './sent-streams.ts';
import { snapshotKeeper } from './snapshot-update.ts';
import { takePortions } from './take-portions.ts';

type ReadMessage = Extract<ForReads, { type: 'read' }>;
type HelpMessage = Extract<ForReads, { type: 'help' }>;

/** After this time (ms) of making chunks the other reads of the thread get a turn. */
const sliceMs = 4;

/**
 * The work of a read thread: makes the answers that it is asked for, several by turns. It has part files open and keeps
 * blocks of them, as the main thread does for its own reads.
 *
 * @param post sends a message with the memory that it gives away
 * @returns `take`: to be given the messages of the main thread, in their order; `close`: to be waited for before the thread
 * ends, whatever it still reads
 */
export function serveReads(
  data: ThreadData,
  post: (message: FromThread, given: ArrayBuffer[]) => void,
): { take(message: ForReads): void; close(): Promise<void> } {
  const { place, memoryUse, ended, cacheBytes, indexBytes, maxFiles, maxQueryMs, sharedMs } = data;
  const cache = partCache(cacheBytes, indexBytes);
  const files = filePool(maxFiles);
  const readers = partReaders(cache, files);
  const pool = queryMemoryPool(queryBytes, allQueriesBytes, memoryUse, place);
  const snapshotOf = snapshotKeeper();
  const running = new Map<number, AnswerSender>();
  /** Of reads that run. */
  const givers = new Map<number, PortionGiver>();
  /** Of reads that come later. */
  const named = new Map<number, PlanKeeper>();
  const memory = () => ({ cacheBytes: cache.bytes, indexBytes: cache.indexes.bytes });

  function keeperOf(id: number): PlanKeeper {
    const keeper = named.get(id) ?? planKeeper();
    named.set(id, keeper);
    return keeper;
  }

  async function read({ id, slot, request, plans, names, snapshot }: ReadMessage): Promise<void> {
    const keeper = keeperOf(id);
    named.delete(id);
    for (const some of names) keeper.add(some);
    const streams = keeper.plans(plans);
    const sender = answerSender(id, memory, post);
    running.set(id, sender);
    const queries = pool.open();
    const giver = portionGiver(sharedMs, sender.wantHelp);
    givers.set(id, giver);
    const terms = termsOf(slot, sender);
    const helped = { ...terms, findHelp: giver.findHelp };
    const open = { snapshot: snapshotOf(snapshot), readers };
    const reader: RowReader = {
      run: (plan, at) =>
        withTags(open, plan, terms, (left) => execute(plan, streams[at] as BoundStreams, left, terms)),
      aggregate: (plan, at) =>
        withTags(open, plan, terms, (left) =>
          aggregate(plan, streams[at] as BoundStreams, left, queries, helped),
        ),
      tagValues: (selection, tag) => tagValues(streams[0] as Uint32Array, open, selection, tag, terms),
      tagNames: (selection) => tagNames(streams[0] as Uint32Array, open, selection, terms),
    };
    try {
      const made = asksOneself(request)
        ? await answered(open, request, terms.signal)
        : await makeAnswer(request, reader, { take: sender.take, countAnswered: sender.answeredRows });
      const { chunks, nextCursor } = made;
      sender.begin(nextCursor);
      // Tables are read while they are sent.
      if (!(Symbol.asyncIterator in chunks)) sender.isRead();
      await sendChunks(chunks, sender, terms.signal);
      sender.end();
    } catch (error) {
      sender.end(error);
    } finally {
      queries.release();
      running.delete(id);
      givers.delete(id);
    }
  }

  /** Takes portions of a read of another thread, which tells its reader of errors. */
  async function help({ id, slot, snapshot, port }: HelpMessage): Promise<void> {
    const sender = answerSender(id, memory, post);
    running.set(id, sender);
    const open = { snapshot: snapshotOf(snapshot), readers };
    try {
      await takePortions(port, open, pool.open, termsOf(slot, sender));
      sender.end();
    } catch (error) {
      sender.end(error);
    } finally {
      running.delete(id);
    }
  }

  function termsOf(slot: number, { readRows }: AnswerSender): ReadTerms {
    const signal: Ending = {
      throwIfAborted() {
        if (Atomics.load(ended, slot) !== 0) throw new Error('the read was ended');
      },
    };
    return { signal, maxMs: maxQueryMs, countRows: readRows };
  }

  function take(message: ForReads): void {
    switch (message.type) {
      case 'read':
        void read(message);
        return;
      case 'help':
        void help(message);
        return;
      case 'helper': {
        const giver = givers.get(message.id);
        if (giver === undefined) message.port.close();
        else giver.helper(message.port);
        return;
      }
      case 'names':
        keeperOf(message.id).add(message.names);
        return;
      case 'taken':
        running.get(message.id)?.taken(message.bytes);
        return;
      case 'end':
        if (named.delete(message.id)) answerSender(message.id, memory, post).end();
        else running.get(message.id)?.wake();
        return;
      default:
        readers.close(message.part).catch(() => undefined);
    }
  }

  return { take, close: files.close };
}

/** Whoever asked has been served already: it takes what time it needs. */
async function answered(open: OpenSnapshot, question: OwnQuestion, signal: Ending): Promise<MadeAnswer> {
  const answer = await answerOneself(open, question, paceReads(signal));
  return { chunks: [serialize(answer)], nextCursor: undefined };
}

async function* withTags<Block>(
  open: OpenSnapshot,
  plan: ReadPlan | AggregatePlan,
  { signal, maxMs }: ReadTerms,
  read: (open: OpenSnapshot) => AsyncGenerator<Block>,
): AsyncGenerator<Block> {
  yield* read(choosesByTags(plan) ? await partsWithTags(open, plan, paceQuery(signal, maxMs).pace) : open);
}

/** Sends chunks no faster than they are taken. */
async function sendChunks(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  sender: AnswerSender,
  signal: Ending,
): Promise<void> {
  let start = performance.now();
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    const full = chunk.length === 0 ? undefined : sender.chunk(chunk);
    if (full !== undefined) await full;
    else if (performance.now() - start < sliceMs) continue;
    else await nextTurn();
    signal.throwIfAborted();
    start = performance.now();
  }
}
