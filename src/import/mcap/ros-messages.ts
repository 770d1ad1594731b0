import {
  deepest,
  elementPath,
  joinPath,
  type MessageDecoder,
  MessageFault,
  mostElements,
  type ValueVisitor,
  visitText,
} from './flatten.ts';
import { parseRosSchema, type RosField, type RosSchema, rosPrimitives } from './ros-schema.ts';

/** Messages of ROS 2: CDR, whose numbers stand at multiples of their size. Throws a MessageFault. */
export function cdrDecoder(name: string, schema: string): MessageDecoder {
  const parsed = parseRosSchema(name, schema);
  return (bytes, visitor) => {
    if (bytes.length < 4) throw new MessageFault('it is shorter than its head');
    const kind = bytes[1]!;
    if (bytes[0] !== 0 || kind > 1)
      throw new MessageFault(`its CDR is of kind ${kind}; plain CDR is read only`);
    const reader = new RosReader(bytes, 4, kind === 1, true);
    readMessage(parsed, parsed.root, reader, '', visitor, 0);
  };
}

/** Messages of ROS 1: little-endian, without gaps. Throws a MessageFault. */
export function ros1Decoder(name: string, schema: string): MessageDecoder {
  const parsed = parseRosSchema(name, schema);
  return (bytes, visitor) =>
    readMessage(parsed, parsed.root, new RosReader(bytes, 0, true, false), '', visitor, 0);
}

function readMessage(
  schema: RosSchema,
  type: string,
  reader: RosReader,
  path: string,
  visitor: ValueVisitor | undefined,
  depth: number,
): void {
  if (depth > deepest) throw new MessageFault(`messages are nested more than ${deepest} deep`);
  const fields = schema.messages.get(type)!;
  // A message without fields has one byte in ROS 2.
  if (fields.length === 0 && reader.isAligned) reader.number('uint8');
  for (const field of fields) readField(schema, field, reader, joinPath(path, field.name), visitor, depth);
}

function readField(
  schema: RosSchema,
  { type, length }: RosField,
  reader: RosReader,
  path: string,
  visitor: ValueVisitor | undefined,
  depth: number,
): void {
  const one = (at: string, seen: ValueVisitor | undefined): void => {
    reader.step();
    if (!rosPrimitives.has(type)) readMessage(schema, type, reader, at, seen, depth + 1);
    else if (type === 'string') {
      const text = reader.text();
      if (seen !== undefined) visitText(at, text, seen);
    } else if (type === 'time' || type === 'duration') {
      const kind = type === 'time' && !reader.isAligned ? 'uint32' : 'int32';
      const [seconds, nanos] = [reader.number(kind), reader.number(type === 'time' ? 'uint32' : kind)];
      seen?.number(joinPath(at, 'sec'), seconds);
      seen?.number(joinPath(at, 'nanosec'), nanos);
    } else {
      const value = reader.number(type);
      seen?.number(at, value);
    }
  };
  if (length === -2) {
    one(path, visitor);
    return;
  }
  const count = length === -1 ? reader.number('uint32') : length;
  if (count > reader.left) throw new MessageFault(`${path} has ${count} elements in ${reader.left} bytes`);
  if (count <= mostElements) {
    for (let i = 0; i < count; i++) one(elementPath(path, i), visitor);
    return;
  }
  visitor?.leftOut(path);
  const width = widths[type];
  if (width === undefined) for (let i = 0; i < count; i++) one(path, undefined);
  else reader.skip(count, width);
}

const widths: Readonly<Record<string, number>> = {
  ...{ bool: 1, byte: 1, char: 1, int8: 1, uint8: 1, int16: 2, uint16: 2, int32: 4, uint32: 4 },
  ...{ int64: 8, uint64: 8, float32: 4, float64: 8 },
};

const fewestSteps = 1000;

class RosReader {
  readonly isAligned: boolean;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #isLittle: boolean;
  readonly #start: number;
  #at: number;
  #steps = 0;

  constructor(bytes: Uint8Array, start: number, isLittle: boolean, isAligned: boolean) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = start;
    this.#at = start;
    this.#isLittle = isLittle;
    this.isAligned = isAligned;
  }

  /** Messages without fields take no bytes: without a bound a small one could be made to go on for ever. */
  step(): void {
    this.#steps++;
    if (this.#steps > this.#bytes.length + fewestSteps)
      throw new MessageFault('it has more fields than bytes');
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(type: string): number {
    const width = widths[type]!;
    const [view, at, isLittle] = [this.#view, this.#take(width, width), this.#isLittle];
    switch (type) {
      case 'float64':
        return view.getFloat64(at, isLittle);
      case 'float32':
        return view.getFloat32(at, isLittle);
      case 'int64':
        return Number(view.getBigInt64(at, isLittle));
      case 'uint64':
        return Number(view.getBigUint64(at, isLittle));
      case 'int32':
        return view.getInt32(at, isLittle);
      case 'uint32':
        return view.getUint32(at, isLittle);
      case 'int16':
        return view.getInt16(at, isLittle);
      case 'uint16':
        return view.getUint16(at, isLittle);
      case 'int8':
        return view.getInt8(at);
      case 'byte':
        // Of ROS 1 another name of int8, of ROS 2 an octet.
        return this.isAligned ? view.getUint8(at) : view.getInt8(at);
      default:
        return view.getUint8(at);
    }
  }

  text(): string {
    const length = this.number('uint32');
    const at = this.#take(length, 1);
    // CDR counts the zero byte at the end.
    const end = this.isAligned && length > 0 ? at + length - 1 : at + length;
    return new TextDecoder().decode(this.#bytes.subarray(at, end));
  }

  skip(count: number, width: number): void {
    this.#take(count * width, width);
  }

  #take(length: number, width: number): number {
    const past = (this.#at - this.#start) % width;
    const at = this.isAligned && past > 0 ? this.#at + width - past : this.#at;
    if (at + length > this.#bytes.length) throw new MessageFault('it is shorter than its schema says');
    this.#at = at + length;
    return at;
  }
}
