import type { ParameterFilter } from '../domain/listing.ts';
import { type Column, isPresent, Kind, type ParameterKey } from '../domain/parameter-data.ts';
import type { ResultBlock, TagColumn } from '../domain/result.ts';
import { PitwallError } from '../errors.ts';
import { isAggregate, planQuery } from '../query/plan/plan.ts';
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
      const columns = parameters.map((key) => key.name);
      for await (const block of this.#store.aggregate(plan, signal)) yield* messagesOf(block, columns);
    }
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

/** @param names of the columns; rows are grouped by topic and stream */
function* messagesOf({ count, columns, tags }: ResultBlock, names: readonly string[]) {
  const [topics, streams] = tags;
  const textOf = (tag: TagColumn | undefined, row: number): string => tag?.texts[tag.index?.[row] ?? 0] ?? '';
  for (let row = 0; row < count; row++) {
    for (const [i, column] of columns.entries()) {
      const payload = column === undefined ? undefined : payloadOf(valueAt(column, row));
      if (payload !== undefined)
        yield { topic: liveTopic(textOf(topics, row), textOf(streams, row), names[i]!), payload };
    }
  }
}

function valueAt(column: Column, row: number): number | Uint8Array | undefined {
  if (!isPresent(column.present, row)) return undefined;
  if (column.kind === Kind.Numeric) return column.values[row];
  return column.bytes.subarray(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]!);
}
