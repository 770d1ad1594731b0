import { channelNames, namesText } from '../channel-names.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import { type Block, type ChainBlocks, numberAt, readChain } from './blocks.ts';
import { busEvent, frameChannels } from './bus-frames.ts';
import { ChannelType, channelBlocks, readChannelBlocks, withParts } from './channel-blocks.ts';
import type { DataGroup, GroupOfFile } from './channel-group.ts';
import { type GroupWorld, readChannels } from './channels.ts';
import { conversionReader } from './conversion-reader.ts';
import { dataBytes } from './data-pieces.ts';
import { type Header, headerAt } from './header.ts';
import { readMaster } from './master.ts';
import { type DataLayout, longestRecord, type RecordLayout } from './records.ts';
import { longValues } from './values-elsewhere.ts';

/** What a file has to be read. */
export interface Found {
  /** The data groups of which rows are read. */
  readonly dataGroups: readonly DataGroup[];
  /** Groups whose rows are frames of a CAN bus. */
  readonly busGroups: ReadonlySet<GroupOfFile>;
  /** What is not read, and why. */
  readonly leftOut: string[];
  readonly notes: readonly string[];
}

const mostGroups = 100_000;
/** The most bytes that one deflated byte stands for. */
const mostCompressed = 1100;
/** The bytes whose multiples some writers fill blocks up to. */
const alignment = 8;
const idSizes = [0, 1, 2, 4, 8];
const variableFlag = 1;

/** Bytes behind the last record that are no record: of those that are alone fewer than one, else what fills up blocks. */
export function roomOf({ idBytes, groups }: DataLayout): number {
  const [only] = groups.size === 1 ? groups.values() : [];
  return only === undefined || only.isVariable ? alignment : Math.max(idBytes + only.width, alignment);
}

export function behindText(bytes: number, records: number, group: number): string {
  return `${bytes} bytes behind the ${records} records of group ${group}`;
}

/** What is the same for all groups of a file. */
type FileWorld = Omit<GroupWorld, 'recordBytes' | 'invalidBytes' | 'blocks'> & {
  readonly channelChain: ChainBlocks;
  readonly notes: Set<string>;
  readonly start: bigint;
};

/** The data groups and channel groups of a file, with their channels. Throws a FileFault. */
export async function readGroups(file: FileBytes, { first, start }: Header): Promise<Found> {
  const world: FileWorld = {
    file,
    names: channelNames(),
    conversions: conversionReader(file),
    openLong: longValues(file),
    leftOut: [],
    channelChain: channelBlocks(),
    notes: new Set(),
    start,
  };
  const dataGroups: DataGroup[] = [];
  const busGroups = new Set<GroupOfFile>();
  const empty: string[] = [];
  const groupChain = chainOf('CG', 32, 6);
  const dataSeen = new Set<number>();
  let mostBytes = file.size * mostCompressed;
  let allRecords = 0;
  const blocks = await readChain(file, first, chainOf('DG', 1, 4));
  for (const [place, block] of blocks.entries()) {
    const idBytes = block.data.getUint8(0);
    const channelGroups = await readChain(file, block.links[1]!, groupChain);
    if (channelGroups.length === 0) continue;
    if (!idSizes.includes(idBytes) || (idBytes === 0 && channelGroups.length > 1)) {
      throw new FileFault(
        `records of ${channelGroups.length} channel groups cannot have numbers of ${idBytes} bytes`,
        block.offset,
      );
    }
    const link = block.links[2]!;
    const layouts = channelGroups.map(layoutOf);
    const records = layouts.reduce((sum, one) => sum + one.records, 0);
    const bytes = layouts.reduce((sum, one) => sum + one.records * (idBytes + one.width), 0);
    const byId = new Map(
      channelGroups.map((one, i) => [idBytes === 0 ? 0 : numberAt(one.data, 0, one.dataOffset), layouts[i]!]),
    );
    if (byId.size < layouts.length)
      throw new FileFault('channel groups have one number for their records', block.offset);
    const size = await dataBytes(file, link, dataSeen);
    const data = { link, number: place + 1, size, idBytes, groups: byId };
    if (records === 0 && size >= roomOf(data)) world.leftOut.push(behindText(size, 0, place + 1));
    allRecords += records;
    mostBytes -= bytes;
    if (mostBytes < 0)
      throw new FileFault(
        `${records} records of ${bytes} bytes are more than the file can hold`,
        channelGroups[0]!.offset,
      );
    const groups: GroupOfFile[] = [];
    for (const [i, layout] of layouts.entries()) {
      if (layout.isVariable) continue;
      if (layout.records === 0) {
        empty.push(...(await namesIn(file, channelGroups[i]!, world.channelChain)));
        continue;
      }
      const group = await readGroup(channelGroups[i]!, layout, world, busGroups);
      if (group !== undefined) groups.push(group);
    }
    if (groups.length > 0) dataGroups.push({ data, groups });
  }
  // What wrote it may have broken off before it set the numbers.
  if (allRecords === 0 && world.leftOut.length > 0)
    throw new FileFault(
      `there are no records, as the file says, and there is data of them: ${world.leftOut[0]}`,
      headerAt,
    );
  const notes = [...world.notes, ...world.names.notes(), ...namesText('without records in the file', empty)];
  return { dataGroups, busGroups, leftOut: world.leftOut, notes };
}

/**
 * Of a block CG: uint64 number of its records at 0, uint64 how many there are at 8, uint16 flags at 16 (bit 0: values of variable length),
 * uint32 bytes of a record at 24, uint32 bytes behind them at 28, whose bits say which values are invalid.
 */
function layoutOf({ data, offset, dataOffset }: Block): RecordLayout {
  const records = numberAt(data, 8, dataOffset);
  const isVariable = (data.getUint16(16, true) & variableFlag) !== 0;
  const width = isVariable ? 0 : data.getUint32(24, true) + data.getUint32(28, true);
  if (records > 0 && !isVariable && data.getUint32(24, true) === 0)
    throw new FileFault(`${records} records of 0 bytes are more than the file can hold`, offset);
  if (records > 0 && width > longestRecord)
    throw new FileFault(`a record has ${width} bytes; ${longestRecord} are read at most`, offset);
  return { width, isVariable, records, offset };
}

/** The channels of a group, but for those that count its records. */
async function namesIn(file: FileBytes, group: Block, chain: ChainBlocks): Promise<string[]> {
  const blocks = await readChannelBlocks(file, group.links[1]!, chain);
  return blocks.flatMap(({ name, type }) =>
    type === ChannelType.Master || type === ChannelType.VirtualMaster ? [] : [name],
  );
}

/** A channel group with what is read of it; undefined where that is nothing. */
async function readGroup(
  block: Block,
  layout: RecordLayout,
  file: FileWorld,
  busGroups: Set<GroupOfFile>,
): Promise<GroupOfFile | undefined> {
  const blocks = await readChannelBlocks(file.file, block.links[1]!, file.channelChain);
  const world = {
    ...file,
    recordBytes: block.data.getUint32(24, true),
    invalidBytes: block.data.getUint32(28, true),
    blocks: new Map(withParts(blocks).map((one) => [one.offset, one])),
  };
  const master = await readMaster(blocks, world);
  const event = busEvent(blocks);
  if (event !== undefined) {
    const channels = event === 'CAN_DataFrame' ? await frameChannels(blocks, world) : undefined;
    if (channels === undefined || typeof master === 'string') {
      file.leftOut.push(`${event} (${layout.records} records of bus logging)`);
      return undefined;
    }
    const group = { layout, master, channels, start: file.start };
    busGroups.add(group);
    return group;
  }
  const channels = await readChannels(blocks, world);
  if (typeof master === 'string') {
    file.leftOut.push(...channels.map(({ name }) => `${name} (${master})`));
    return undefined;
  }
  return channels.length === 0 ? undefined : { layout, master, channels, start: file.start };
}

function chainOf(kind: string, bytes: number, links: number): ChainBlocks {
  return { kind, size: { bytes, links }, most: mostGroups, seen: new Set() };
}
