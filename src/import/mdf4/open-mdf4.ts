import { channelNames } from '../channel-names.ts';
import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { type LoggedFile, type LoggedRow, type LoggedTable, latestStart } from '../logged-file.ts';
import {
  type Block,
  type ChainBlocks,
  needData,
  numberAt,
  readBlock,
  readChain,
  readText,
} from './blocks.ts';
import { type ChannelOfGroup, channelBlocks, type Master, readGroupChannels } from './channels.ts';
import { dataBytes, dataPieces } from './data-pieces.ts';

const mostGroups = 100_000;
/** The longest record, in bytes: one is in memory at least. */
const longestRecord = 16 << 20;
/** No deflated byte stands for more. */
const mostCompressed = 1100;
const headerAt = 64;
/** Some writers fill blocks up to places that this divides. */
const alignment = 8;

/**
 * An MDF4 file: its blocks are read, records are read when they are asked for. Each channel group is a table. Read are
 * sorted files, in which a data group has one channel group, with a master channel of time. The number of records counts:
 * writers reserve room for more, and what stands there is named in `leftOut`. Throws a FileFault.
 */
export async function openMdf4(file: FileBytes): Promise<LoggedFile> {
  await checkIdentification(file);
  const header = await readBlock(file, headerAt, ['HD']);
  needData(header, 13, 6);
  const start = startOf(header);
  const tables: LoggedTable[] = [];
  const leftOut: string[] = [];
  const names = channelNames();
  const channelChain = channelBlocks();
  const groupChain = chainOf('CG', 32, 6);
  const dataSeen = new Set<number>();
  let mostBytes = file.size * mostCompressed;
  let allRecords = 0;
  const groups = await readChain(file, header.links[0]!, chainOf('DG', 1, 4));
  for (const [place, group] of groups.entries()) {
    const [found, ...others] = await readChain(file, group.links[1]!, groupChain);
    if (found === undefined) continue;
    if (others.length > 0 || group.data.getUint8(0) !== 0) {
      throw new FileFault(
        'the records of several groups are mixed here; only sorted files are read',
        group.offset,
      );
    }
    const records = numberAt(found.data, 8, found.dataOffset);
    const recordBytes = found.data.getUint32(24, true);
    const invalidBytes = found.data.getUint32(28, true);
    const behind =
      (await dataBytes(file, group.links[2]!, dataSeen)) - records * (recordBytes + invalidBytes);
    if (behind >= Math.max(recordBytes + invalidBytes, alignment))
      leftOut.push(`${behind} bytes behind the ${records} records of group ${place + 1}`);
    allRecords += records;
    if (records === 0) continue;
    mostBytes -= records * (recordBytes + invalidBytes);
    if (mostBytes < 0 || recordBytes === 0) {
      throw new FileFault(
        `${records} records of ${recordBytes} bytes are more than the file can hold`,
        found.offset,
      );
    }
    if (recordBytes + invalidBytes > longestRecord) {
      throw new FileFault(
        `a record has ${recordBytes + invalidBytes} bytes; ${longestRecord} are read at most`,
        found.offset,
      );
    }
    const {
      master,
      channels,
      others: unread,
    } = await readGroupChannels(file, found, recordBytes, channelChain, names);
    leftOut.push(...unread);
    if (master === undefined) leftOut.push(...channels.map(({ name }) => name));
    if (master === undefined || channels.length === 0) continue;
    tables.push(
      tableOf(file, group.links[2]!, { records, width: recordBytes + invalidBytes, master, channels, start }),
    );
  }
  // What wrote it may have broken off before it set the numbers.
  if (allRecords === 0 && leftOut.length > 0)
    throw new FileFault(
      `there are no records, as the file says, and there is data of them: ${leftOut[0]}`,
      headerAt,
    );
  return { tables, tags: [], metadata: await metadataOf(file, header), start, leftOut };
}

function chainOf(kind: string, bytes: number, links: number): ChainBlocks {
  return { kind, size: { bytes, links }, most: mostGroups, seen: new Set() };
}

async function checkIdentification(file: FileBytes): Promise<void> {
  const id = await readPiece(file, 0, headerAt, 'the head of an MDF file');
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

async function metadataOf(file: FileBytes, { links }: Block): Promise<Record<string, string>> {
  const comment = await readText(file, links[5]!);
  return comment === '' ? {} : { comment };
}

interface Group {
  readonly records: number;
  /** Bytes of a record. */
  readonly width: number;
  readonly master: Master;
  readonly channels: readonly ChannelOfGroup[];
  readonly start: bigint;
}

function tableOf(file: FileBytes, data: number, group: Group): LoggedTable {
  const { records, width, master, channels, start } = group;
  return {
    channels,
    rows: records,
    async *read(): AsyncGenerator<LoggedRow> {
      const rowOf = (bytes: Uint8Array, at: number): LoggedRow => {
        const record = new DataView(bytes.buffer, bytes.byteOffset + at, width);
        return {
          time: start + nanoseconds(master(record, row), row),
          values: channels.map((channel) => channel.read(record)),
          tags: [],
        };
      };
      /** A record that began in pieces before. */
      const begun = new Uint8Array(width);
      let done = 0;
      let row = 0;
      for await (const piece of dataPieces(file, data)) {
        let at = 0;
        if (done > 0) {
          at = Math.min(width - done, piece.length);
          begun.set(piece.subarray(0, at), done);
          done += at;
          if (done < width) continue;
          yield rowOf(begun, 0);
          row++;
        }
        for (; at + width <= piece.length && row < records; at += width, row++) yield rowOf(piece, at);
        if (row === records) return;
        begun.set(piece.subarray(at));
        done = piece.length - at;
      }
      if (row < records) throw new FileFault(`there are ${row} records of ${records}`, data);
    },
  };
}

/** The longest recording, seconds: thirty years. */
const longest = 1e9;

function nanoseconds(seconds: number, row: number): bigint {
  if (!(Math.abs(seconds) <= longest))
    throw new FileFault(`record ${row + 1} has the time ${seconds} s`, undefined);
  const whole = Math.trunc(seconds);
  return BigInt(whole) * 1_000_000_000n + BigInt(Math.round((seconds - whole) * 1e9));
}
