import type { NewEvent, ParameterData } from '../models.ts';
import type { RequestOptions } from '../transport.ts';
import { rowsAt } from './pieces.ts';
import type { ReplayPlace, ReplayService } from './replay-options.ts';
import { atOnce, type ColumnNames, eventWindows, rowPages } from './source-pages.ts';

/** Those of a page of the source that the target has not, or has with other values; undefined where it has all. */
export async function missingRows(
  service: ReplayService,
  target: ReplayPlace,
  names: ColumnNames,
  page: ParameterData,
  request: RequestOptions,
): Promise<ParameterData | undefined> {
  const { timestamps } = page;
  const missing = new Map(timestamps.map((_time, i) => [identityOf(page, names, i), i]));
  const extent = { ...target, from: timestamps[0]!, to: timestamps.at(-1)! };
  for await (const there of rowPages(service, extent, names, atOnce, request)) {
    there.timestamps.forEach((_time, j) => {
      const identity = identityOf(there, names, j);
      const i = missing.get(identity);
      if (i !== undefined && hasValues(there, j, page, i)) missing.delete(identity);
    });
  }
  return missing.size === 0 ? undefined : rowsAt(page, [...missing.values()]);
}

/** Returns the events of the source that the target has not. */
export async function missingEvents(
  service: ReplayService,
  target: ReplayPlace,
  events: readonly NewEvent[],
  request: RequestOptions,
): Promise<NewEvent[]> {
  const missing = new Map(events.map((event) => [eventText(event), event]));
  const extent = { ...target, from: events[0]!.timestamp, to: events.at(-1)!.timestamp };
  for await (const there of eventWindows(service, extent, request)) {
    for (const event of there) missing.delete(eventText(event));
  }
  return [...missing.values()];
}

function identityOf({ timestamps, tagValues }: ParameterData, { tags }: ColumnNames, i: number): string {
  return JSON.stringify([String(timestamps[i]), tags.map((tag) => tagValues[tag]?.[i] ?? null)]);
}

function eventText({ id, timestamp, value, tags = {} }: NewEvent): string {
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, String(timestamp), value, sorted]);
}

/** Whether row `j` has every value that row `i` has. */
function hasValues(there: ParameterData, j: number, wanted: ParameterData, i: number): boolean {
  const has = <Value>(
    of: (data: ParameterData) => Readonly<Record<string, readonly (Value | null)[]>>,
    same: (a: Value, b: Value) => boolean = Object.is,
  ): boolean =>
    Object.entries(of(wanted)).every(([name, column]) => {
      const value = column[i] ?? null;
      if (value === null) return true;
      const other = of(there)[name]?.[j] ?? null;
      return other !== null && same(other, value);
    });
  return (
    has((data) => data.numericValues) &&
    has((data) => data.stringValues) &&
    has((data) => data.binaryValues, sameBytes)
  );
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
