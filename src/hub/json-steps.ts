import { JsonText, Sequence } from '../live/sequence.ts';
import { type Decimals, longestNumber, putDouble } from '../wire/json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  makeRoom,
  takeReady,
  takeRest,
  writeBase64,
  writeEscaped,
  writeText,
} from '../wire/json-writer.ts';
import type { Steps } from '../wire/steps.ts';
import { isSequence } from './json-value.ts';

/** The text of `jsonOf`, and of sequences and JSON in text, in steps of a fraction of a millisecond. */
export interface JsonSteps {
  readonly out: JsonWriter;
  readonly int64AsString: boolean;
}

/** Values of a step. */
const stepValues = 1000;
/** JSON that goes into text is escaped in pieces of so many bytes. */
const pieceBytes = 2048;

export function* writeJson(to: JsonSteps, value: unknown): Steps<void> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) {
    writeLeaf(to, value, { guess: 0 });
  } else if (value instanceof JsonText) {
    yield* writeJsonText(to.out, value);
  } else if (value instanceof Sequence || isSequence(value)) {
    yield* writeList(to, value as Sequence | readonly unknown[]);
  } else {
    writeText(to.out, '{');
    let isFirst = true;
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      writeText(to.out, `${isFirst ? '' : ','}${JSON.stringify(name)}:`);
      isFirst = false;
      if (isLeaf(member)) writeLeaf(to, member, { guess: 0 });
      else yield* writeJson(to, member);
    }
    writeText(to.out, '}');
  }
}

function* writeList(to: JsonSteps, list: Sequence | readonly unknown[]): Steps<void> {
  const { out } = to;
  const decimals = { guess: 0 };
  writeText(out, '[');
  for (let from = 0; from < list.length; from += stepValues) {
    if (from > 0) yield;
    const some = list.slice(from, Math.min(list.length, from + stepValues));
    for (let i = 0; i < some.length; i++) {
      const element = some[i];
      if (from + i > 0) writeText(out, ',');
      if (isLeaf(element)) writeLeaf(to, element, decimals);
      else {
        yield* writeJson(to, element);
        if (i % 32 === 31) yield;
      }
    }
  }
  writeText(out, ']');
}

function* writeJsonText(out: JsonWriter, { value }: JsonText): Steps<void> {
  writeText(out, '"');
  for (const chunk of yield* jsonChunks(value, false)) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      writeEscaped(out, chunk, at, Math.min(chunk.length, at + pieceBytes));
    }
    yield;
  }
  writeText(out, '"');
}

/** The JSON of a value as pieces of memory. */
export function* jsonChunks(value: unknown, int64AsString: boolean): Steps<Buffer[]> {
  const out = createJsonWriter();
  yield* writeJson({ out, int64AsString }, value);
  return [...takeReady(out), ...takeRest(out)];
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array;
}

function writeLeaf({ out, int64AsString }: JsonSteps, value: unknown, decimals: Decimals): void {
  switch (typeof value) {
    case 'string':
      writeText(out, JSON.stringify(value));
      break;
    case 'number':
      makeRoom(out, longestNumber);
      out.at = putDouble(out.bytes, out.at, value, decimals);
      break;
    case 'bigint':
      writeText(out, int64AsString ? `"${value}"` : String(value));
      break;
    case 'boolean':
      writeText(out, String(value));
      break;
    default:
      if (value instanceof Uint8Array) writeBase64(out, value, 0, value.length);
      else writeText(out, 'null');
  }
}
