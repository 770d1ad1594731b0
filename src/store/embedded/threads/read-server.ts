import { serialize } from 'node:v8';
import { paceQuery, paceReads } from '../../../query/bounds/pace.ts';
import { queryMemoryPool } from '../../../query/bounds/query-memory.ts';
import type { AggregatePlan, ReadPlan } from '../../../query/plan/plan.ts';
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
import { allQueriesBytes, queryBytes, type ReadTerms } from '../read/read-terms.ts';
import { tagNames } from '../read/tag-names.ts';
import { tagValues } from '../read/tag-values.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { choosesByTags, partsWithTags } from '../walk/parts-with-tags.ts';
import { type AnswerSender, answerSender } from './answer-sender.ts';
import { type PortionGiver, portionGiver } from './give-portions.ts';
import type { ForReads, FromThread, ThreadData } from './messages.ts';
import { type PlanKeeper, planKeeper } from './sent-streams.ts';
import { snapshotKeeper } from './snapshot-update.ts';
import { takePortions } from './take-portions.ts';

type ReadMessage = Extract<ForReads, { type: 'read' }>;
type HelpMessage = Extract<ForReads, { type: 'help' }>;

type Post = (message: FromThread, given: ArrayBuffer[]) => void;

/** The time (ms) of making chunks after which the other reads of the thread get a turn. */
const sliceMs = 4;

/**
 * The work of a read thread: makes the answers that it is asked for, several by turns. It has part files open and keeps
 * blocks of them, as the main thread does for its own reads.
 */
export class ReadServer {
  readonly #data;
  readonly #post: Post;
  readonly #cache;
  readonly #files;
  readonly #readers;
  /** Memory of queries. */
  readonly #pool;
  readonly #snapshotOf = snapshotKeeper();
  /** By id, what reads and helps. */
  readonly #running = new Map<number, AnswerSender>();
  /** By id of a read that runs. */
  readonly #givers = new Map<number, PortionGiver>();
  /** By id of a read that comes later: names of its streams, as far as they have come. */
  readonly #named = new Map<number, PlanKeeper>();

  /** @param post sends a message with the memory that it gives away */
  constructor(data: ThreadData, post: Post) {
    this.#data = data;
    this.#post = post;
    this.#cache = partCache(data.cacheBytes, data.indexBytes);
    this.#files = filePool(data.maxFiles);
    this.#readers = partReaders(this.#cache, this.#files);
    this.#pool = queryMemoryPool(queryBytes, allQueriesBytes, data.memoryUse, data.place);
  }

  /** To be given the messages of the main thread, in their order. */
  take(message: ForReads): void {
    switch (message.type) {
      case 'read':
        void this.#read(message);
        return;
      case 'help':
        void this.#help(message);
        return;
      case 'helper': {
        const giver = this.#givers.get(message.id);
        if (giver === undefined) message.port.close();
        else giver.helper(message.port);
        return;
      }
      case 'names':
        this.#keeperOf(message.id).add(message.names);
        return;
      case 'taken':
        this.#running.get(message.id)?.taken(message.bytes);
        return;
      case 'end':
        if (this.#named.delete(message.id)) this.#senderOf(message.id).end();
        else this.#running.get(message.id)?.wake();
        return;
      default:
        this.#readers.close(message.part).catch(() => undefined);
    }
  }

  /** To be waited for before the thread ends, whatever it still reads. */
  close(): Promise<void> {
    return this.#files.close();
  }

  async #read({ id, slot, request, plans, names, snapshot }: ReadMessage): Promise<void> {
    const keeper = this.#keeperOf(id);
    this.#named.delete(id);
    for (const some of names) keeper.add(some);
    const streams = keeper.plans(plans);
    const sender = this.#senderOf(id);
    this.#running.set(id, sender);
    const queries = this.#pool.open();
    const giver = portionGiver(this.#data.sharedMs, sender.wantHelp);
    this.#givers.set(id, giver);
    const terms = this.#termsOf(slot, sender);
    const helped = { ...terms, findHelp: giver.findHelp };
    const open = this.#openSnapshot(snapshot);
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
      this.#running.delete(id);
      this.#givers.delete(id);
    }
  }

  /** Takes portions of a read of another thread, which tells its reader of errors. */
  async #help({ id, slot, snapshot, port }: HelpMessage): Promise<void> {
    const sender = this.#senderOf(id);
    this.#running.set(id, sender);
    const open = this.#openSnapshot(snapshot);
    try {
      await takePortions(port, open, this.#pool.open, this.#termsOf(slot, sender));
      sender.end();
    } catch (error) {
      sender.end(error);
    } finally {
      this.#running.delete(id);
    }
  }

  #keeperOf(id: number): PlanKeeper {
    const keeper = this.#named.get(id) ?? planKeeper();
    this.#named.set(id, keeper);
    return keeper;
  }

  #senderOf(id: number): AnswerSender {
    const memory = () => ({ cacheBytes: this.#cache.bytes, indexBytes: this.#cache.indexes.bytes });
    return answerSender(id, memory, this.#post);
  }

  #openSnapshot(update: ReadMessage['snapshot']): OpenSnapshot {
    return { snapshot: this.#snapshotOf(update), readers: this.#readers };
  }

  #termsOf(slot: number, { readRows }: AnswerSender): ReadTerms {
    const { ended, maxQueryMs } = this.#data;
    const signal: Ending = {
      throwIfAborted() {
        if (Atomics.load(ended, slot) !== 0) throw new Error('the read was ended');
      },
    };
    return { signal, maxMs: maxQueryMs, countRows: readRows };
  }
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
