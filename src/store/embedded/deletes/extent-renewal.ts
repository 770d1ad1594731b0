import { Kind } from '../../../domain/parameter-data.ts';
import type { Pace } from '../../../turns/pace.ts';
import { setExtent, setTimes } from '../catalog/catalog-changes.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { emptyExtent, extend, type StreamExtent } from '../catalog/stream-extent.ts';
import type { AskOneself } from '../read/own-questions.ts';
import { type ExtentToFind, type FoundExtent, walkOfAll } from '../read/stream-extent.ts';
import type { OpenSnapshot, PinnedSnapshot } from '../snapshot/snapshot.ts';
import { mayHide } from '../walk/walk.ts';

/** Streams whose extents are computed anew, from the moment at which rows of theirs went. */
export interface Renewal {
  /** Sets the extents to what a later snapshot has, and what was written since the beginning. */
  run(pinned: PinnedSnapshot, ask: AskOneself, pace: Pace): Promise<void>;
  /** Always to be called; streams that were not reached keep the extents that they had. */
  end(): void;
}

/** What surely stays of an extent: times (ns) of its first row and its last, and parameters. */
interface Before {
  readonly times: readonly bigint[];
  readonly parameters: ReadonlySet<number>;
}

/** Parameters that a delete leaves alone, by those that it takes. */
interface Stays {
  readonly losing: ReadonlySet<number> | undefined;
  readonly parameters: ReadonlySet<number>;
}

/** A delete, of which nothing is renewed yet: what it cannot have taken is known without a look. */
export interface CauseOfRenewal {
  /** Its record. */
  readonly lsn: number;
  /** Nanoseconds, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  /** The parameters of which it may take values, by stream. */
  readonly losing: ReadonlyMap<number, ReadonlySet<number>>;
}

/**
 * Begins to watch what is written to the streams. Several renewals of one stream may run at a time: the one that began
 * last knows best, so one that ends after it changes nothing.
 *
 * @param cause the delete that makes it necessary; undefined where that is something else, too
 * @param maxReads how many row groups of a stream may be read to find out that a parameter is gone
 */
export function beginRenewal(
  state: CatalogState,
  streams: readonly number[],
  cause?: CauseOfRenewal,
  maxReads = Number.POSITIVE_INFINITY,
): Renewal {
  return new ExtentRenewal(state, streams, cause, maxReads);
}

class ExtentRenewal implements Renewal {
  readonly #state: CatalogState;
  readonly #maxReads: number;
  readonly #rows;
  /** What is written to the streams meanwhile, and what they had before the delete. */
  readonly #watched = new Map<
    number,
    { readonly watch: StreamExtent; readonly before: Before | undefined }
  >();
  /** By the parameters that a stream has: which of them the delete leaves. */
  readonly #stays = new Map<readonly number[], Stays>();
  /** All deletes but the one that is the cause are settled. */
  readonly #isSettled;

  constructor(
    state: CatalogState,
    streams: readonly number[],
    cause: CauseOfRenewal | undefined,
    maxReads: number,
  ) {
    this.#state = state;
    this.#maxReads = maxReads;
    const { rows } = state.streams;
    this.#rows = rows;
    this.#isSettled = cause !== undefined && state.tombstones.isSettledBut(cause.lsn);
    for (const stream of streams) {
      const watch = emptyExtent();
      // Of a stream without rows the times mean nothing: another delete may have taken the last ones by now.
      const isKnown =
        cause !== undefined &&
        this.#isSettled &&
        this.#rows.hasData[stream] === true &&
        !state.watches.has(stream);
      this.#watched.set(stream, { watch, before: isKnown ? this.#beforeDelete(stream, cause) : undefined });
      state.watches.set(stream, [...(state.watches.get(stream) ?? []), watch]);
    }
  }

  async run(pinned: PinnedSnapshot, ask: AskOneself, pace: Pace): Promise<void> {
    for await (const some of this.#questions(pinned, pace)) {
      const found = await ask(pinned, { kind: 'extents', streams: some }, pace);
      for (const [place, question] of some.entries()) {
        const turn = pace();
        if (turn !== undefined) await turn;
        this.#settle(question, found[place]!);
      }
    }
  }

  end(): void {
    for (const [stream, { watch }] of this.#watched) this.#end(stream, (other) => other === watch);
  }

  /** What stays of an extent that is right, whatever the delete takes of its rows. */
  #beforeDelete(stream: number, { losing, from, to }: CauseOfRenewal): Before {
    return {
      times: [this.#rows.dataStart[stream]!, this.#rows.dataEnd[stream]!].filter(
        (time) => time < from || time > to,
      ),
      parameters: this.#staysOf(this.#state.sets.members(this.#rows.parameters[stream]!), losing.get(stream)),
    };
  }

  /** Streams of one kind share what they have written and what they lose: it is looked at once. */
  #staysOf(written: readonly number[], losing: ReadonlySet<number> | undefined): ReadonlySet<number> {
    const known = this.#stays.get(written);
    if (known !== undefined && known.losing === losing) return known.parameters;
    const parameters = new Set(written.filter((parameter) => losing?.has(parameter) !== true));
    this.#stays.set(written, { losing, parameters });
    return parameters;
  }

  /** One that is not known could be any. */
  #kindOf(parameter: number): Kind {
    return this.#state.parameters[parameter]?.kind ?? Kind.Numeric;
  }

  #end(stream: number, ended: (watch: StreamExtent) => boolean): void {
    const left = (this.#state.watches.get(stream) ?? []).filter((watch) => !ended(watch));
    if (left.length === 0) this.#state.watches.delete(stream);
    else this.#state.watches.set(stream, left);
  }

  /** What is to be found out of the streams, no more at a time than can be sent in a moment. */
  async *#questions(open: OpenSnapshot, pace: Pace): AsyncGenerator<ExtentToFind[]> {
    let some: ExtentToFind[] = [];
    let numbers = 0;
    for (const [stream, { before }] of this.#watched) {
      const turn = pace();
      if (turn !== undefined) await turn;
      const question = this.#questionOf(open, stream, before);
      some.push(question);
      numbers += question.certain.length;
      if (numbers < manyNumbers) continue;
      yield some;
      some = [];
      numbers = 0;
    }
    if (some.length > 0) yield some;
  }

  #questionOf(open: OpenSnapshot, stream: number, before: Before | undefined): ExtentToFind {
    const candidates = this.#state.sets.members(this.#rows.parameters[stream]!);
    const withEvents = candidates.some((parameter) => this.#kindOf(parameter) === Kind.Event);
    const walk = walkOfAll(open, stream, withEvents);
    const isKept = walk !== undefined && walk.from <= this.#rows.dataStart[stream]!;
    const certain = candidates.filter(
      (parameter) =>
        isKept &&
        (before?.parameters.has(parameter) === true ||
          !mayHide(walk, parameter, this.#state.parameters[parameter]?.kind)),
    );
    const knownTimes = isKept ? (before?.times ?? []) : [];
    return { stream, withEvents, certain, knownTimes, candidates, maxReads: this.#maxReads };
  }

  #settle({ stream, candidates }: ExtentToFind, { parameters, ...times }: FoundExtent): void {
    const { watch } = this.#watched.get(stream)!;
    const position = this.#state.watches.get(stream)?.indexOf(watch) ?? -1;
    if (position < 0) return;
    // Nothing is looked up anew where the stream has what it had: that may be very many.
    const hasSame =
      !times.isEmpty &&
      parameters === undefined &&
      this.#state.sets.members(this.#rows.parameters[stream]!) === candidates;
    const extent = { ...times, parameters: new Set(hasSame ? [] : (parameters ?? candidates)) };
    if (!watch.isEmpty) extend(extent, watch.first, watch.last, hasSame ? [] : watch.parameters);
    if (hasSame) setTimes(this.#state, stream, extent);
    else setExtent(this.#state, stream, extent);
    const earlier = this.#state.watches.get(stream)!.slice(0, position + 1);
    this.#end(stream, (other) => earlier.includes(other));
  }
}

/** Runs a renewal on what is there now, and ends it. What is written from its beginning on it is told of. */
export async function renewNow(
  renewal: Renewal,
  takeSnapshot: () => PinnedSnapshot,
  ask: AskOneself,
  pace: Pace,
): Promise<void> {
  const pinned = takeSnapshot();
  try {
    await renewal.run(pinned, ask, pace);
  } finally {
    renewal.end();
    pinned.release();
  }
}

/** Numbers of parameters that go with a question: sending them takes about two milliseconds. */
const manyNumbers = 65_536;

/** The streams that are renewed before the next ones: what is held of each is a kilobyte. */
const streamsAtOnce = 1024;

/** Streams, of any number, in lists that are renewed one after another. */
export function* renewedTogether<Stream>(streams: readonly Stream[]): Generator<readonly Stream[]> {
  for (let from = 0; from < streams.length; from += streamsAtOnce)
    yield streams.slice(from, from + streamsAtOnce);
}
