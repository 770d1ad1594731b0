import { foldTopic } from '../../../domain/topic.ts';
import type { ReadPlan } from '../../../query/plan/plan.ts';
import { readPieces, readWindows } from './read-windows.ts';
import type { RunContext, SliceReading } from './run-context.ts';
import type { Slice } from './slice.ts';
import { type Alike, sliceBuilder } from './slice-builder.ts';

/** The most bytes of texts of a slice: one with more is given up, and so is one of a single time. */
const maxTextBytes = 32 << 20;
const maxTextBytesOfTime = 256 << 20;

/** The most series that are read with all of the windows that a range cuts. */
const fewSeries = 1000;

/**
 * In which form a statement asks for values. Windows of few series come as they stand, and are taken apart here (`windows`): a short
 * read pays for its statement, and that one is short. Of more series the server cuts out what is in the range, so that no
 * more comes (`pieces`).
 */
export function formOf({
  parameters,
  streamIds,
}: Pick<ReadPlan, 'parameters' | 'streamIds'>): 'windows' | 'pieces' {
  return streamIds !== undefined && streamIds.length * parameters.length <= fewSeries ? 'windows' : 'pieces';
}

/** The values between two times (ns, both inclusive); undefined where there are more than `most`. */
export async function readSlice(
  plan: ReadPlan,
  from: bigint,
  to: bigint,
  context: RunContext,
  most: number,
): Promise<Slice | undefined> {
  const { kept, topicNames, scratch } = context;
  const memory = scratch.open();
  const alike = alikeOf(plan);
  const reading: SliceReading = {
    plan: { ...plan, from, to },
    kept,
    alike,
    builder: sliceBuilder(plan.parameters, memory),
    most,
    bytesAllowed: from === to ? maxTextBytesOfTime : maxTextBytes,
    memory,
  };
  const read = formOf(plan) === 'windows' ? readWindows : readPieces;
  const slice = await read(reading, context);
  if (slice === undefined) {
    memory.release();
    return undefined;
  }
  const topics = await topicNames(slice.streams.map(({ topic }) => topic));
  return { ...slice, streams: slice.streams.map(({ streamId }, i) => ({ streamId, topic: topics[i]! })) };
}

function alikeOf({ topic, streamIds, parameters }: ReadPlan): Alike {
  const [first, ...others] = parameters;
  return {
    topic: topic === undefined ? undefined : foldTopic(topic),
    streamId: streamIds?.length === 1 ? streamIds[0] : undefined,
    kind: others.every(({ kind }) => kind === first!.kind) ? first!.kind : undefined,
  };
}
