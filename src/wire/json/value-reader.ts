import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import { type JsonMemory, ValueBytes } from './json-memory.ts';
import { beyondDouble, readNumber } from './json-number.ts';
import {
  Byte,
  describeNext,
  nextElement,
  nextMember,
  openArray,
  openObject,
  peek,
  readWord,
  type Scan,
} from './json-scanner.ts';
import { readKey, readString } from './json-string.ts';
import { type JsonNumber, type JsonValue, memberPath } from './json-value.ts';

/** One value after another, each as deep as it may be. Its own stack lets it stop between any two values. */
export interface Reader {
  readonly scan: Scan;
  readonly memory: JsonMemory;
  /** The innermost object or array that has begun and not ended. */
  open: Open | undefined;
  /** Which element of the body is read; -1 where it is the whole body. */
  index: number;
  /** How many values may be read before it stops. */
  left: number;
  /** The last one that was read whole. */
  value: JsonValue;
}

/** An object whose member `name` is read, or an array whose next element is. */
interface Open {
  readonly members: Map<string, JsonValue> | undefined;
  readonly elements: JsonValue[];
  name: string;
  readonly outer: Open | undefined;
}

export function createReader(scan: Scan, memory: JsonMemory): Reader {
  return { scan, memory, open: undefined, index: -1, left: Number.POSITIVE_INFINITY, value: null };
}

/** Counts what is about to be made. */
function take(reader: Reader, bytes: number): void {
  const { memory } = reader;
  memory.left -= bytes;
  if (memory.left < 0) memory.more(() => pathOf(reader));
}

/** Reads `left` values at most, those within others counted; true when the outermost one is whole. */
export function readOn(reader: Reader): boolean {
  const { scan } = reader;
  while (reader.left-- > 0) {
    let value: JsonValue;
    switch (peek(scan)) {
      case Byte.OpenObject: {
        take(reader, ValueBytes.Object);
        const members = new Map<string, JsonValue>();
        if (openObject(scan)) {
          reader.open = { members, elements: noElements, name: '', outer: reader.open };
          beginMember(reader, reader.open, members);
          continue;
        }
        value = members;
        break;
      }
      case Byte.OpenArray: {
        take(reader, ValueBytes.Array);
        const elements: JsonValue[] = [];
        if (openArray(scan)) {
          reader.open = { members: undefined, elements, name: '', outer: reader.open };
          take(reader, ValueBytes.Element);
          continue;
        }
        value = elements;
        break;
      }
      case Byte.Quote:
        value = readText(reader);
        break;
      default:
        value = describeNext(scan) === 'a number' ? readJsonNumber(reader) : readLiteral(scan);
    }
    for (;;) {
      const { open } = reader;
      if (open === undefined) {
        reader.value = value;
        return true;
      }
      const { members, elements } = open;
      if (members !== undefined) {
        members.set(open.name, value);
        if (nextMember(scan)) {
          beginMember(reader, open, members);
          break;
        }
        value = members;
      } else {
        elements.push(value);
        if (nextElement(scan)) {
          take(reader, ValueBytes.Element);
          break;
        }
        value = elements;
      }
      reader.open = open.outer;
    }
  }
  return false;
}

const noElements: JsonValue[] = [];

/** Reads the name of the next member of the innermost object. */
function beginMember(reader: Reader, object: Open, members: ReadonlyMap<string, JsonValue>): void {
  const { scan } = reader;
  const start = scan.at;
  const name = readKey(scan);
  if (members.has(name)) {
    reader.open = object.outer;
    throw fault('duplicate_property', pathOf(reader), `has the property ${excerpt(name)} twice`);
  }
  object.name = name;
  take(reader, ValueBytes.Member + ValueBytes.Text + scan.at - start);
}

function readText(reader: Reader): string {
  const { scan } = reader;
  const start = scan.at;
  const text = readString(scan);
  take(reader, ValueBytes.Text + scan.at - start);
  return text;
}

function readJsonNumber(reader: Reader): JsonNumber {
  const { scan } = reader;
  const start = scan.at;
  const value = readNumber(scan);
  if (!Number.isFinite(value)) throw fault('invalid_value', pathOf(reader), beyondDouble);
  take(reader, ValueBytes.Number + scan.at - start);
  return { text: scan.bytes.toString('latin1', start, scan.at), value };
}

/** Where in the body the value is that is being read. */
function pathOf({ index, open }: Reader): string {
  const body = index < 0 ? '' : `[${index}]`;
  const pathIn = (place: Open | undefined): string => {
    if (place === undefined) return body;
    const { members, elements, name, outer } = place;
    return members === undefined ? `${pathIn(outer)}[${elements.length}]` : memberPath(pathIn(outer), name);
  };
  return pathIn(open);
}

function readLiteral(scan: Scan): null | boolean {
  switch (peek(scan)) {
    case 0x74:
      readWord(scan, 'true');
      return true;
    case 0x66:
      readWord(scan, 'false');
      return false;
    default:
      readWord(scan, 'null');
      return null;
  }
}
