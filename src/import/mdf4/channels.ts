import type { ChannelNames } from '../channel-names.ts';
import { type FileBytes, FileFault } from '../file-bytes.ts';
import type { LoggedChannel } from '../logged-file.ts';
import { readText } from './blocks.ts';
import { type ChannelBlock, ChannelType } from './channel-blocks.ts';
import type { Conversion } from './conversion.ts';
import type { ConversionReader } from './conversion-reader.ts';
import { bytesOf, integerReader, numberReader, type ReadNumber } from './read-number.ts';
import { stringReader } from './read-string.ts';
import type { LongValues, OpenLongValues } from './values-elsewhere.ts';

export type Cell = number | string | null;

export interface ChannelOfGroup extends LoggedChannel {
  isText: boolean;
  /** Null where the record marks it as invalid; where values stand elsewhere, their place. */
  read(record: DataView, index: number): Cell;
  /** Where records may mark it as invalid: what they have marked so far, of those that were looked at. */
  readonly marks?: InvalidMarks;
  /** Where values stand elsewhere: where, and what they mean. */
  readonly elsewhere?: { readonly values: LongValues; decode(bytes: Uint8Array): Cell };
  /** Where numbers may have more digits than a double: all of them. */
  readonly exact?: (record: DataView) => bigint;
  /** A raw value that the table of its conversion has twice. */
  readonly twice?: string;
}

/** What is needed to read the channels of a group. */
export interface GroupWorld {
  readonly file: FileBytes;
  readonly names: ChannelNames;
  readonly conversions: ConversionReader;
  readonly openLong: OpenLongValues;
  readonly recordBytes: number;
  readonly invalidBytes: number;
  /** The channels of the group and their parts, by the places of their blocks. */
  readonly blocks: ReadonlyMap<number, ChannelBlock>;
  /** Channels that are not read, and why. */
  readonly leftOut: string[];
}

const allInvalid = 1;
const mayBeInvalid = 2;
/** The longest unit that is kept; a file may have very many of them. */
const longestUnit = 512;

/** Adds what channels give; what is not read goes to `leftOut`, by name and with the cause. Throws a FileFault. */
export async function readChannels(
  blocks: readonly ChannelBlock[],
  world: GroupWorld,
  channels: ChannelOfGroup[] = [],
): Promise<ChannelOfGroup[]> {
  for (const block of blocks) {
    if (block.type === ChannelType.Master || block.type === ChannelType.VirtualMaster) continue;
    if (block.parts.length > 0) {
      await readChannels(block.parts, world, channels);
      continue;
    }
    const name = world.names.nameFor(block.written, block.offset);
    const found = await readChannel(block, name, world);
    if (typeof found === 'string') world.leftOut.push(`${name} (${found})`);
    else channels.push(found);
  }
  return channels;
}

/** A channel, or why it is not read. */
async function readChannel(
  block: ChannelBlock,
  name: string,
  world: GroupWorld,
): Promise<ChannelOfGroup | string> {
  const { type, place, links, composition } = block;
  if (composition !== undefined) return composition === 'CA' ? 'an array' : `made of a block ${composition}`;
  if ((block.flags & allInvalid) !== 0) return 'all its values are invalid';
  if (type === ChannelType.Synchronization) return 'it synchronizes with other media';
  const isWhole = place.type <= 3;
  const unit = await unitOf(world.file, links[6]!, name);
  const conversion = await world.conversions.read(links[4]!, isWhole, unit);
  if (conversion.kind === 'unknown') return conversion.why;
  const marks = marksOf(validity(block, name, world));
  const isValid = marks?.isValid;
  const facts = factsOf(name, conversion, marks);
  if (type === ChannelType.VirtualData) {
    return { ...facts, ...numberCells((_record, index) => index, conversion, isValid) };
  }
  const decode = stringReader(place.type);
  if (type === ChannelType.Variable) {
    const at = readerAt(block, { ...place, type: 0 }, name, world);
    if (decode === undefined || at === undefined) return kindOfBytes(place.type);
    const values = await world.openLong(links[5]!);
    if (values === undefined) return 'its values stand nowhere';
    return {
      ...facts,
      isText: conversion.kind !== 'number of text',
      read: isValid === undefined ? at : (record) => (isValid(record) ? at(record) : null),
      elsewhere: { values, decode: (bytes) => textCell(decode(bytes), conversion) },
    };
  }
  if (type !== ChannelType.Fixed && type !== ChannelType.MostLength) return `a channel of type ${type}`;
  if (decode !== undefined) {
    checkPlace(block, name, world);
    const { byteOffset } = place;
    const lengthOf = lengthReader(block, name, world);
    if (lengthOf === undefined) return 'its length stands nowhere';
    const read = (record: DataView): Cell =>
      textCell(
        decode(new Uint8Array(record.buffer, record.byteOffset + byteOffset, lengthOf(record))),
        conversion,
      );
    return {
      ...facts,
      isText: conversion.kind !== 'number of text',
      read: isValid === undefined ? read : (record) => (isValid(record) ? read(record) : null),
    };
  }
  const raw = readerAt(block, place, name, world);
  if (raw === undefined) return kindOfBytes(place.type);
  if (conversion.kind === 'number of text' || conversion.kind === 'text of text')
    return 'its conversion is one of texts, and it is a number';
  const exact = conversion.kind === 'none' && place.bits > 53 ? integerReader(place) : undefined;
  return {
    ...facts,
    ...numberCells(raw, conversion, isValid),
    ...(exact === undefined ? {} : { exact }),
  };
}

function factsOf(
  name: string,
  conversion: Conversion,
  marks: InvalidMarks | undefined,
): Pick<ChannelOfGroup, 'name' | 'unit' | 'marks' | 'twice'> {
  const twice = 'twice' in conversion ? conversion.twice : undefined;
  return {
    ...{ name, unit: conversion.unit },
    ...(marks !== undefined && { marks }),
    ...(twice !== undefined && { twice: String(twice) }),
  };
}

/** How many bytes of a channel count in a record: all, or as many as another channel says; undefined where that one is not there. */
function lengthReader(
  { type, place, links, offset }: ChannelBlock,
  name: string,
  world: GroupWorld,
): ReadNumber | undefined {
  const most = place.bits >> 3;
  if (type !== ChannelType.MostLength || links[5] === 0) return () => most;
  const length = world.blocks.get(links[5]!);
  const read = length && readerAt(length, length.place, length.name, world);
  if (read === undefined) return undefined;
  return (record) => {
    const bytes = read(record);
    if (bytes >= 0 && bytes <= most) return bytes;
    throw new FileFault(`a record has ${bytes} bytes of channel ${name}, which has ${most} at most`, offset);
  };
}

function kindOfBytes(type: number): string {
  if (type === 10) return 'bytes';
  if (type === 11 || type === 12) return 'media';
  if (type === 13 || type === 14) return 'a CANopen date or time';
  if (type === 15 || type === 16) return 'complex numbers';
  return `a value of kind ${type}`;
}

/** Whether values of records are valid, and whether one was not. */
export interface InvalidMarks {
  isValid(record: DataView): boolean;
  isAny: boolean;
}

function marksOf(isValid: IsValid): InvalidMarks | undefined {
  if (isValid === undefined) return undefined;
  const marks: InvalidMarks = {
    isAny: false,
    isValid(record) {
      const isGood = isValid(record);
      if (!isGood) marks.isAny = true;
      return isGood;
    },
  };
  return marks;
}

type IsValid = ((record: DataView) => boolean) | undefined;

function numberCells(
  raw: (record: DataView, index: number) => number,
  conversion: Conversion,
  isValid: IsValid,
): Pick<ChannelOfGroup, 'isText' | 'read' | 'description' | 'valueNames'> {
  const convert =
    conversion.kind === 'number' || conversion.kind === 'text of number' ? conversion.convert : undefined;
  const cell =
    convert === undefined ? raw : (record: DataView, index: number): Cell => convert(raw(record, index));
  const { valueNames, ranges = '' } = conversion.kind === 'number' ? conversion : {};
  return {
    isText: conversion.kind === 'text of number',
    read: isValid === undefined ? cell : (record, index) => (isValid(record) ? cell(record, index) : null),
    ...(valueNames !== undefined && { valueNames }),
    ...(ranges !== '' && { description: ranges }),
  };
}

function textCell(text: string, conversion: Conversion): Cell {
  return conversion.kind === 'number of text' || conversion.kind === 'text of text'
    ? conversion.convert(text)
    : text;
}

async function unitOf(file: FileBytes, offset: number, name: string): Promise<string> {
  const unit = await readText(file, offset);
  if (unit.length <= longestUnit) return unit;
  throw new FileFault(`the unit of channel ${name} has more than ${longestUnit} characters`, offset);
}

/** Reads the number at a place of the records; undefined where it is none. Throws a FileFault where records end before. */
export function readerAt(
  block: ChannelBlock,
  place: ChannelBlock['place'],
  name: string,
  world: Pick<GroupWorld, 'recordBytes'>,
): ReadNumber | undefined {
  const read = numberReader(place);
  if (read !== undefined) checkPlace(block, name, world);
  return read;
}

export function checkPlace(
  { place, offset }: ChannelBlock,
  name: string,
  { recordBytes }: Pick<GroupWorld, 'recordBytes'>,
): void {
  if (place.byteOffset + bytesOf(place) > recordBytes)
    throw new FileFault(`channel ${name} stands beyond the ${recordBytes} bytes of a record`, offset);
}

/** Whether a record has a valid value; undefined where all have. */
export function validity(
  { flags, invalidBit, offset }: ChannelBlock,
  name: string,
  { recordBytes, invalidBytes }: Pick<GroupWorld, 'recordBytes' | 'invalidBytes'>,
): IsValid {
  if ((flags & mayBeInvalid) === 0) return undefined;
  if (invalidBit >= invalidBytes * 8)
    throw new FileFault(`channel ${name} has no place for its invalidation bit`, offset);
  const [byte, bit] = [recordBytes + (invalidBit >> 3), invalidBit & 7];
  return (record) => ((record.getUint8(byte) >> bit) & 1) === 0;
}
