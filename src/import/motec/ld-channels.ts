import { type ChannelNames, channelNames, plainName } from '../channel-names.ts';
import { type FileBytes, FileFault, readPiece } from '../file-bytes.ts';
import { readText, readWritten } from './ld-head.ts';

/**
 * The description of a channel in a MoTeC log, little-endian, each with the place of the next:
 *
 *   0x00  uint32    where the channel before is described, 0 in the first
 *   0x04  uint32    where the next one is described, 0 in the last
 *   0x08  uint32    where its samples are
 *   0x0c  uint32    how many
 *   0x12  uint16    kind of number: 7 floating, 0, 3 or 5 whole with a sign
 *   0x14  uint16    bytes of a sample: 2 or 4
 *   0x16  uint16    samples a second
 *   0x18  int16     shift
 *   0x1a  int16     multiplier
 *   0x1c  int16     scale
 *   0x1e  int16     decimal places
 *   0x20  char[32]  name, then char[8] short name, char[12] unit
 *
 * A value is (sample / scale × 10^−places + shift) × multiplier.
 */
export interface LdChannel {
  readonly name: string;
  readonly unit: string;
  /** Samples a second. */
  readonly rate: number;
  readonly samples: number;
  /** Where the samples are. */
  readonly offset: number;
  readonly form: SampleForm;
  readonly shift: number;
  readonly multiplier: number;
  readonly scale: number;
  readonly places: number;
}

export type SampleForm = 'int16' | 'int32' | 'float16' | 'float32';

export const bytesOf: Readonly<Record<SampleForm, number>> = { int16: 2, int32: 4, float16: 2, float32: 4 };

const described = 0x54;
/** The most channels of a file: more than any logger has; a longer chain goes in a circle. */
const mostChannels = 20_000;

/** The highest power of ten that is exact. */
const mostPlaces = 22;

export interface FoundChannels {
  readonly channels: readonly LdChannel[];
  /** Names of channels whose samples nobody has described. */
  readonly leftOut: readonly string[];
  readonly notes: readonly string[];
}

/** Throws a FileFault. */
export async function readChannels(file: FileBytes, first: number): Promise<FoundChannels> {
  const channels: LdChannel[] = [];
  const leftOut: string[] = [];
  const names = channelNames();
  const seen = new Set<number>();
  let sampleBytes = 0;
  for (let offset = first; offset !== 0; ) {
    if (seen.has(offset)) throw new FileFault('the channels go in a circle: this one comes twice', offset);
    if (seen.add(offset).size > mostChannels) {
      throw new FileFault(`there are more than ${mostChannels} channels`, offset);
    }
    const view = await readPiece(file, offset, described, `channel ${seen.size}`);
    const name = nameOf(view, offset, seen.size, names);
    const form = formOf(view.getUint16(0x12, true), view.getUint16(0x14, true));
    if (form === undefined) leftOut.push(name);
    else {
      const channel = channelOf(file, view, offset, name, form);
      channels.push(channel);
      sampleBytes += channel.samples * bytesOf[form];
    }
    // Else a small file could be made to give rows without end.
    if (sampleBytes > file.size)
      throw new FileFault(`channel ${name} has samples of other channels`, offset + 0x08);
    offset = view.getUint32(0x04, true);
  }
  return { channels, leftOut, notes: names.notes() };
}

function channelOf(
  file: FileBytes,
  view: DataView,
  offset: number,
  name: string,
  form: SampleForm,
): LdChannel {
  const channel = {
    name,
    unit: readText(view, 0x48, 12),
    rate: view.getUint16(0x16, true),
    samples: view.getUint32(0x0c, true),
    offset: view.getUint32(0x08, true),
    form,
    shift: view.getInt16(0x18, true),
    multiplier: view.getInt16(0x1a, true),
    scale: view.getInt16(0x1c, true),
    places: view.getInt16(0x1e, true),
  };
  const place = `channel ${name}`;
  const end = channel.offset + channel.samples * bytesOf[form];
  if (end > file.size) {
    throw new FileFault(
      `${place} has ${channel.samples} samples up to byte ${end}, and the file has ${file.size} bytes`,
      offset + 0x0c,
    );
  }
  if (channel.rate === 0 && channel.samples > 0) {
    throw new FileFault(`${place} has samples and no rate`, offset + 0x16);
  }
  if (Math.abs(channel.places) > mostPlaces) {
    throw new FileFault(`${place} has ${channel.places} decimal places`, offset + 0x1e);
  }
  if (channel.multiplier === 0) throw new FileFault(`${place} has the multiplier 0`, offset + 0x1a);
  if (channel.scale === 0) throw new FileFault(`${place} has the scale 0`, offset + 0x1c);
  return channel;
}

function nameOf(view: DataView, offset: number, number: number, names: ChannelNames): string {
  const written = [readWritten(view, 0x20, 32), readWritten(view, 0x40, 8), `Channel ${number}`];
  return names.nameFor(written.find((one) => plainName(one) !== '')!, offset);
}

function formOf(kind: number, bytes: number): SampleForm | undefined {
  if (kind === 7) return bytes === 4 ? 'float32' : bytes === 2 ? 'float16' : undefined;
  if (![0, 3, 5].includes(kind)) return undefined;
  return bytes === 4 ? 'int32' : bytes === 2 ? 'int16' : undefined;
}
