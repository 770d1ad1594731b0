import type { NewEvent, NewParameterData, ParameterData } from '../models.ts';
import { RequestError } from '../request-error.ts';
import { rowsBetween } from './pieces.ts';
import type { ReplayPlace, ReplayService } from './replay-options.ts';

/**
 * Writes rows; in several requests, in their order, where one would be more than the service takes. Gives how many of them
 * are older than the retention of the topic: they are not kept.
 */
export async function writeRows(
  service: Pick<ReplayService, 'writeParameterData'>,
  place: ReplayPlace,
  rows: ParameterData,
): Promise<number> {
  try {
    return await service.writeParameterData(place.topic, place.streamId, withoutEmpty(rows));
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    const count = rows.timestamps.length;
    const parts = count > 1 ? halvesOf(rows, count) : halfColumns(rows);
    if (parts === undefined) throw error;
    let expired = 0;
    for (const part of parts) expired += await writeRows(service, place, part);
    return expired;
  }
}

/** The same of events. */
export async function writeEvents(
  service: Pick<ReplayService, 'writeEvents'>,
  { topic, streamId }: ReplayPlace,
  events: readonly NewEvent[],
): Promise<number> {
  let expired = 0;
  await inParts(events, async (part) => {
    expired += await service.writeEvents(topic, streamId, part);
  });
  return expired;
}

/** Writes a list; in several requests, in its order, where one would be more than the service takes. */
export async function inParts<Item>(
  items: readonly Item[],
  write: (part: readonly Item[]) => Promise<void>,
): Promise<void> {
  try {
    await write(items);
  } catch (error) {
    if (!isTooMuch(error) || items.length === 1) throw error;
    const half = items.length >> 1;
    await inParts(items.slice(0, half), write);
    await inParts(items.slice(half), write);
  }
}

/** The request has more than the service takes of one. */
export function isTooMuch(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  return error.status === 413 || /^too_many_(parameters|tags|timestamps|events)$/.test(error.code);
}

/** Columns that have no value in these rows are left out: other rows of the page have them. */
function withoutEmpty({ timestamps, ...groups }: ParameterData): NewParameterData {
  const kept = <Value>(columns: Readonly<Record<string, readonly (Value | null)[]>>) =>
    Object.fromEntries(
      Object.entries(columns).filter(([, column]) => column.some((value) => value !== null)),
    );
  return {
    timestamps,
    numericValues: kept(groups.numericValues),
    stringValues: kept(groups.stringValues),
    binaryValues: kept(groups.binaryValues),
    tagValues: kept(groups.tagValues),
  };
}

function halvesOf(rows: ParameterData, count: number): ParameterData[] {
  const half = count >> 1;
  return [rowsBetween(rows, 0, half), rowsBetween(rows, half, count)];
}

/** A row in two, each with its tags and half of its values; undefined where it has but one. */
function halfColumns(row: ParameterData): ParameterData[] | undefined {
  const kinds = ['numericValues', 'stringValues', 'binaryValues'] as const;
  const values = kinds.flatMap((kind) =>
    Object.entries(row[kind]).flatMap(([name, column]) => (column[0] === null ? [] : [{ kind, name }])),
  );
  if (values.length < 2) return undefined;
  const half = values.length >> 1;
  return [values.slice(0, half), values.slice(half)].map((some) => {
    const of = (kind: (typeof kinds)[number]) =>
      Object.fromEntries(
        some.filter((value) => value.kind === kind).map(({ name }) => [name, row[kind][name]!]),
      );
    return {
      timestamps: row.timestamps,
      numericValues: of('numericValues') as ParameterData['numericValues'],
      stringValues: of('stringValues') as ParameterData['stringValues'],
      binaryValues: of('binaryValues') as ParameterData['binaryValues'],
      tagValues: row.tagValues,
    };
  });
}
