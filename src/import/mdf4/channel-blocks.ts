import { plainName } from '../channel-names.ts';
import type { FileBytes } from '../file-bytes.ts';
import { FileFault } from '../file-bytes.ts';
import { type Block, type ChainBlocks, readBlock, readChain, readWritten } from './blocks.ts';
import type { Place } from './read-number.ts';

/** What a channel is, as its block says. */
export const ChannelType = {
  Fixed: 0,
  /** Its records have the places of values that stand elsewhere. */
  Variable: 1,
  Master: 2,
  /** The number of the record. */
  VirtualMaster: 3,
  Synchronization: 4,
  /** So many bytes in each record, of which another channel says how many count. */
  MostLength: 5,
  VirtualData: 6,
} as const;

/**
 * A block CN. Links: next, parts, name, source, conversion, data, unit, comment. Data: uint8 type, uint8 what a master counts (1
 * seconds), uint8 kind of value, uint8 first bit, uint32 first byte, uint32 bits, uint32 flags (bit 0 all values are invalid, bit 1 an
 * invalidation bit tells), uint32 which bit.
 */
export interface ChannelBlock {
  readonly offset: number;
  /** That of a part has the name of the whole in front: `Position.x`. */
  readonly name: string;
  /** The name with the control characters that the file has in it. */
  readonly written: string;
  readonly type: number;
  readonly sync: number;
  readonly place: Place;
  readonly flags: number;
  readonly invalidBit: number;
  readonly links: readonly number[];
  /** Its parts, where it is a structure. */
  readonly parts: readonly ChannelBlock[];
  /** What else it is made of: the kind of that block. */
  readonly composition: string | undefined;
}

/** The channels of all groups of a file. */
export const channelBlocks = (): ChainBlocks => ({
  kind: 'CN',
  size: { bytes: 24, links: 8 },
  most: 100_000,
  seen: new Set(),
});

/** The most levels of structures in structures. */
const deepest = 20;

/** The channels of a chain, with their parts. Throws a FileFault. */
export async function readChannelBlocks(
  file: FileBytes,
  first: number,
  blocks: ChainBlocks,
  whole = '',
  depth = 0,
): Promise<ChannelBlock[]> {
  if (depth > deepest) throw new FileFault(`channels stand in channels, more than ${deepest} deep`, first);
  const found: ChannelBlock[] = [];
  for (const block of await readChain(file, first, blocks)) {
    const { links, offset } = block;
    const given = (await readWritten(file, links[2]!)).trim();
    const plain = plainName(given) || 'Channel';
    // asammdf has the name of the whole in those of its parts already.
    const before = whole === '' || plain.startsWith(`${whole}.`) ? '' : `${whole}.`;
    const name = before + plain;
    const composition = await compositionOf(file, links[1]!);
    found.push({
      offset,
      name,
      written: before + (given || plain),
      ...fieldsOf(block),
      links,
      parts: composition === 'CN' ? await readChannelBlocks(file, links[1]!, blocks, name, depth + 1) : [],
      composition: composition === 'CN' ? undefined : composition,
    });
  }
  return found;
}

/** The channels with all their parts. */
export function withParts(blocks: readonly ChannelBlock[]): ChannelBlock[] {
  return blocks.flatMap((block) => [block, ...withParts(block.parts)]);
}

async function compositionOf(file: FileBytes, link: number): Promise<string | undefined> {
  if (link === 0) return undefined;
  return (await readBlock(file, link, ['CN', 'CA', 'CL', 'CV', 'CU', 'DS'], 0)).kind;
}

function fieldsOf({ data }: Block) {
  return {
    type: data.getUint8(0),
    sync: data.getUint8(1),
    place: {
      type: data.getUint8(2),
      bitOffset: data.getUint8(3),
      byteOffset: data.getUint32(4, true),
      bits: data.getUint32(8, true),
    },
    flags: data.getUint32(12, true),
    invalidBit: data.getUint32(16, true),
  };
}
