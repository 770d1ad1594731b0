import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { latestStart } from '../logged-file.ts';
import { createMetadata, type Metadata } from '../metadata.ts';
import { type Block, needData, readBlock, readXml } from './blocks.ts';
import { noProperties, propertiesOfXml, textOfXml } from './text-of-xml.ts';

/** What a file says of itself. */
export interface Header {
  /** Place of the first data group. */
  readonly first: number;
  /** Of the recording, ns since the Unix epoch. */
  readonly start: bigint;
  readonly metadata: Readonly<Record<string, string>>;
  readonly leftOut: readonly string[];
  readonly notes: readonly string[];
}

export const headerAt = 64;

/** Throws a FileFault for another file, and for one that was not finished. */
export async function readHeader(file: FileBytes): Promise<Header> {
  await checkIdentification(file);
  const block = await readBlock(file, headerAt, ['HD']);
  needData(block, 13, 6);
  const metadata = createMetadata();
  const leftOut = await addMetadata(file, block, metadata);
  const local = isLocal(block) ? ['the start is a local time, taken for UTC'] : [];
  return {
    first: block.links[0]!,
    start: startOf(block),
    metadata: metadata.entries,
    leftOut: [
      ...metadata.leftOut,
      ...leftOut,
      ...(block.links[3] === 0 ? [] : ['attachments']),
      ...(block.links[4] === 0 ? [] : ['events and markers']),
    ],
    notes: [...local, ...metadata.notes()],
  };
}

/** char[8] mark, char[8] version, char[8] program, 4 reserved, uint16 version. */
async function checkIdentification(file: FileBytes): Promise<void> {
  const id = await readPiece(file, 0, 64, 'the head of an MDF file');
  const text = [...new Uint8Array(id.buffer, id.byteOffset, 8)]
    .map((code) => String.fromCharCode(code))
    .join('');
  const version = id.getUint16(28, true);
  if (text === 'UnFinMF ') {
    throw new FileFault('the file was not finished by what wrote it; a tool of its maker can do that', 0);
  }
  if (text !== 'MDF     ') throw new FileFault("an MDF file begins with 'MDF     ', and this does not", 0);
  if (version < 400 || version >= 500) {
    throw new FileFault(`version ${version / 100} is not read, only 4.x`, 28);
  }
}

/**
 * Of the recording, ns since the Unix epoch: uint64 ns at 0, then the offsets of zone and summer in minutes, and flags at
 * 12, of which bit 0 says that the time is local. A local time is taken for UTC.
 */
function startOf({ data, dataOffset }: Block): bigint {
  const start = data.getBigUint64(0, true);
  if (start > latestStart) throw new FileFault(`the start, ${start} ns, is too late to be kept`, dataOffset);
  return start;
}

function isLocal({ data }: Block): boolean {
  return (data.getUint8(12) & 1) === 1;
}

/** Adds the comment and the properties beside it, such as author and project; gives what is left out of them. */
async function addMetadata(file: FileBytes, { links }: Block, metadata: Metadata): Promise<string[]> {
  const { kind, text, behind } = await readXml(file, links[5]!);
  const comment = kind === 'MD' ? textOfXml(text) : text;
  if (comment.trim() !== '') metadata.add('comment', comment.trim());
  const { properties, more } = kind === 'MD' ? propertiesOfXml(text) : noProperties;
  for (const [name, value] of properties) metadata.add(name, value);
  return [
    ...(more > 0 ? [`${more} more properties of the header`] : []),
    ...(behind > 0 ? [`${behind} bytes of the comment of the header`] : []),
  ];
}
