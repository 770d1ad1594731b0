import { contentOf } from '../../client/answers.ts';
import type { StreamInfo } from '../../client/models.ts';
import { HiddenTag } from '../../client/replay/copy-description.ts';
import { RequestError } from '../../client/request-error.ts';
import type { StreamName } from './notes.ts';
import type { Calls } from './service.ts';
import { copyStream, type Ends } from './stream.ts';

/** What came of the streams of a workspace. */
export interface CopiedStreams {
  copied: number;
  unchanged: number;
  /** In the bin of the source: they have no rows that could be read. */
  binned: number;
  /** Put into the bin of the target: they are gone from the source. */
  gone: number;
  readonly failures: string[];
}

/** Streams of one page of a listing. */
const together = 500;
/** Streams that are copied at the same time: a small one waits for its requests most of the time. */
const beside = 8;
/** What was written so shortly before a listing may have been followed by more at the same moment, or by another clock. */
const settledMs = 10_000;

/** Copies all streams of a workspace. */
export class WorkspaceStreams {
  readonly #workspace: string;
  readonly #ends: Ends;
  readonly #seen = new Set<string>();
  readonly result: CopiedStreams = { copied: 0, unchanged: 0, binned: 0, gone: 0, failures: [] };

  constructor(workspace: string, ends: Ends) {
    this.#workspace = workspace;
    this.#ends = ends;
  }

  async copy(topics: readonly string[]): Promise<void> {
    for (const topic of topics) {
      // A stream that is removed while pages are read moves others to pages that were read before.
      while (await this.#topicOnce(topic)) this.#ends.signal.throwIfAborted();
    }
    await this.#removeGone();
  }

  /** Whether it has copied any that were not seen before. */
  async #topicOnce(topic: string): Promise<boolean> {
    let found = false;
    for (let index = 0; ; index++) {
      const { streams, at } = await listStreams(this.#ends.source, {
        topic,
        paging: { index, length: together },
      });
      const fresh = streams.filter((stream) => !this.#seen.has(keyOf(stream)));
      for (const stream of fresh) this.#seen.add(keyOf(stream));
      if (fresh.length > 0) {
        found = true;
        await this.#page(topic, fresh, at);
      }
      if (streams.length < together) return found && index > 0;
    }
  }

  async #page(topic: string, streams: readonly StreamInfo[], at: number): Promise<void> {
    const { notes, target } = this.#ends;
    const candidates = streams.filter((stream) => notes.isCopied(this.#nameOf(stream), stream.lastUpdate));
    const same = new Set<StreamInfo>();
    if (candidates.length > 0) {
      const streamIds = candidates.map(({ streamId }) => streamId);
      const there = new Map((await target.streams({ topic, streamIds })).map((one) => [one.streamId, one]));
      for (const one of candidates) if (isLike(there.get(one.streamId), one)) same.add(one);
    }
    this.result.unchanged += same.size;
    this.#ends.tally.ended(same);
    const waiting = streams.filter((stream) => !same.has(stream));
    // In the order in which they came into being, which is that of listings.
    for (const { streamId } of waiting) await target.createStream(topic, { streamId });
    const next = async (): Promise<void> => {
      for (let stream = waiting.shift(); stream !== undefined; stream = waiting.shift()) {
        await this.#stream(stream, at);
        this.#ends.tally.ended([stream]);
      }
    };
    // Who fails stops the others, so that nothing goes on behind the end of the command.
    let first: { readonly error: unknown } | undefined;
    await Promise.all(
      Array.from({ length: beside }, () =>
        next().catch((error) => {
          waiting.length = 0;
          first ??= { error };
        }),
      ),
    );
    if (first !== undefined) throw first.error;
  }

  async #stream(stream: StreamInfo, at: number): Promise<void> {
    const { notes, signal } = this.#ends;
    signal.throwIfAborted();
    const name = this.#nameOf(stream);
    try {
      await copyStream(this.#ends, this.#workspace, stream);
    } catch (error) {
      if (!isOfStream(error)) throw error;
      this.result.failures.push(
        `topic ${stream.topic}, stream ${stream.streamId}: ${(error as Error).message}`,
      );
      return;
    }
    this.result.copied++;
    const isSettled = Date.parse(stream.lastUpdate) + settledMs <= at;
    notes.streamIsCopied(name, isSettled ? stream.lastUpdate : undefined);
  }

  /** What earlier runs have copied and the source has no more is put into the bin of the target, from which it can be restored. */
  async #removeGone(): Promise<void> {
    const { source, target, notes } = this.#ends;
    const { streams } = await listStreams(source, { includeStatuses: ['SoftDeleted'] });
    this.result.binned = streams.length;
    const byTopic = new Map<string, StreamName[]>();
    for (const name of notes.streamsOf(this.#workspace)) {
      if (this.#seen.has(keyOf(name))) continue;
      byTopic.set(name.topic, [...(byTopic.get(name.topic) ?? []), name]);
    }
    for (const [topic, names] of byTopic) {
      for (let i = 0; i < names.length; i += together) {
        const some = names.slice(i, i + together);
        const streamIds = some.map(({ streamId }) => streamId);
        this.result.gone += await target.deleteStreams({ topic, streamIds });
        for (const name of some) notes.streamIsGone(name);
      }
    }
  }

  #nameOf({ topic, streamId }: StreamInfo): StreamName {
    return { workspace: this.#workspace, topic, streamId };
  }
}

/** Streams, and the time (ms) at which they were listed, by the clock of the service. */
async function listStreams(
  { transport }: Calls,
  filter: object,
): Promise<{ readonly streams: StreamInfo[]; readonly at: number }> {
  const response = await transport.send('POST', '/streams?int64=string', filter);
  const at = Date.parse(response.headers.get('date') ?? '');
  const found = await contentOf<WireStream[]>(response, Array.isArray);
  return {
    at: Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at,
    streams: found.map(({ dataStart, dataEnd, ...rest }) => ({
      ...rest,
      ...(dataStart !== undefined && { dataStart: BigInt(dataStart) }),
      ...(dataEnd !== undefined && { dataEnd: BigInt(dataEnd) }),
    })),
  };
}

type WireStream = Omit<StreamInfo, 'dataStart' | 'dataEnd'> & {
  readonly dataStart?: string;
  readonly dataEnd?: string;
};

/** Whether the target has a stream as a copy left it. */
function isLike(there: StreamInfo | undefined, stream: StreamInfo): boolean {
  if (there === undefined) return false;
  const isOpen = ({ status }: StreamInfo) => status === 'Open' || status === 'Interrupted';
  const isSameState = there.status === stream.status || (isOpen(there) && isOpen(stream));
  return isSameState && there.dataStart === stream.dataStart && there.dataEnd === stream.dataEnd;
}

/** What is wrong with one stream; anything else ends the copy. */
function isOfStream(error: unknown): boolean {
  if (error instanceof RequestError) return [400, 404, 413].includes(error.status);
  return error instanceof HiddenTag;
}

function keyOf({ topic, streamId }: Pick<StreamInfo, 'topic' | 'streamId'>): string {
  return JSON.stringify([topic, streamId]);
}
