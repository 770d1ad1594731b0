import type { FileBytes } from '../file-bytes.ts';
import { otherTimeUnit, type TimeUnit, unitOfUnit } from '../text/time-names.ts';
import { readText } from './blocks.ts';
import { type ChannelBlock, ChannelType } from './channel-blocks.ts';
import { type GroupWorld, readerAt } from './channels.ts';

/** Seconds after the start of the recording, of a record and its index. */
export type Master = (record: DataView, index: number) => number;

/** What a master may count. */
const counted = ['nothing', 'time', 'angle', 'distance', 'records'];
const timeSync = 1;

/** Seconds in a unit of time. The format demands seconds, and some writers name another unit. */
const seconds: Readonly<Record<TimeUnit, number>> = { h: 3600, min: 60, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/** The channel of time of a group, or why it has none. Throws a FileFault. */
export async function readMaster(
  blocks: readonly ChannelBlock[],
  world: Pick<GroupWorld, 'file' | 'conversions' | 'recordBytes'> & { readonly notes: Set<string> },
): Promise<Master | string> {
  const masters = blocks.filter(
    ({ type }) => type === ChannelType.Master || type === ChannelType.VirtualMaster,
  );
  const block = masters.find(({ sync }) => sync === timeSync);
  if (block === undefined) {
    const [other] = masters;
    return other === undefined
      ? 'without a channel of time'
      : `its rows count ${counted[other.sync] ?? 'something else'}, not time`;
  }
  const conversion = await world.conversions.read(
    block.links[4]!,
    block.place.type <= 3,
    await unitOf(world.file, block),
  );
  const raw: Master | undefined =
    block.type === ChannelType.VirtualMaster
      ? (_record, index) => index
      : readerAt(block, block.place, block.name, world);
  if (raw === undefined || (conversion.kind !== 'none' && conversion.kind !== 'number'))
    return `its times in ${block.name} are no numbers`;
  const unit = conversion.unit.trim();
  const other = unit === '' ? undefined : otherTimeUnit(block.name, unit);
  if (other !== undefined) return `its times in ${block.name} are in ${other}`;
  const known = unitOfUnit(unit);
  const scale = seconds[known ?? 's'];
  if (known === undefined && unit !== '')
    world.notes.add(`times of ${block.name} are in ${unit}, taken for seconds`);
  else if (scale !== 1) world.notes.add(`times of ${block.name} are in ${unit}`);
  const convert = conversion.kind === 'number' ? conversion.convert : (value: number) => value;
  if (scale === 1) return (record, index) => convert(raw(record, index));
  return (record, index) => convert(raw(record, index)) * scale;
}

function unitOf(file: FileBytes, { links }: ChannelBlock): Promise<string> {
  return readText(file, links[6]!);
}
