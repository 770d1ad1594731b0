import type { CanFrame } from '../can/can-frame.ts';
import { lengthOfCode } from '../can/can-frame.ts';
import { type ChannelBlock, ChannelType, withParts } from './channel-blocks.ts';
import { type ChannelOfGroup, checkPlace, type GroupWorld, readerAt } from './channels.ts';

/** Structures of bus logging: frames as they came, one for each record. */
const busName = /^(CAN|LIN|FLX|ETH|MOST|K_LINE|KLINE|SENT)_\w+$/;
const dataFrame = 'CAN_DataFrame';
const longestFrame = 64;

/** The structure of frames that a group has; undefined for other groups. */
export function busEvent(blocks: readonly ChannelBlock[]): string | undefined {
  const whole = blocks.find(({ name, parts }) => parts.length > 0 && busName.test(name))?.name;
  if (whole !== undefined) return whole;
  return blocks.find(({ name }) => /^CAN_DataFrame\./.test(name)) === undefined ? undefined : dataFrame;
}

/** Of a CAN_DataFrame, in this order. */
const fields = ['BusChannel', 'ID', 'IDE', 'DLC', 'DataLength', 'EDL'] as const;
/** What a channel of frames gives. */
export type FrameCell = number | Uint8Array | null;

/** What a record of frames gives: the numbers of `fields`, then bytes. Undefined where frames have no id or no bytes. */
export async function frameChannels(
  blocks: readonly ChannelBlock[],
  world: GroupWorld,
): Promise<ChannelOfGroup[] | undefined> {
  const all = new Map(withParts(blocks).map((block) => [block.name, block]));
  const numbers = fields.map((field) => {
    const block = all.get(`${dataFrame}.${field}`);
    return block && readerAt(block, block.place, block.name, world);
  });
  const bytes = all.get(`${dataFrame}.DataBytes`);
  const data = bytes && (await bytesChannel(bytes, world));
  if (numbers[fields.indexOf('ID')] === undefined || data === undefined) return undefined;
  const channel = { unit: '', isText: false };
  return [
    ...numbers.map((read, i) => ({ ...channel, name: fields[i]!, read: read ?? ((): null => null) })),
    data,
  ];
}

/** Bytes stand in the record, or elsewhere. What they give is no cell of a table: frames are made of them. */
async function bytesChannel(block: ChannelBlock, world: GroupWorld): Promise<ChannelOfGroup | undefined> {
  const { type, place, name, links } = block;
  const channel = { name, unit: '', isText: false };
  const asCell = (bytes: Uint8Array): never => bytes as never;
  if (type === ChannelType.Variable) {
    const at = readerAt(block, { ...place, type: 0 }, name, world);
    const values = await world.openLong(links[5]!);
    if (at === undefined || values === undefined) return undefined;
    return { ...channel, read: at, elsewhere: { values, decode: asCell } };
  }
  checkPlace(block, name, world);
  const { byteOffset, bits } = place;
  return {
    ...channel,
    read: (record) => asCell(new Uint8Array(record.buffer, record.byteOffset + byteOffset, bits >> 3)),
  };
}

const extendedFlag = 0x8000_0000;

/** The frame of a row of such channels; undefined where it has no bytes. */
export function frameOf(time: bigint, values: readonly FrameCell[]): CanFrame | undefined {
  const [bus, id, ide, dlc, length, edl] = values as (number | null)[];
  const data = values[fields.length];
  if (typeof id !== 'number' || !(data instanceof Uint8Array)) return undefined;
  // Some writers have the flag of extended ids in the id itself.
  const isExtended = ide === null ? id >= extendedFlag || id > 0x7ff : ide === 1 || id >= extendedFlag;
  const bytes = length ?? (dlc === null ? data.length : lengthOfCode(dlc!, edl === 1 || data.length > 8));
  return {
    time,
    bus: `CAN${bus ?? ''}`,
    id: id % extendedFlag,
    isExtended,
    data: data.subarray(0, Math.min(bytes!, data.length, longestFrame)),
  };
}
