import type { Client } from '../../../src/client/client.ts';
import { anyStatus } from '../../../src/import/any-status.ts';
import { streamCount, streamOfRun } from '../../../src/import/same-time/place-runs.ts';
import type { Item, Place } from './item.ts';
import { timesOf } from './meeting.ts';

/** Throws where a stream is there already, maybe in the bin, that would be that of a later run. */
export async function checkFree(
  service: Client,
  [, ...later]: readonly Place[],
  made: readonly Place[],
): Promise<void> {
  if (later.length === 0) return;
  const { topic } = later[0]!;
  const streamIds = later.map(({ streamId }) => streamId);
  const found = await service.streams({ topic, streamIds, includeStatuses: anyStatus });
  const taken = found.find(
    ({ streamId }) => !made.some((one) => one.topic === topic && one.streamId === streamId),
  );
  if (taken !== undefined)
    throw new Error(
      `There is a stream ${taken.streamId} already, as a later run would be called: choose another name.`,
    );
}

/** Where the rows of each run go: the first has the place, later ones may be streams of their own. */
export function runsOf({ opened, choices }: Item, place: Place): Place[] {
  const found = opened.value;
  const times = found && timesOf(found);
  const runs = times === undefined ? 1 : streamCount(times, choices.value.restarts);
  return Array.from({ length: runs }, (_, run) =>
    run === 0 ? place : { ...place, streamId: streamOfRun(place.streamId, run) },
  );
}
