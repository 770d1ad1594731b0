import { plainName } from '../channel-names.ts';
import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { textOfXml } from './text-of-xml.ts';

/**
 * A block of an MDF4 file (ASAM MDF 4.0 to 4.2), little-endian:
 *
 *   0x00  char[4]   `##` and two letters
 *   0x08  uint64    length of the block, this head included
 *   0x10  uint64    number of links
 *   0x18  uint64[]  links: places of other blocks, or 0
 *         data, as the kind of block has it
 */
export interface Block {
  /** The two letters, such as `HD`. */
  readonly kind: string;
  readonly offset: number;
  readonly links: readonly number[];
  /** What follows the links, as far as it was asked for. */
  readonly data: DataView;
  /** Where that begins, and how long it is in the file. */
  readonly dataOffset: number;
  readonly dataLength: number;
}

const headBytes = 24;
/** The most links of a block: more than any has but lists of data blocks, and those go on in the next list. */
const mostLinks = 200_000;

/**
 * Reads a block of one of these kinds, and at most `mostData` bytes of its data. Throws a FileFault that names the
 * place, what it is for, and what stands there.
 */
export async function readBlock(
  file: FileBytes,
  offset: number,
  kinds: readonly string[],
  mostData = 1024,
): Promise<Block> {
  const wanted = kinds.join(' or ');
  const head = await readPiece(file, offset, headBytes, `a block ${wanted}`);
  const id = [0, 1, 2, 3].map((i) => String.fromCharCode(head.getUint8(i))).join('');
  const kind = id.slice(2);
  if (!id.startsWith('##') || !kinds.includes(kind)) {
    throw new FileFault(`a block ${wanted} was expected here, and there is ${JSON.stringify(id)}`, offset);
  }
  const length = numberAt(head, 8, offset);
  const count = numberAt(head, 16, offset);
  const dataLength = length - headBytes - count * 8;
  if (count > mostLinks || dataLength < 0 || offset + length > file.size) {
    throw new FileFault(`the block ${kind} of ${length} bytes with ${count} links cannot be`, offset);
  }
  const rest = await readPiece(
    file,
    offset + headBytes,
    count * 8 + Math.min(dataLength, mostData),
    `a block ${kind}`,
  );
  const links = Array.from({ length: count }, (_, i) => numberAt(rest, i * 8, offset + headBytes));
  return {
    kind,
    offset,
    links,
    data: new DataView(rest.buffer, rest.byteOffset + count * 8, rest.byteLength - count * 8),
    dataOffset: offset + headBytes + count * 8,
    dataLength,
  };
}

/** An unsigned 64-bit number that is a place or a length. */
export function numberAt(view: DataView, at: number, offset: number): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new FileFault(`${value} is no place in a file`, offset + at);
  return Number(value);
}

/** A block's data must have so many bytes. Throws a FileFault. */
export function needData({ kind, offset, data, links }: Block, bytes: number, fewestLinks: number): void {
  if (data.byteLength < bytes || links.length < fewestLinks) {
    throw new FileFault(`the block ${kind} is too short`, offset);
  }
}

/** Blocks of a kind that chains have, in all of a file. */
export interface ChainBlocks {
  readonly kind: string;
  /** What each has at least: bytes of data, and links. */
  readonly size: { readonly bytes: number; readonly links: number };
  readonly most: number;
  /** Places of those that were read. */
  readonly seen: Set<number>;
}

/**
 * Blocks that each name the next by a link. Throws a FileFault where they go in a circle or stand in two chains, and
 * where a file has too many.
 */
export async function readChain(file: FileBytes, first: number, blocksOf: ChainBlocks): Promise<Block[]> {
  const { kind, size, most, seen } = blocksOf;
  const blocks: Block[] = [];
  const own = new Set<number>();
  for (let offset = first; offset !== 0; ) {
    if (own.has(offset)) throw new FileFault(`the blocks ${kind} go in a circle`, offset);
    if (seen.has(offset)) throw new FileFault(`the block ${kind} stands in two chains`, offset);
    own.add(offset);
    if (seen.add(offset).size > most)
      throw new FileFault(`there are more than ${most} blocks ${kind}`, offset);
    const block = await readBlock(file, offset, [kind]);
    needData(block, size.bytes, size.links);
    blocks.push(block);
    offset = block.links[0]!;
  }
  return blocks;
}

const longestText = 64 << 10;

/**
 * The bytes of a block TX or MD as text, up to the first zero; empty where there is no block. Of a longer one the first
 * 64 KiB, and how many bytes are behind.
 */
export async function readXml(
  file: FileBytes,
  offset: number,
): Promise<{ readonly kind: string; readonly text: string; readonly behind: number }> {
  if (offset === 0) return { kind: 'TX', text: '', behind: 0 };
  const { kind, data, dataLength } = await readBlock(file, offset, ['TX', 'MD'], longestText);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const end = bytes.indexOf(0);
  // A character that is cut off at the end is left out.
  const text = new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end), { stream: true });
  return { kind, text, behind: end < 0 ? dataLength - bytes.length : 0 };
}

/** The text of a block TX; of a block MD, which is XML, what stands in `<TX>`. Empty where there is no block. */
export async function readText(file: FileBytes, offset: number): Promise<string> {
  return plainName(await readWritten(file, offset));
}

/** The same with its control characters and the spaces round it. */
export async function readWritten(file: FileBytes, offset: number): Promise<string> {
  const { kind, text } = await readXml(file, offset);
  return kind === 'TX' ? text : textOfXml(text);
}
