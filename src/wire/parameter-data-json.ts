import {
  type BytesColumn,
  type Column,
  isPresent,
  Kind,
  type NumericColumn,
  type ParameterKey,
} from '../domain/parameter-data.ts';
import { type TagSet, tagValue } from '../domain/tags.ts';
import { splitBase, writeDouble, writeTimestamp } from './json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  takeReady,
  takeRest,
  writeBase64,
  writeBytes,
  writeText,
  writeUtf8,
} from './json-writer.ts';

/**
 * The answer of `/parameters/data` (contract, section 4): columns over shared timestamps, all maps always there.
 *
 *   { "timestamps": [int64, ...],
 *     "numericValues": { name: [double | "NaN" | "Infinity" | "-Infinity" | null, ...] },
 *     "stringValues":  { name: [string | null, ...] },
 *     "binaryValues":  { name: [base64 | null, ...] },
 *     "tagValues":     { tag: [string | null, ...] } }
 *
 * Every parameter asked for is there, also where no row has it; `tagValues` holds the tags of groupBy.
 */
export interface EncodeOptions {
  /** Names of tags, and the pseudo-tags `streamId` and `topic`. Distinct. */
  readonly groupBy: readonly string[];
  /** Timestamps as strings of digits. */
  readonly int64AsString: boolean;
}

/** Rows of an answer with a column (or undefined, all null) per parameter; the blocks of a store have this shape. */
export interface AnswerBlock {
  readonly count: number;
  readonly base: bigint;
  /** Whole nanoseconds, magnitude below 2^53. */
  readonly offsets: Float64Array;
  /** Per row an index into `streams`; undefined means every row is of `streams[0]`. */
  readonly streamIndex: Uint32Array | undefined;
  readonly streams: readonly { readonly topic: string; readonly streamId: string }[];
  /** Per row an index into `tagSets`; undefined means every row has `tagSets[0]`. */
  readonly tagIndex: Uint32Array | undefined;
  readonly tagSets: readonly TagSet[];
  readonly columns: readonly (Column | undefined)[];
}

/** Chunks of about 64 KiB, each the receiver's own. The blocks must stay as they are until the last one. */
export function* encodeParameterData(
  blocks: readonly AnswerBlock[],
  parameters: readonly ParameterKey[],
  { groupBy, int64AsString }: EncodeOptions,
): Generator<Uint8Array> {
  const out = createJsonWriter();
  writeText(out, '{"timestamps":');
  yield* writeArray(out, blocks, (block) => {
    const base = splitBase(block.base);
    return (row) => writeTimestamp(out, base, block.offsets[row]!, int64AsString);
  });
  for (const [kind, group] of groups) {
    writeText(out, `,"${group}":{`);
    let separator = '';
    for (const [i, parameter] of parameters.entries()) {
      if (parameter.kind !== kind) continue;
      writeText(out, `${separator}${JSON.stringify(parameter.name)}:`);
      separator = ',';
      yield* writeArray(out, blocks, (block) => cellWriter(out, block.columns[i]));
    }
    writeText(out, '}');
  }
  writeText(out, ',"tagValues":{');
  for (const [i, tag] of groupBy.entries()) {
    writeText(out, `${i === 0 ? '' : ','}${JSON.stringify(tag)}:`);
    yield* writeArray(out, blocks, (block) => tagWriter(out, block, tag));
  }
  writeText(out, '}}');
  yield* takeRest(out);
}

const groups = [
  [Kind.Numeric, 'numericValues'],
  [Kind.String, 'stringValues'],
  [Kind.Binary, 'binaryValues'],
] as const;

type CellWriter = (row: number) => void;

/** An array with an element per row of all blocks. Gives the chunks that are full on the way. */
function* writeArray(
  out: JsonWriter,
  blocks: readonly AnswerBlock[],
  writerOf: (block: AnswerBlock) => CellWriter,
): Generator<Uint8Array> {
  let separator = '[';
  for (const block of blocks) {
    const writeCell = writerOf(block);
    for (let from = 0; from < block.count; from += rowsBetweenYields) {
      writeCells(out, writeCell, from, Math.min(block.count, from + rowsBetweenYields), separator);
      separator = ',';
      yield* takeReady(out);
    }
  }
  writeText(out, separator === '[' ? '[]' : ']');
}

/** Keeps the loop over rows out of the generator, which the engine runs slower. */
const rowsBetweenYields = 1024;

function writeCells(
  out: JsonWriter,
  writeCell: CellWriter,
  from: number,
  to: number,
  separator: string,
): void {
  writeText(out, separator);
  writeCell(from);
  for (let row = from + 1; row < to; row++) {
    writeBytes(out, comma);
    writeCell(row);
  }
}

const comma = Buffer.from(',');
const nothing = Buffer.from('null');

function cellWriter(out: JsonWriter, column: Column | undefined): CellWriter {
  if (column === undefined) return () => writeBytes(out, nothing);
  const write = column.kind === Kind.Numeric ? numberWriter(out, column) : bytesWriter(out, column);
  const { present } = column;
  if (present === undefined) return write;
  return (row) => (isPresent(present, row) ? write(row) : writeBytes(out, nothing));
}

function numberWriter(out: JsonWriter, { values }: NumericColumn): CellWriter {
  const decimals = { guess: 0 };
  return (row) => writeDouble(out, values[row]!, decimals);
}

function bytesWriter(out: JsonWriter, { kind, bytes, ends }: BytesColumn): CellWriter {
  const write = kind === Kind.String ? writeUtf8 : writeBase64;
  return (row) => write(out, bytes, row === 0 ? 0 : ends[row - 1]!, ends[row]!);
}

/** Few texts on many rows: each is made once. */
function tagWriter(out: JsonWriter, block: AnswerBlock, tag: string): CellWriter {
  const { index, texts } = tagTexts(block, tag);
  const json = texts.map((value) => (value === undefined ? nothing : Buffer.from(JSON.stringify(value))));
  return (row) => writeBytes(out, json[index?.[row] ?? 0]!);
}

function tagTexts({ streams, streamIndex, tagSets, tagIndex }: AnswerBlock, tag: string) {
  if (tag === 'streamId') return { index: streamIndex, texts: streams.map(({ streamId }) => streamId) };
  if (tag === 'topic') return { index: streamIndex, texts: streams.map(({ topic }) => topic) };
  return { index: tagIndex, texts: tagSets.map((set) => tagValue(set, tag)) };
}
