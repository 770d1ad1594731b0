import { deflateSync } from 'node:zlib';

/** A file that is made block by block; links are places of blocks that stand before. */
export interface MadeFile {
  /** Adds a block and gives its place. */
  block(kind: string, links: readonly number[], data: Uint8Array): number;
  text(text: string): number;
  /** Sets a link of a block that stands already. */
  link(block: number, index: number, target: number): void;
  bytes(): Uint8Array;
}

/** Where the header stands, whose first link is the first data group, and its sixth a comment. */
export const header = 64;

/** An MDF 4.10 file with an empty header: identification of 64 bytes, then the block HD. */
export function makeMdf4(start: bigint): MadeFile {
  const id = new Uint8Array(64);
  id.set(Buffer.from('MDF     4.10    by hand '));
  new DataView(id.buffer).setUint16(28, 410, true);
  const parts: Uint8Array[] = [id];
  let size = 64;
  const made: MadeFile = {
    block(kind, links, data) {
      const place = size;
      const block = new Uint8Array((24 + links.length * 8 + data.length + 7) & ~7);
      const view = new DataView(block.buffer);
      block.set(Buffer.from(`##${kind}`));
      view.setBigUint64(8, BigInt(24 + links.length * 8 + data.length), true);
      view.setBigUint64(16, BigInt(links.length), true);
      for (const [i, target] of links.entries()) view.setBigUint64(24 + i * 8, BigInt(target), true);
      block.set(data, 24 + links.length * 8);
      parts.push(block);
      size += block.length;
      return place;
    },
    text: (text) => made.block('TX', [], Buffer.from(`${text}\0`)),
    link(block, index, target) {
      let at = 0;
      for (const part of parts) {
        if (at === block) new DataView(part.buffer).setBigUint64(24 + index * 8, BigInt(target), true);
        at += part.length;
      }
    },
    bytes: () => new Uint8Array(Buffer.concat(parts)),
  };
  const data = new Uint8Array(32);
  new DataView(data.buffer).setBigUint64(0, start, true);
  made.block('HD', [0, 0, 0, 0, 0, 0], data);
  return made;
}

export interface MadeChannel {
  readonly name: string;
  readonly unit?: string;
  /** 0 fixed, 1 of variable length, 2 master, 3 virtual master, 5 of at most so many bytes, 6 virtual. */
  readonly type?: number;
  /** What a master counts: 1 seconds, 2 angle, 3 distance, 4 records. */
  readonly sync?: number;
  readonly kind: number;
  readonly byte: number;
  readonly bit?: number;
  readonly bits: number;
  /** Type of the conversion and its values. */
  readonly conversion?: readonly [type: number, ...values: number[]];
  /** Of the conversion: texts, or places of other conversions; 0 is none. */
  readonly references?: readonly (string | number)[];
  /** The place of values that stand elsewhere. */
  readonly data?: number;
  /** Which channel says how many bytes count: so many behind this one. */
  readonly lengthBehind?: number;
  readonly parts?: readonly MadeChannel[];
  /** Which invalidation bit tells. */
  readonly invalidBit?: number;
}

export interface MadeGroup {
  readonly channels: readonly MadeChannel[];
  readonly records: number;
  readonly recordBytes: number;
  readonly invalidBytes?: number;
  /** The place of the block of records, or of their list. */
  readonly data: number;
}

/** Adds a data group with one channel group; the header or the data group before must link to it. */
export function addGroup(file: MadeFile, group: MadeGroup): number {
  return file.block('DG', [0, addChannelGroup(file, group, 0), group.data, 0], new Uint8Array(8));
}

/** A channel group among others in one data group, or values of variable length that a channel of another one names. */
export interface MixedGroup extends Omit<MadeGroup, 'data'> {
  readonly id: number;
  readonly isVariable?: boolean;
}

/** Adds a channel group; those that a channel names must stand before it. */
export function addChannelGroup(
  file: MadeFile,
  group: Omit<MadeGroup, 'data'> & Partial<MixedGroup>,
  next: number,
): number {
  const data = new Uint8Array(32);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, BigInt(group.id ?? 0), true);
  view.setBigUint64(8, BigInt(group.records), true);
  view.setUint16(16, group.isVariable === true ? 1 : 0, true);
  view.setUint32(24, group.recordBytes, true);
  view.setUint32(28, group.invalidBytes ?? 0, true);
  return file.block('CG', [next, addChannels(file, group.channels), 0, 0, 0, 0], data);
}

/** Adds a data group of channel groups whose records are mixed, each with so many bytes of its group's number in front. */
export function addMixed(file: MadeFile, idBytes: number, firstGroup: number, data: number): number {
  const head = new Uint8Array(8);
  head[0] = idBytes;
  return file.block('DG', [0, firstGroup, data, 0], head);
}

function addChannels(file: MadeFile, channels: readonly MadeChannel[]): number {
  let next = 0;
  const places: number[] = [];
  for (const channel of [...channels].reverse()) {
    const { lengthBehind } = channel;
    const data = lengthBehind === undefined ? channel.data : places.at(-lengthBehind);
    next = addChannel(file, { ...channel, ...(data !== undefined && { data }) }, next);
    places.push(next);
  }
  return next;
}

function addChannel(file: MadeFile, channel: MadeChannel, next: number): number {
  const { type = 0, kind, byte, bit = 0, bits, invalidBit } = channel;
  const data = new Uint8Array(72);
  const view = new DataView(data.buffer);
  const isMaster = type === 2 || type === 3;
  data.set([type, channel.sync ?? (isMaster ? 1 : 0), kind, bit]);
  view.setUint32(4, byte, true);
  view.setUint32(8, bits, true);
  view.setUint32(12, invalidBit === undefined ? 0 : 2, true);
  view.setUint32(16, invalidBit ?? 0, true);
  const unit = channel.unit === undefined ? 0 : file.text(channel.unit);
  const parts = channel.parts === undefined ? 0 : addChannels(file, channel.parts);
  const conversion = addConversion(file, channel.conversion, channel.references);
  const links = [next, parts, file.text(channel.name), 0, conversion, channel.data ?? 0, unit, 0];
  return file.block('CN', links, data);
}

export function addConversion(
  file: MadeFile,
  conversion: MadeChannel['conversion'],
  references: MadeChannel['references'] = [],
): number {
  if (conversion === undefined) return 0;
  const [type, ...values] = conversion;
  const data = new Uint8Array(24 + values.length * 8);
  const view = new DataView(data.buffer);
  view.setUint8(0, type);
  view.setUint16(4, references.length, true);
  view.setUint16(6, values.length, true);
  for (const [i, value] of values.entries()) view.setFloat64(24 + i * 8, value, true);
  const places = references.map((one) => (typeof one === 'number' ? one : file.text(one)));
  return file.block('CC', [0, 0, 0, 0, ...places], data);
}

/** Values of variable length one after the other, each behind its length; and where each begins. */
export function signalData(values: readonly Uint8Array[]): { bytes: Uint8Array; places: number[] } {
  const places: number[] = [];
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const value of values) {
    places.push(size);
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, value.length, true);
    parts.push(head, value);
    size += 4 + value.length;
  }
  return { bytes: new Uint8Array(Buffer.concat(parts)), places };
}

/** Compressed records: as they are, or with their bytes written column by column first. */
export function addPacked(file: MadeFile, records: Uint8Array, columns?: number, kind = 'DT'): number {
  const rows = columns === undefined ? 0 : Math.floor(records.length / columns);
  const turned = records.slice();
  for (let column = 0; column < (columns ?? 0); column++) {
    for (let row = 0; row < rows; row++) turned[column * rows + row] = records[row * columns! + column]!;
  }
  const packed = deflateSync(turned);
  const data = new Uint8Array(24 + packed.length);
  const view = new DataView(data.buffer);
  data.set(Buffer.from(kind));
  view.setUint8(2, columns === undefined ? 0 : 1);
  view.setUint32(4, columns ?? 0, true);
  view.setBigUint64(8, BigInt(records.length), true);
  view.setBigUint64(16, BigInt(packed.length), true);
  data.set(packed, 24);
  return file.block('DZ', [], data);
}
