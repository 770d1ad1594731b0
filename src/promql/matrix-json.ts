import { type Decimals, longestNumber, putDouble } from '../wire/json/json-number-writer.ts';
import { type JsonWriter, makeRoom, takeReady, writeText } from '../wire/json/json-writer.ts';
import { metric, secondsText } from './answer-texts.ts';
import { valueText } from './decimal-text.ts';
import { type Grid, type Series, timeAt } from './values.ts';

/** The points that are written between two looks at what is full. */
const pointsOfRun = 256;

const comma = 0x2c;
const quote = 0x22;
const closing = 0x5d;

/** Writes the series of a matrix with commas between them, and gives what is full. Numbers go straight into bytes. */
export function* matrixSeries(out: JsonWriter, all: readonly Series[], grid: Grid): Generator<Buffer> {
  const times = timesOf(grid);
  let before = '';
  for (const { labels, values, present } of all) {
    writeText(out, `${before}{"metric":${metric(labels)},"values":[`);
    before = ']},';
    const first = present.indexOf(1);
    const decimals = { guess: 0 };
    for (let from = first; from < values.length; from += pointsOfRun) {
      writePoints(out, { values, present, times, decimals, first }, from);
      yield* takeReady(out);
    }
  }
  if (before !== '') writeText(out, ']}');
}

/** `[seconds,"` for each time of a grid. All series share them. */
interface Times {
  /** The bytes as they are copied, four at once: as many words for each, whatever its length. */
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly wordsOfOne: number;
}

function timesOf(grid: Grid): Times {
  const texts = Array.from({ length: grid.count }, (_, i) => `[${secondsText(timeAt(grid, i))},"`);
  const lengths = Uint8Array.from(texts, ({ length }) => length);
  const wordsOfOne = Math.ceil(lengths.reduce((most, length) => Math.max(most, length), 0) / 4);
  const words = new Uint32Array(wordsOfOne * grid.count);
  const bytes = Buffer.alloc(4 * wordsOfOne);
  texts.forEach((text, i) => {
    bytes.write(text, 'latin1');
    for (let word = 0; word < wordsOfOne; word++) words[i * wordsOfOne + word] = bytes.readUInt32BE(4 * word);
  });
  return { words, lengths, wordsOfOne };
}

interface Points extends Pick<Series, 'values' | 'present'> {
  readonly times: Times;
  readonly decimals: Decimals;
  /** The first step that has a value. */
  readonly first: number;
}

/** Writes the points of a run of steps. */
function writePoints(
  out: JsonWriter,
  { values, present, times, decimals, first }: Points,
  from: number,
): void {
  const { words, lengths, wordsOfOne } = times;
  const end = Math.min(values.length, from + pointsOfRun);
  makeRoom(out, (end - from) * (4 * wordsOfOne + longestNumber + 3));
  const { bytes, view } = out;
  let { at } = out;
  for (let i = from; i < end; i++) {
    if (present[i] === 0) continue;
    if (i > first) bytes[at++] = comma;
    const start = i * wordsOfOne;
    for (let word = 0; word < wordsOfOne; word++) view.setUint32(at + 4 * word, words[start + word]!);
    at = putValue(out, at + lengths[i]!, values[i]!, decimals);
    bytes[at] = quote;
    bytes[at + 1] = closing;
    at += 2;
  }
  out.at = at;
}

/** The same as `valueText`. */
function putValue(out: JsonWriter, at: number, value: number, decimals: Decimals): number {
  const size = Math.abs(value);
  if ((size >= 1e-6 && size < 1e15) || value === 0) return putDouble(out, at, value, decimals);
  return at + out.bytes.write(valueText(value), at, 'latin1');
}
