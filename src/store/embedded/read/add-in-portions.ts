import type { Aggregator } from '../../../query/aggregator.ts';
import type { GivenRows } from '../../../query/given-rows.ts';
import type { QueryMemory } from '../../../query/query-memory.ts';
import type { Pace } from '../../../turns/pace.ts';
import { nextTurn } from '../../../turns/rest.ts';
import { type Adding, aggregatorOf, type StreamAdder } from './add-streams.ts';
import type { BoundStreams } from './bind-streams.ts';
import type { KeptGroups } from './kept-groups.ts';
import {
  type FindHelp,
  groupsAreOfOneStream,
  type PortionSource,
  portionsOf,
  type StreamsWork,
  someOf,
} from './portions.ts';

/** An aggregation of streams that are gone through one after the other. */
export interface PortionedRead {
  readonly work: StreamsWork;
  readonly bound: BoundStreams;
  /** The places of the streams in their order. */
  readonly order: Uint32Array;
  readonly adder: StreamAdder;
  /** What all is added to at last, and how. */
  readonly base: Aggregator;
  readonly adding: Adding;
  /** What the plan can be calculated from without looking for rows. */
  readonly kept: KeptGroups | undefined;
  readonly memory: QueryMemory;
  readonly pace: Pace;
  /** Undefined where there are no other threads. */
  readonly findHelp: FindHelp | undefined;
}

/** Portions that wait for those before them take as much as the first one each. */
const mostBytes = 16 << 20;

interface Given {
  readonly rows: GivenRows;
  readonly joined: () => void;
}

/** Adds streams portion by portion. Where the first has taken some time, other threads may take some of the others. */
export async function addInPortions(read: PortionedRead): Promise<void> {
  const { work, bound, adder, base, adding, kept, memory, pace, findHelp } = read;
  const portions = portionsOf(work.plan, read.order);
  const isDirect = groupsAreOfOneStream(work.plan);
  const given = new Map<number, Given>();
  let failure: { readonly reason: unknown } | undefined;
  let wake: () => void = () => undefined;
  let next = 1;
  let joined = 1;
  const source: PortionSource = {
    work,
    take() {
      if (next === portions.length) return undefined;
      const number = next++;
      return { number, bound: someOf(bound, portions[number]!) };
    },
    give(number, rows, whenJoined) {
      given.set(number, { rows, joined: whenJoined });
      wake();
    },
    fail(reason) {
      failure ??= { reason };
      wake();
    },
  };

  async function join({ rows, joined: whenJoined }: Given): Promise<void> {
    await base.join(rows, pace);
    given.delete(joined++);
    whenJoined();
  }

  async function addNext(): Promise<void> {
    const number = next++;
    if (isDirect && number === joined) {
      await adding.add(portions[number]!, 'all');
      joined++;
      return;
    }
    const apart = memory.apart();
    given.set(number, await rowsApart(number, apart));
  }

  async function rowsApart(number: number, apart: QueryMemory): Promise<Given> {
    try {
      const aggregator = aggregatorOf(work, apart);
      await adder.to(bound, aggregator, kept).add(portions[number]!, 'all');
      return { rows: aggregator.give(), joined: apart.release };
    } catch (error) {
      apart.release();
      throw error;
    }
  }

  const begin = performance.now();
  await adding.add(portions[0]!, 'all');
  const leftMs = (performance.now() - begin) * (portions.length - 1);
  const endHelp = memory.bytes() <= mostBytes ? findHelp?.(source, leftMs) : undefined;
  try {
    while (joined < portions.length) {
      if (failure !== undefined) throw failure.reason;
      const ready = given.get(joined);
      if (ready !== undefined) await join(ready);
      else if (next < portions.length) await addNext();
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      // Others are given theirs between two turns.
      if (endHelp !== undefined) await nextTurn();
    }
  } finally {
    endHelp?.();
    for (const { joined: done } of given.values()) done();
  }
}
