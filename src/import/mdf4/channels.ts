import type { ChannelNames } from '../channel-names.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import { type Block, type ChainBlocks, readChain, readText } from './blocks.ts';
import { type Convert, readConversion } from './conversion.ts';
import { bytesOfNumber, numberReader } from './read-number.ts';

/** Seconds after the start of the recording, of a record and its index. */
export type Master = (record: DataView, index: number) => number;

export interface ChannelOfGroup {
  readonly name: string;
  readonly unit: string;
  /** Null where the record marks it as invalid. */
  read(record: DataView): number | null;
}

/** The channels of all groups of a file. */
export const channelBlocks = (): ChainBlocks => ({
  kind: 'CN',
  size: { bytes: 24, links: 8 },
  most: 100_000,
  seen: new Set(),
});

const fixedLength = 0;
const masterType = 2;
/** It counts the records. */
const virtualMaster = 3;
const timeSync = 1;
const allInvalid = 1;
const mayBeInvalid = 2;

/**
 * The channels of a group, blocks CN. Links: next, parts, name, source, conversion, data, unit, comment. Data: uint8 type
 * (0 fixed length, 2 master, 3 virtual master), uint8 what a master counts (1 seconds), uint8 kind of number, uint8 first bit, uint32 first
 * byte, uint32 bits, uint32 flags (bit 0 all values are invalid, bit 1 an invalidation bit tells), uint32 which bit.
 * Numbers are read; what else there is (texts, bytes, formulas) is named in `others`. Throws a FileFault.
 */
export async function readGroupChannels(
  file: FileBytes,
  group: Block,
  recordBytes: number,
  blocks: ChainBlocks,
  names: ChannelNames,
): Promise<{ master: Master | undefined; channels: ChannelOfGroup[]; others: string[] }> {
  const channels: ChannelOfGroup[] = [];
  const others: string[] = [];
  let master: Master | undefined;
  const invalidBytes = group.data.getUint32(28, true);
  for (const block of await readChain(file, group.links[1]!, blocks)) {
    const { data, links, offset } = block;
    const given = (await readText(file, links[2]!)) || 'Channel';
    const convert = await readConversion(file, links[4]!);
    const raw = readerOf(block, given, recordBytes);
    if (data.getUint8(0) === virtualMaster) {
      if (convert !== undefined && data.getUint8(1) === timeSync) master = (_record, index) => convert(index);
      continue;
    }
    if (data.getUint8(0) === masterType) {
      if (raw !== undefined && convert !== undefined && data.getUint8(1) === timeSync) {
        master = (record) => convert(raw(record));
      }
      continue;
    }
    const name = names.nameFor(given, offset);
    if (raw === undefined || convert === undefined || links[1] !== 0) {
      others.push(name);
      continue;
    }
    const invalidBit = invalidBitOf(data, recordBytes, invalidBytes, offset, name);
    channels.push({
      name,
      unit: await unitOf(file, links[6]!, name),
      read: valueReader(raw, convert, invalidBit),
    });
  }
  return { master, channels, others };
}

/** No unit is longer; a file may have very many of them. */
const longestUnit = 512;

async function unitOf(file: FileBytes, offset: number, name: string): Promise<string> {
  const unit = await readText(file, offset);
  if (unit.length <= longestUnit) return unit;
  throw new FileFault(`the unit of channel ${name} has more than ${longestUnit} characters`, offset);
}

function readerOf({ data, offset }: Block, name: string, recordBytes: number) {
  const type = data.getUint8(0);
  if (type !== fixedLength && type !== masterType) return undefined;
  const place = {
    type: data.getUint8(2),
    bitOffset: data.getUint8(3),
    byteOffset: data.getUint32(4, true),
    bits: data.getUint32(8, true),
  };
  const read = numberReader(place);
  if (read !== undefined && place.byteOffset + bytesOfNumber(place.bitOffset, place.bits) > recordBytes) {
    throw new FileFault(`channel ${name} stands beyond the ${recordBytes} bytes of a record`, offset);
  }
  return read;
}

/** Which bit of a record says that the value is invalid; true where all are. */
function invalidBitOf(
  data: DataView,
  recordBytes: number,
  invalidBytes: number,
  offset: number,
  name: string,
): number | boolean {
  const flags = data.getUint32(12, true);
  if ((flags & allInvalid) !== 0) return true;
  if ((flags & mayBeInvalid) === 0) return false;
  const bit = data.getUint32(16, true);
  if (bit >= invalidBytes * 8)
    throw new FileFault(`channel ${name} has no place for its invalidation bit`, offset);
  return recordBytes * 8 + bit;
}

function valueReader(
  raw: (record: DataView) => number,
  convert: Convert,
  invalid: number | boolean,
): ChannelOfGroup['read'] {
  if (invalid === true) return () => null;
  if (invalid === false) return (record) => convert(raw(record));
  return (record) =>
    ((record.getUint8(invalid >> 3) >> (invalid & 7)) & 1) === 1 ? null : convert(raw(record));
}
