import { setTimeout as pause } from 'node:timers/promises';
import { noTags, type TagSet, tagSet } from '../domain/tags.ts';
import { PitwallError } from '../errors.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Door } from '../ingest/doors.ts';
import { keepingToStreams } from '../ingest/keeping-to-streams.ts';
import { isLong } from '../ingest/write-path.ts';
import type { SeriesWriter, SeriesWritten } from '../ingest/write-series.ts';
import type { Steps } from '../turns/steps.ts';
import { nameFlaw } from '../wire/base/name.ts';
import { fittingOf } from '../wire/mqtt/fitting.ts';
import { GatheredRows } from '../wire/mqtt/gathered-rows.ts';
import type { MessageRead, MessageRules } from '../wire/mqtt/message-rows.ts';
import { messageSteps } from '../wire/mqtt/read-message.ts';
import type { SparkplugNodes } from '../wire/mqtt/sparkplug-nodes.ts';
import { ParameterDataDecoder } from '../wire/rows/parameter-data.ts';
import { type Refusal, Refused, type RefusesStream } from '../wire/series/refused.ts';
import type { KeptText, SeriesToWrite } from '../wire/series/series-read.ts';
import type { SeriesOfStream } from '../wire/series/series-rows.ts';
import { isLater } from './refusals.ts';
import type { Repeats, Sender } from './repeats.ts';

/** A message that has come. */
export interface Incoming {
  readonly topic: string;
  readonly payload: Buffer;
  /** Undefined without an acknowledgement. */
  readonly packetId: number | undefined;
  readonly dup: boolean;
  /** ns; never the same twice. */
  readonly arrivedAt: bigint;
  /** How many with a number came before it over its connection. */
  readonly numberedBefore: number;
  /** It was written some time before it arrived. */
  readonly isOld: boolean;
  /** The time of its rows without one, as it was found when they were first written. */
  time?: bigint;
  readonly userProperties?: Readonly<Record<string, string | string[]>> | undefined;
}

/** Who sent it. */
export interface IntakeSender extends Sender {
  readonly tokenId: string;
  /** How many messages with a number came over its connection. */
  numbered: number;
  /** Told of a node of Sparkplug that is to introduce itself. */
  rebirth(group: string, node: string): void;
}

export interface IntakeParts {
  readonly series: Pick<SeriesWriter, 'write'>;
  readonly rules: MessageRules;
  readonly nodes: SparkplugNodes;
  readonly repeats: Repeats;
  readonly budget: ByteBudget;
  readonly door: Door;
  /** Names of user properties that are tags; `*` is all. */
  readonly tagProperties: readonly string[];
  /** Told of what is not taken, or left out as wrong. */
  readonly onRefused: (topic: string, reason: string) => void;
  /** Told that the store cannot take writes now. */
  readonly onLater: (error: PitwallError) => void;
}

const firstPauseMs = 50;
const longestPauseMs = 2000;

/** What is read of messages that are written together. */
interface BatchRead extends SeriesToWrite {
  /** By message, why it is not taken; undefined where it is. */
  readonly outcomes: readonly (PitwallError | undefined)[];
  /** What is left out of those that are taken, and what is wrong with it, by the topic of its message. */
  readonly leftOut: ReadonlyMap<Refusal, number>;
  readonly faults: readonly (readonly [topic: string, reason: string])[];
}

/** Takes messages: to rows, and to the store. */
export class Intake {
  readonly #parts: IntakeParts;
  /** For batches that are read in one turn. */
  readonly #decoder: ParameterDataDecoder;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#decoder = new ParameterDataDecoder(parts.rules.limits);
  }

  /**
   * Resolves when all rows of the messages are synced and visible, with why each was not taken, undefined for those
   * that were. Where the store takes nothing now it tries again until the signal aborts; then it rejects with the
   * reason.
   */
  async take(
    sender: IntakeSender,
    messages: readonly Incoming[],
    signal: AbortSignal,
  ): Promise<(PitwallError | undefined)[]> {
    for (let wait = firstPauseMs; ; wait = Math.min(2 * wait, longestPauseMs)) {
      try {
        return await this.#write(sender, messages, signal);
      } catch (error) {
        signal.throwIfAborted();
        const known = knownError(error);
        if (isLater(known)) {
          this.#parts.onLater(known);
          await pause(wait, undefined, { signal });
          continue;
        }
        if (messages.length === 1) return [this.#refuse(messages[0]!, known)];
      }
      // One of them may be to blame.
      const outcomes: (PitwallError | undefined)[] = [];
      for (const message of messages) outcomes.push((await this.take(sender, [message], signal))[0]);
      return outcomes;
    }
  }

  async #write(
    sender: IntakeSender,
    messages: readonly Incoming[],
    signal: AbortSignal,
  ): Promise<(PitwallError | undefined)[]> {
    const { series, budget, door, onRefused } = this.#parts;
    const share = budget.open(sender);
    let bytes = 0;
    for (const { payload } of messages) bytes += payload.length;
    try {
      share.take(bytes);
      const call = { workspace: sender.workspace, share, signal: () => signal };
      const batch = { sender, messages, share, isLong: isLong(call, bytes) };
      const { read, ...written } = await keepingToStreams<SeriesWritten<BatchRead>>(
        (refuses) => series.write(call, bytes, this.#steps(batch, refuses)),
        ({ rows }) => rows > 0,
      );
      const { outcomes, leftOut, faults } = read;
      const taken = outcomes.filter((error) => error === undefined).length;
      if (taken > 0) door.took(written, leftOut, taken);
      for (const [topic, reason] of faults) onRefused(topic, reason);
      return outcomes.map((error, i) => error && this.#refuse(messages[i]!, error));
    } finally {
      share.release();
    }
  }

  *#steps({ sender, messages, share, isLong }: Batch, refuses?: RefusesStream): Steps<BatchRead> {
    // What is read in slices has a decoder of its own: others would use its arrays again between two of them.
    const decoder = isLong ? new ParameterDataDecoder(this.#parts.rules.limits) : this.#decoder;
    const streams: SeriesOfStream[] = [];
    let gathered = new GatheredRows(this.#parts.rules.limits.maxParameters);
    const keeps: KeptText[] = [];
    const outcomes: (PitwallError | undefined)[] = [];
    const all = new Refused();
    const faults: [string, string][] = [];
    decoder.begin();
    for (const message of messages) {
      const refused = new Refused();
      const reading = this.#reading(sender, message, refused, decoder);
      try {
        yield* messageSteps(reading.read, sender.workspace, share);
        const { rows, streams: many } =
          refuses === undefined ? reading.read : fittingOf(reading.read, refuses);
        for (const row of rows) gathered.add(row, reading.read.message.tags);
        if (many.length > 0) {
          // In their order: of two values of one time the later one counts.
          streams.push(...gathered.streams());
          gathered = new GatheredRows(this.#parts.rules.limits.maxParameters);
        }
        for (const one of many) streams.push(one);
        const kept = reading.kept();
        if (kept !== undefined) keeps.push(kept);
        for (const [reason, count] of refused.counts) all.leaveOut(reason, count);
        if (refused.first !== undefined) faults.push([message.topic, refused.first]);
        outcomes.push(undefined);
      } catch (error) {
        const known = knownError(error);
        if (isLater(known)) throw known;
        outcomes.push(known);
      }
    }
    streams.push(...gathered.streams());
    const said = { definitions: [], families: new Map(), metadata: [] };
    return { streams, ...said, keeps, outcomes, leftOut: all.counts, faults };
  }

  #reading(sender: IntakeSender, message: Incoming, refused: Refused, decoder: ParameterDataDecoder) {
    const { rules, nodes, repeats } = this.#parts;
    const { packetId } = message;
    const numbered = packetId === undefined ? undefined : { ...message, packetId };
    let arrival: bigint | undefined;
    const read: MessageRead = {
      rules,
      decoder,
      nodes,
      refused,
      message: {
        topic: message.topic,
        payload: message.payload,
        client: sender.clientId,
        tags: this.#tagsOf(message, refused),
      },
      rows: [],
      streams: [],
      arrival() {
        if (message.isOld) throw new PitwallError('bad_timestamp', { detail: oldDetail });
        message.time ??= (numbered && repeats.timeOf(sender, numbered)) ?? message.arrivedAt;
        arrival = message.time;
        return arrival;
      },
      rebirth: sender.rebirth,
    };
    const kept = (): KeptText | undefined => {
      if (numbered === undefined || arrival === undefined) return undefined;
      const text = repeats.keep(sender, numbered, arrival);
      if (text === undefined) refused.leaveOut('repeats_full', 1);
      return text;
    };
    return { read, kept };
  }

  /** An empty property is none; what else cannot be a tag is counted. */
  #tagsOf({ userProperties }: Incoming, refused: Refused): TagSet {
    const { tagProperties, rules } = this.#parts;
    if (userProperties === undefined || tagProperties.length === 0) return noTags;
    const isAll = tagProperties.includes('*');
    const { maxNameBytes, maxStringBytes, maxTags } = rules.limits;
    const given = Object.entries(userProperties)
      .filter(([name]) => isAll || tagProperties.includes(name))
      .flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const))
      .filter(([, value]) => value !== '');
    const pairs = [...new Map(given)].filter(
      ([name, value]) =>
        nameFlaw(name, maxNameBytes) === undefined && Buffer.byteLength(value) <= maxStringBytes,
    );
    const kept = pairs.slice(0, maxTags);
    refused.leaveOut('bad_attribute', given.length - kept.length);
    return tagSet(kept);
  }

  #refuse({ topic }: Incoming, error: PitwallError): PitwallError {
    this.#parts.door.refused(error.code);
    this.#parts.onRefused(topic, error.message);
    return error;
  }
}

/** Messages that are written together. */
interface Batch {
  readonly sender: IntakeSender;
  readonly messages: readonly Incoming[];
  readonly share: { take(bytes: number): void };
  /** Whether they are read in slices. */
  readonly isLong: boolean;
}

function knownError(error: unknown): PitwallError {
  return error instanceof PitwallError ? error : new PitwallError('internal', { detail: String(error) });
}

const oldDetail = 'a retained message without a time of its own: when it was written is not known';
