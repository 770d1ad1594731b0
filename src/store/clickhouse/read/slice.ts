import { Kind, type ParameterKey } from '../../../domain/parameter-data.ts';
import type { StreamKey } from '../../../domain/stream.ts';
import { type TagSet, tagSetOfKey } from '../../../domain/tags.ts';
import type { Strings } from './byte-reader.ts';
import { type NativeAnswerBlock, valuesOf } from './native-answer.ts';

/**
 * The values of a slice of time as ClickHouse gave them, one after another in any order: columns that are cheap to
 * sort by. Value i is at `offsets[i]` ns from the start of its window of 2^52 ns, so that doubles hold every time.
 */
export interface Slice {
  /** By the number of the window. */
  readonly windows: ReadonlyMap<number, SliceWindow>;
  readonly streams: readonly StreamKey[];
  readonly tagSets: readonly TagSet[];
  /** What makes a row besides its time. */
  readonly identities: readonly Identity[];
  readonly values: number;
}

export interface Identity {
  /** Indexes into the slice's streams and tag sets. */
  readonly stream: number;
  readonly tags: number;
}

export interface SliceWindow {
  count: number;
  offsets: Float64Array;
  identities: Uint32Array;
  /** Indexes into the plan's parameters. */
  parameters: Uint16Array;
  numbers: Float64Array;
  /** Of strings, binaries and events: which of `texts`, and which string of it. */
  chunks: Uint32Array;
  places: Uint32Array;
  readonly texts: Strings[];
}

export interface SliceBuilder {
  add(block: NativeAnswerBlock): void;
  readonly values: number;
  /** Of strings, binaries and events. */
  readonly textBytes: number;
  build(): Slice;
}

/** Times of a window, ns, and how many of the upper half of a time's bits are its offset's. */
export const windowBits = 52n;
const upperBits = 20;
const upperMask = 2 ** upperBits - 1;

/**
 * Takes blocks of timestamp, topic, stream, tags, parameter, kind, number and, where `hasTexts`, text. Topics
 * are named as they come: folded.
 */
export function sliceBuilder(parameters: readonly ParameterKey[], hasTexts: boolean): SliceBuilder {
  const windows = new Map<number, SliceWindow>();
  const streams = numbering<StreamKey>();
  const tagSets = numbering<TagSet>();
  const identities = numbering<Identity>();
  const places = new Map(parameters.map(({ kind, name }, i) => [`${kind}:${name}`, i]));
  let values = 0;
  let textBytes = 0;

  function add(block: NativeAnswerBlock): void {
    const { rows } = block;
    const times = valuesOf(block, 0, 'integers');
    const topics = valuesOf(block, 1, 'keys');
    const ids = valuesOf(block, 2, 'keys');
    const tags = valuesOf(block, 3, 'keys');
    const names = valuesOf(block, 4, 'keys');
    const kinds = valuesOf(block, 5, 'bytes');
    const numbers = valuesOf(block, 6, 'doubles');
    const texts = hasTexts ? valuesOf(block, 7, 'strings') : undefined;
    const words = new Int32Array(times.buffer, times.byteOffset, 2 * rows);
    const parameterOf = memo((name, kind) => places.get(`${kind}:${names.texts[name]}`)!);
    const identityOf = memo((stream, set) => {
      const streamId = ids.texts[Math.floor(stream / topics.texts.length)]!;
      const topic = topics.texts[stream % topics.texts.length]!;
      const key = tags.texts[set]!;
      const identity = {
        stream: streams.of(JSON.stringify([streamId, topic]), () => ({ streamId, topic })),
        tags: tagSets.of(key, () => tagSetOfKey(key)),
      };
      return identities.of(`${identity.stream}:${identity.tags}`, () => identity);
    });

    let window: SliceWindow | undefined;
    let number = 0;
    let chunk = 0;
    for (let row = 0; row < rows; row++) {
      const high = words[2 * row + 1]!;
      if (window === undefined || high >> upperBits !== number) {
        number = high >> upperBits;
        window = windowOf(windows, number, hasTexts);
        chunk = texts === undefined ? 0 : window.texts.push(texts) - 1;
      }
      const i = window.count++;
      if (i === window.offsets.length) enlarge(window);
      window.offsets[i] = (high & upperMask) * 2 ** 32 + (words[2 * row]! >>> 0);
      window.identities[i] = identityOf(
        ids.index[row]! * topics.texts.length + topics.index[row]!,
        tags.index[row]!,
      );
      window.parameters[i] = parameterOf(names.index[row]!, kinds[row]!);
      window.numbers[i] = numbers[row]!;
      if (texts !== undefined) {
        window.chunks[i] = chunk;
        window.places[i] = row;
      }
    }
    values += rows;
    textBytes += texts?.bytes.length ?? 0;
  }

  return {
    add,
    get values() {
      return values;
    },
    get textBytes() {
      return textBytes;
    },
    build: () => ({
      windows,
      streams: streams.all,
      tagSets: tagSets.all,
      identities: identities.all,
      values,
    }),
  };
}

/** Whether some of the values that are asked for are no numbers. */
export function asksTexts(parameters: readonly ParameterKey[]): boolean {
  return parameters.some(({ kind }) => kind !== Kind.Numeric);
}

/** Things numbered from 0 as they come, by a text that tells them apart. */
function numbering<Thing>() {
  const numbers = new Map<string, number>();
  const all: Thing[] = [];
  return {
    all,
    of(key: string, make: () => Thing): number {
      let number = numbers.get(key);
      if (number === undefined) {
        number = all.push(make()) - 1;
        numbers.set(key, number);
      }
      return number;
    },
  };
}

/** A function of two indexes that is asked once for each pair; neighbouring rows mostly have the same. */
function memo(find: (a: number, b: number) => number): (a: number, b: number) => number {
  const known = new Map<number, number>();
  let lastA = -1;
  let lastB = -1;
  let last = -1;
  return (a, b) => {
    if (a === lastA && b === lastB) return last;
    const key = a * 2 ** 21 + b;
    let found = known.get(key);
    if (found === undefined) {
      found = find(a, b);
      known.set(key, found);
    }
    lastA = a;
    lastB = b;
    last = found;
    return found;
  };
}

function windowOf(windows: Map<number, SliceWindow>, number: number, hasTexts: boolean): SliceWindow {
  const known = windows.get(number);
  if (known !== undefined) return known;
  const room = 1024;
  const window: SliceWindow = {
    count: 0,
    offsets: new Float64Array(room),
    identities: new Uint32Array(room),
    parameters: new Uint16Array(room),
    numbers: new Float64Array(room),
    chunks: new Uint32Array(hasTexts ? room : 0),
    places: new Uint32Array(hasTexts ? room : 0),
    texts: [],
  };
  windows.set(number, window);
  return window;
}

function enlarge(window: SliceWindow): void {
  const length = 2 * window.offsets.length;
  const larger = <Values extends Float64Array | Uint32Array | Uint16Array>(values: Values): Values => {
    const copy = new (values.constructor as new (length: number) => Values)(length);
    copy.set(values);
    return copy;
  };
  window.offsets = larger(window.offsets);
  window.identities = larger(window.identities);
  window.parameters = larger(window.parameters);
  window.numbers = larger(window.numbers);
  if (window.chunks.length > 0) {
    window.chunks = larger(window.chunks);
    window.places = larger(window.places);
  }
}
