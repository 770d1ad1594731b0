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
  /** 0 fixed, 2 master, 3 virtual master. */
  readonly type?: number;
  readonly kind: number;
  readonly byte: number;
  readonly bit?: number;
  readonly bits: number;
  /** Type of the conversion and its values. */
  readonly conversion?: readonly [type: number, ...values: number[]];
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
  let next = 0;
  for (const channel of [...group.channels].reverse()) next = addChannel(file, channel, next);
  const data = new Uint8Array(32);
  const view = new DataView(data.buffer);
  view.setBigUint64(8, BigInt(group.records), true);
  view.setUint32(24, group.recordBytes, true);
  view.setUint32(28, group.invalidBytes ?? 0, true);
  const channels = file.block('CG', [0, next, 0, 0, 0, 0], data);
  return file.block('DG', [0, channels, group.data, 0], new Uint8Array(8));
}

function addChannel(file: MadeFile, channel: MadeChannel, next: number): number {
  const { type = 0, kind, byte, bit = 0, bits, conversion, invalidBit } = channel;
  const data = new Uint8Array(72);
  const view = new DataView(data.buffer);
  data.set([type, type === 0 ? 0 : 1, kind, bit]);
  view.setUint32(4, byte, true);
  view.setUint32(8, bits, true);
  view.setUint32(12, invalidBit === undefined ? 0 : 2, true);
  view.setUint32(16, invalidBit ?? 0, true);
  const unit = channel.unit === undefined ? 0 : file.text(channel.unit);
  const links = [next, 0, file.text(channel.name), 0, addConversion(file, conversion), 0, unit, 0];
  return file.block('CN', links, data);
}

function addConversion(file: MadeFile, conversion: MadeChannel['conversion']): number {
  if (conversion === undefined) return 0;
  const [type, ...values] = conversion;
  const data = new Uint8Array(24 + values.length * 8);
  const view = new DataView(data.buffer);
  view.setUint8(0, type);
  view.setUint16(6, values.length, true);
  for (const [i, value] of values.entries()) view.setFloat64(24 + i * 8, value, true);
  return file.block('CC', [0, 0, 0, 0], data);
}

/** Compressed records: as they are, or with their bytes written column by column first. */
export function addPacked(file: MadeFile, records: Uint8Array, columns?: number): number {
  const rows = columns === undefined ? 0 : Math.floor(records.length / columns);
  const turned = records.slice();
  for (let column = 0; column < (columns ?? 0); column++) {
    for (let row = 0; row < rows; row++) turned[column * rows + row] = records[row * columns! + column]!;
  }
  const packed = deflateSync(turned);
  const data = new Uint8Array(24 + packed.length);
  const view = new DataView(data.buffer);
  data.set(Buffer.from('DT'));
  view.setUint8(2, columns === undefined ? 0 : 1);
  view.setUint32(4, columns ?? 0, true);
  view.setBigUint64(8, BigInt(records.length), true);
  view.setBigUint64(16, BigInt(packed.length), true);
  data.set(packed, 24);
  return file.block('DZ', [], data);
}
