import { type Pace, withoutPause } from '../../turns/pace.ts';
import type { CanFrame } from '../can/can-frame.ts';
import type { Dbc } from '../can/dbc.ts';
import { decodeFrames } from '../can/decode-frames.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import type { LoggedFile, LoggedRow, TableRow } from '../logged-file.ts';
import { type FrameCell, frameOf } from './bus-frames.ts';
import type { GroupOfFile } from './channel-group.ts';
import type { ChannelOfGroup } from './channels.ts';
import { readHeader } from './header.ts';
import { behindText, type Found, readGroups, roomOf } from './read-groups.ts';
import { checkRecords, readRows } from './rows.ts';

/**
 * An MDF4 file: its blocks are read, then all records once, to see that they can be; rows are read when they are asked for. Each
 * channel group with a master channel of time is a table. The number of records counts: writers reserve room for more, and what stands there
 * is named in `leftOut`. Frames of bus logging are decoded by a DBC. Throws a FileFault, also where nothing can be read.
 * @param dbc without it frames are left out
 * @param onBytes is told how far it is; what it throws ends the reading
 */
export async function openMdf4(
  file: FileBytes,
  dbc?: Dbc,
  onBytes: (bytes: number) => void = () => undefined,
  pace: Pace = withoutPause,
): Promise<LoggedFile> {
  const header = await readHeader(file);
  const found = await readGroups(file, header);
  const isForward = await lookThrough(file, found, onBytes, pace);
  const groups = found.dataGroups.flatMap((data) => data.groups);
  const grouped = groups.filter((group) => !found.busGroups.has(group));
  const decoded =
    found.busGroups.size > 0 && dbc !== undefined
      ? await decodeFrames(dbc, () => framesOf(file, found), pace)
      : undefined;
  const leftOut = [...header.leftOut, ...found.leftOut, ...(decoded?.leftOut ?? [])];
  if (dbc === undefined) leftOut.push(...framesLeftOut(found));
  const tables = [
    ...grouped.map(({ layout, channels }) => ({ channels, rows: layout.records })),
    ...(decoded?.tables ?? []),
  ];
  if (tables.length === 0 && leftOut.length > 0)
    throw new FileFault(`nothing in the file can be read: ${leftOut.slice(0, 20).join(', ')}`, undefined);
  const places = new Map(grouped.map((group, i) => [group, i]));

  async function* readMixed(): AsyncGenerator<TableRow> {
    for (const data of found.dataGroups) {
      if (data.groups.every((group) => found.busGroups.has(group))) continue;
      yield* readRows<number | string | null, TableRow>(file, data, (group, time, values) => {
        const table = places.get(group);
        return table === undefined ? undefined : { table, row: { time, values, tags: [] } };
      });
    }
    if (decoded === undefined) return;
    for await (const { table, row } of decoded.readMixed()) yield { table: grouped.length + table, row };
  }
  async function* readTable(wanted: number): AsyncGenerator<LoggedRow> {
    for await (const { table, row } of readMixed()) if (table === wanted) yield row;
  }
  return {
    tables: tables.map((table, i) => ({ ...table, read: () => readTable(i) })),
    tags: [],
    metadata: header.metadata,
    start: header.start,
    leftOut,
    notes: [...header.notes, ...found.notes, ...notesOf(groups), ...(decoded?.notes ?? [])],
    timeKind: 'elapsed',
    isForward: isForward && decoded === undefined,
    readMixed,
  };
}

async function* framesOf(file: FileBytes, { dataGroups, busGroups }: Found): AsyncGenerator<CanFrame> {
  for (const data of dataGroups) {
    if (!data.groups.some((group) => busGroups.has(group))) continue;
    yield* readRows<FrameCell, CanFrame>(file, data, (group, time, values) =>
      busGroups.has(group) ? frameOf(time, values) : undefined,
    );
  }
}

function framesLeftOut({ busGroups }: Found): string[] {
  const frames = [...busGroups].reduce((sum, { layout }) => sum + layout.records, 0);
  return frames === 0 ? [] : [`CAN_DataFrame (${frames} frames of bus logging; --dbc FILE decodes them)`];
}

/**
 * Nothing is written of a file with a fault. Compressed records show theirs when they are read. Whole numbers that a double would round make
 * their channel text. Whether the times of each group go forward.
 */
async function lookThrough(
  file: FileBytes,
  { dataGroups, leftOut }: Found,
  onBytes: (bytes: number) => void,
  pace: Pace,
): Promise<boolean> {
  const rows = dataGroups.reduce(
    (sum, { groups }) => sum + groups.reduce((n, one) => n + one.layout.records, 0),
    0,
  );
  const wide = dataGroups.flatMap(({ groups }) => groups.flatMap((group) => watchDigits(group)));
  let isForward = true;
  let read = 0;
  for (const { data, groups } of dataGroups) {
    const tally = { bytes: 0, isForward: true };
    for await (const count of checkRecords(file, { data, groups }, tally)) {
      read += count;
      onBytes((read / rows) * file.size);
      const pause = pace();
      if (pause !== undefined) await pause;
    }
    if (!tally.isForward) isForward = false;
    const behind = data.size - tally.bytes;
    const records = [...data.groups.values()].reduce((sum, one) => sum + one.records, 0);
    if (behind >= roomOf(data)) leftOut.push(behindText(behind, records, data.number));
  }
  for (const finish of wide) finish();
  return isForward;
}

/** Until what this gives is called, channels of whole numbers beyond a double's are looked for. */
function watchDigits({ channels }: GroupOfFile): (() => void)[] {
  return channels.flatMap((channel) => {
    const { exact, read } = channel;
    if (exact === undefined) return [];
    let isWide = false;
    channel.read = (record, index) => {
      const value = read(record, index);
      if (value !== null && !isWide) isWide = BigInt(value) !== exact(record);
      return value;
    };
    return [
      () => {
        channel.read = isWide
          ? (record, index) => (read(record, index) === null ? null : String(exact(record)))
          : read;
        channel.isText = isWide;
      },
    ];
  });
}

function notesOf(groups: readonly GroupOfFile[]): string[] {
  const channels = groups.flatMap((group) => group.channels);
  const wide = channels.filter(({ isText, exact }) => isText && exact !== undefined);
  const named = channels.filter(
    ({ description, valueNames }) => description !== undefined || valueNames !== undefined,
  );
  const twice = channels.flatMap(({ name, twice: raw }) =>
    raw === undefined ? [] : [{ name: `${name} (${raw})` }],
  );
  const invalid = channels.filter(({ marks }) => marks?.isAny === true);
  return [
    ...(invalid.length === 0
      ? []
      : [`left out, as the file marks them as invalid: values of ${namesOf(invalid)}`]),
    ...(wide.length === 0 ? [] : [`text, for its numbers have more digits than a double: ${namesOf(wide)}`]),
    ...(twice.length === 0
      ? []
      : [
          `raw values that stand twice in the table of their conversion, of which the first counts: ${namesOf(twice)}`,
        ]),
    ...(named.length === 0
      ? []
      : [`numbers, also where single values have names, which their definitions keep: ${namesOf(named)}`]),
  ];
}

const mostNames = 10;

function namesOf(channels: readonly Pick<ChannelOfGroup, 'name'>[]): string {
  const more = channels.length > mostNames ? ` and ${channels.length - mostNames} more` : '';
  return (
    channels
      .slice(0, mostNames)
      .map(({ name }) => name)
      .join(', ') + more
  );
}
