import { entryOf } from '../domain/entry-of.ts';
import type { ParameterFilter } from '../domain/listing.ts';
import { type Column, isPresent, Kind, type ParameterKey } from '../domain/parameter-data.ts';
import type { ResultBlock, TagColumn } from '../domain/result.ts';
import type { StreamKey } from '../domain/stream.ts';
import { PitwallError } from '../errors.ts';
import { isAggregate, planQuery, planRead } from '../query/plan/plan.ts';
import type { Reader } from '../store/store.ts';
import { createSlices } from '../turns/slices.ts';
import { payloadOf } from './live-messages.ts';
import { liveTopic, namesInTopic } from './live-topics.ts';
import type { Session } from './session.ts';

/**
 * The most parameters whose last values answer one request to subscribe: a filter of everything is not answered with
 * everything.
 */
const mostParameters = 500;
const mostValues = 10_000;
const longestMs = 10_000;

/** Of all clients that subscribe. */
const slices = createSlices('mqtt last values');

/** The last values of parameters, as messages that a broker retains. */
export class LastValues {
  readonly #store: Reader;
  readonly #onLeftOut: (count: number) => void;

  constructor(store: Reader, onLeftOut: (count: number) => void) {
    this.#store = store;
    this.#onLeftOut = onLeftOut;
  }

  /**
   * Sends what filters match. What cannot be read now is left out: the next value comes as soon as it is written.
   */
  async send(session: Session, filters: readonly string[], signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
    const left = { parameters: mostParameters, values: mostValues };
    try {
      const topics = await this.#store.catalog.topics(session.workspace, until);
      for (const filter of filters) {
        if (slices.isOver()) await slices.turn();
        until.throwIfAborted();
        if (left.parameters === 0) {
          this.#onLeftOut(1);
          return;
        }
        const qos = session.qosOfFilter(filter);
        if (qos === undefined) continue;
        for await (const { topic, payload } of this.#read(session.workspace, topics, filter, left, until)) {
          if (left.values === 0) {
            this.#onLeftOut(1);
            return;
          }
          left.values--;
          session.send({ topic, payload, qos, retain: true, time: undefined });
        }
      }
    } catch (error) {
      if (!(until.aborted || error instanceof PitwallError)) throw error;
      if (!signal.aborted) this.#onLeftOut(1);
    }
  }

  async *#read(
    workspace: string,
    topics: readonly { readonly name: string }[],
    filter: string,
    left: { parameters: number },
    signal: AbortSignal,
  ) {
    for (const { name } of topics) {
      if (left.parameters === 0) return;
      const names = namesInTopic(filter, name);
      if (names === undefined) continue;
      const streams = { topic: name, ...(names.streamId !== undefined && { streamIds: [names.streamId] }) };
      const keys = await this.#keysOf(workspace, streams, names.parameter, signal);
      if (keys.length > left.parameters) this.#onLeftOut(keys.length - left.parameters);
      const some = keys.slice(0, left.parameters);
      const parameters = some.map((key) => ({ ...key, aggregation: 'Last' as const }));
      left.parameters -= parameters.length;
      if (parameters.length === 0) continue;
      const plan = planQuery(workspace, { ...streams, parameters, groupBy: ['topic', 'streamId'] });
      if (!isAggregate(plan)) continue;
      for await (const block of this.#store.aggregate(plan, signal))
        yield* this.#messages(workspace, block, some, signal);
    }
  }

  /** @param keys of the columns; rows are grouped by topic and stream */
  async *#messages(
    workspace: string,
    { count, columns, tags: [topics, streams] }: ResultBlock,
    keys: readonly ParameterKey[],
    signal: AbortSignal,
  ) {
    const byName = new Map<string, number[]>();
    for (const [i, { name }] of keys.entries()) entryOf(byName, name, () => []).push(i);
    for (let row = 0; row < count; row++) {
      const [topic, streamId] = [textOf(topics, row), textOf(streams, row)];
      for (const [name, places] of byName) {
        const own = places.filter((i) => valueAt(columns[i], row) !== undefined);
        const payload =
          own.length > 1
            ? await this.#newest(
                workspace,
                { topic, streamId },
                own.map((i) => keys[i]!),
                signal,
              )
            : payloadOf(valueAt(columns[own[0]!], row));
        if (payload !== undefined) yield { topic: liveTopic(topic, streamId, name), payload };
      }
    }
  }

  /** The last value of a parameter that has numbers, texts or binaries. */
  async #newest(
    workspace: string,
    { topic, streamId }: StreamKey,
    keys: readonly ParameterKey[],
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    const parameters = keys.map((key) => ({ ...key, aggregation: 'None' as const }));
    const asked = { topic, streamIds: [streamId], parameters, order: 'Desc', limit: 1 } as const;
    for await (const { columns } of this.#store.run(planRead(workspace, asked), signal)) {
      const values = columns.map((column) => valueAt(column, 0)).filter((value) => value !== undefined);
      const payload = payloadOf(values.at(-1));
      // What it stands in is the store's.
      return payload && Buffer.from(payload);
    }
    return undefined;
  }

  async #keysOf(
    workspace: string,
    streams: { readonly topic: string; readonly streamIds?: readonly string[] },
    parameter: string | undefined,
    signal: AbortSignal,
  ): Promise<ParameterKey[]> {
    const named = parameter !== undefined && { parameterIds: [parameter] };
    const filter: ParameterFilter = { ...streams, includeTypes: ['Numeric', 'String', 'Binary'], ...named };
    const keys = new Map<string, ParameterKey>();
    for (const { id: name, type } of await this.#store.catalog.parameters(workspace, filter, signal)) {
      const kind = type === 'Numeric' ? Kind.Numeric : type === 'String' ? Kind.String : Kind.Binary;
      keys.set(`${kind}\n${name}`, { kind, name });
    }
    return [...keys.values()];
  }
}

function textOf(tag: TagColumn | undefined, row: number): string {
  return tag?.texts[tag.index?.[row] ?? 0] ?? '';
}

function valueAt(column: Column | undefined, row: number): number | Uint8Array | undefined {
  if (column === undefined || !isPresent(column.present, row)) return undefined;
  if (column.kind === Kind.Numeric) return column.values[row];
  return column.bytes.subarray(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!);
}
