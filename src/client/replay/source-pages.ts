import type { EventRow, NewEvent, ParameterData } from '../models.ts';
import { RequestError } from '../request-error.ts';
import type { RequestOptions } from '../transport.ts';
import type { ReplayPlace, ReplayService } from './replay-options.ts';

/** The columns of a stream: names of parameters by kind, names of tags. */
export interface ColumnNames {
  readonly numeric: readonly string[];
  readonly strings: readonly string[];
  readonly binaries: readonly string[];
  readonly tags: readonly string[];
}

/** Cells of a page: few, so that making and decoding it holds up no row that is due; more where they last too short. */
const fewCells = 4000;
const manyCells = 20_000;
const fewestRows = 50;
const mostRows = 2000;
const shortMs = 250;
/** The speed of what has no pace. */
export const atOnce = Number.POSITIVE_INFINITY;

/** What is read of a stream: `[from, to]`, ns since the Unix epoch. */
export interface Extent extends ReplayPlace {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Reads whole rows of an extent, in order of time, page by page.
 * @param speed how many seconds of rows are used up in a second: pages are larger where they would not last
 */
export async function* rowPages(
  service: ReplayService,
  { topic, streamId, from, to }: Extent,
  names: ColumnNames,
  speed: number,
  request: RequestOptions,
): AsyncGenerator<ParameterData> {
  const columns = names.numeric.length + names.strings.length + names.binaries.length;
  if (columns === 0) return;
  const wanted = (list: readonly string[]) => list.map((parameterName) => ({ parameterName }));
  const query = {
    topic,
    streamIds: [streamId],
    from,
    to,
    numericParameters: wanted(names.numeric),
    stringParameters: wanted(names.strings),
    binaryParameters: wanted(names.binaries),
    writtenOnly: true,
    groupBy: names.tags,
  };
  const rowsOf = (cells: number): number =>
    Math.min(mostRows, Math.max(fewestRows, Math.floor(cells / (columns + names.tags.length))));
  let most = rowsOf(manyCells);
  let limit = rowsOf(fewCells);
  let cursor: string | undefined;
  for (;;) {
    try {
      const page = await service.page({ ...query, limit, ...(cursor !== undefined && { cursor }) }, request);
      if (page.data.timestamps.length > 0) yield page.data;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
      if (lengthMs(page.data) < shortMs * speed) limit = Math.min(most, limit * 2);
    } catch (error) {
      if (!isTooLarge(error) || limit === 1) throw error;
      limit = Math.ceil(limit / 4);
      most = limit;
    }
  }
}

/** From the first row to the last. */
function lengthMs({ timestamps }: ParameterData): number {
  return timestamps.length === 0 ? 0 : Number(timestamps.at(-1)! - timestamps[0]!) / 1e6;
}

/** Events in one answer: more than this, and the next one covers less time. */
const manyEvents = 2000;
const fewEvents = 500;
const firstWindow = 60_000_000_000n;

/** Events of an extent, in order of time, window by window; no window is empty. */
export async function* eventWindows(
  service: ReplayService,
  { topic, streamId, from, to }: Extent,
  request: RequestOptions,
): AsyncGenerator<NewEvent[]> {
  let width = firstWindow;
  let start = from;
  while (start <= to) {
    const planned = start + width - 1n;
    const end = planned < to ? planned : to;
    try {
      const query = { topic, streamIds: [streamId], from: start, to: end };
      const found = inOrder(await service.eventData(query, request));
      if (found.length > 0) yield found;
      start = end + 1n;
      if (found.length < fewEvents) width *= 2n;
      else if (found.length > manyEvents && width > 1n) width /= 2n;
    } catch (error) {
      if (!isTooLarge(error) || width === 1n) throw error;
      width = width > 4n ? width / 4n : 1n;
    }
  }
}

function inOrder(found: Readonly<Record<string, readonly EventRow[]>>): NewEvent[] {
  const events = Object.entries(found).flatMap(([id, rows]) =>
    rows.map(({ timestamp, value, tags }) => ({ id, timestamp, value: String(value), tags })),
  );
  return events.sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
}

/** The answer, not the request, is beyond what the service holds in memory. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof RequestError && ['result_too_large', 'query_too_large'].includes(error.code);
}
