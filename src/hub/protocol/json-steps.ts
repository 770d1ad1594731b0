import { JsonText, Sequence } from '../../live/sequence.ts';
import type { Steps } from '../../turns/steps.ts';
import { type Decimals, longestNumber, putDouble } from '../../wire/json/json-number-writer.ts';
import {
  createJsonWriter,
  type JsonWriter,
  makeRoom,
  takeReady,
  takeRest,
  writeBase64,
  writeEscaped,
  writeText,
} from '../../wire/json/json-writer.ts';
import { isSequence, membersOf } from './json-value.ts';
import { type Effort, effortOfLong, endsStep, noEffort, piecesOf } from './step-effort.ts';

/** The text of `jsonOf`, and of sequences, members and JSON in text, in steps of a fraction of a millisecond. */
export interface JsonSteps {
  readonly out: JsonWriter;
  readonly int64AsString: boolean;
  readonly effort: Effort;
}

/** The size of the pieces in which JSON that goes into text is escaped. */
const pieceBytes = 2048;

export function jsonSteps(out: JsonWriter, int64AsString: boolean): JsonSteps {
  return { out, int64AsString, effort: noEffort() };
}

export function* writeJson(to: JsonSteps, value: unknown): Steps<void> {
  if (isLeaf(value)) writeLeaf(to, value, { guess: 0 });
  else if (value instanceof JsonText) yield* writeJsonText(to.out, value);
  else if (value instanceof Sequence || isSequence(value as object))
    yield* writeList(to, value as Sequence | readonly unknown[]);
  else yield* writeMembers(to, value as object);
}

function* writeMembers(to: JsonSteps, object: object): Steps<void> {
  let isFirst = true;
  writeText(to.out, '{');
  for (const entry of membersOf(object)) {
    if (entry === undefined) {
      yield;
      continue;
    }
    const [name, member] = entry;
    if (member === undefined) continue;
    writeText(to.out, `${isFirst ? '' : ','}${JSON.stringify(name)}:`);
    isFirst = false;
    to.effort.spent++;
    if (isLeaf(member)) writeLeaf(to, member, { guess: 0 });
    else yield* writeJson(to, member);
    if (endsStep(to.effort)) yield;
  }
  writeText(to.out, '}');
}

function* writeList(to: JsonSteps, list: Sequence | readonly unknown[]): Steps<void> {
  const decimals = { guess: 0 };
  let isFirst = true;
  writeText(to.out, '[');
  for (const [from, end] of piecesOf(list, to.effort)) {
    const piece = list.slice(from, end);
    to.effort.spent += piece.length;
    for (let i = 0; i < piece.length; i++) {
      const element = piece[i];
      if (element === undefined) continue;
      if (!isFirst) writeText(to.out, ',');
      isFirst = false;
      if (isLeaf(element)) writeLeaf(to, element, decimals);
      else {
        yield* writeJson(to, element);
        if (endsStep(to.effort)) yield;
      }
    }
    if (endsStep(to.effort)) yield;
  }
  writeText(to.out, ']');
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
  yield* writeJson(jsonSteps(out, int64AsString), value);
  return [...takeReady(out), ...takeRest(out)];
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Uint8Array;
}

function writeLeaf({ out, int64AsString, effort }: JsonSteps, value: unknown, decimals: Decimals): void {
  switch (typeof value) {
    case 'string':
      effort.spent += effortOfLong(value);
      writeText(out, JSON.stringify(value));
      break;
    case 'number':
      makeRoom(out, longestNumber);
      out.at = putDouble(out, out.at, value, decimals);
      break;
    case 'bigint':
      writeText(out, int64AsString ? `"${value}"` : String(value));
      break;
    case 'boolean':
      writeText(out, String(value));
      break;
    default:
      if (value instanceof Uint8Array) {
        effort.spent += effortOfLong(value);
        writeBase64(out, value, 0, value.length);
      } else writeText(out, 'null');
  }
}
