import type { MessagePort } from 'node:worker_threads';
import { paceQuery } from '../../../query/bounds/pace.ts';
import type { QueryMemory } from '../../../query/bounds/query-memory.ts';
import { buffersOf } from '../../../query/states/partial-aggregate.ts';
import { aggregatorOf, type StreamAdder, streamAdder } from '../read/add-streams.ts';
import type { BoundStreams } from '../read/bind-streams.ts';
import type { StreamsWork } from '../read/portions.ts';
import type { ReadTerms } from '../read/read-terms.ts';
import type { OpenSnapshot } from '../snapshot/snapshot.ts';
import { choosesByTags, partsWithTags } from '../walk/parts-with-tags.ts';
import type { FromHelper, ToHelper } from './portion-messages.ts';
import { planKeeper } from './sent-streams.ts';
import { tellError } from './told-error.ts';

type PortionMessage = Extract<ToHelper, { type: 'portion' }>;

/**
 * Takes portions of an aggregation that runs on another thread, adds up the rows of each, and gives them back, until the
 * other thread closes the port. An error goes there: it is the read's.
 */
export async function takePortions(
  port: MessagePort,
  open: OpenSnapshot,
  openMemory: () => QueryMemory,
  { signal, maxMs, countRows }: ReadTerms,
): Promise<void> {
  const { pace, restart } = paceQuery(signal, maxMs);
  /** Memory of portions that were given back and are not joined yet, and of the one that is worked on. */
  const held = new Map<number, QueryMemory>();
  const { next, workOf } = portionQueue(port, (number) => {
    held.get(number)?.release();
    held.delete(number);
  });
  let adder: StreamAdder | undefined;
  const tell = (message: FromHelper, given: readonly ArrayBuffer[] = []) => port.postMessage(message, given);
  try {
    tell({ type: 'ready' });
    for (let portion = await next(); portion !== undefined; portion = await next()) {
      // To wait for it was no work.
      restart();
      signal.throwIfAborted();
      const { number, plans, names } = portion;
      const keeper = planKeeper();
      for (const some of names) keeper.add(some);
      const bound = keeper.plans(plans)[0] as BoundStreams;
      const work = workOf();
      const memory = openMemory();
      held.set(number, memory);
      const aggregator = aggregatorOf(work, memory);
      if (adder === undefined) {
        const left = choosesByTags(work.plan) ? await partsWithTags(open, work.plan, pace) : open;
        adder = await streamAdder(work, left, pace, countRows);
      }
      await adder.to(bound, aggregator).add(
        Uint32Array.from({ length: bound.count }, (_, i) => i),
        'all',
      );
      const rows = aggregator.give();
      tell({ type: 'rows', number, rows }, buffersOf(rows));
    }
  } catch (error) {
    tell({ type: 'error', error: tellError(error) });
  } finally {
    port.close();
    adder?.close();
    for (const memory of held.values()) memory.release();
  }
}

/** The portions that come through a port, in their order; undefined when it is closed. */
function portionQueue(port: MessagePort, joined: (number: number) => void) {
  const waiting: PortionMessage[] = [];
  let work: StreamsWork | undefined;
  let isClosed = false;
  let broken: Error | undefined;
  let wake: () => void = () => undefined;
  port.on('message', (message: ToHelper) => {
    if (message.type === 'work') work = message.work;
    else if (message.type === 'joined') joined(message.number);
    else waiting.push(message);
    wake();
  });
  port.on('messageerror', (error) => {
    broken = error;
    wake();
  });
  port.on('close', () => {
    isClosed = true;
    wake();
  });
  return {
    /** Comes before the first portion. */
    workOf: (): StreamsWork => work!,
    /** Rejects where a message could not be unpacked here. */
    async next(): Promise<PortionMessage | undefined> {
      while (waiting.length === 0 && !isClosed && broken === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (broken !== undefined) throw broken;
      return isClosed ? undefined : waiting.shift();
    },
  };
}
