import { MessageFault, Wire, WireReader } from '../../protobuf/wire-reader.ts';
import { signed64, unsigned64 } from './integers.ts';
import {
  deepest,
  type MessageDecoder,
  mostElements,
  type Place,
  tooManyElements,
  type ValueVisitor,
  visitInteger,
  visitText,
  visitUtf8,
} from './place.ts';
import { type ProtoField, type ProtoMessage, ProtoType, parseProtoSchema } from './protobuf-schema.ts';

/** Messages of protobuf, by a FileDescriptorSet and the full name of a message in it. Throws a MessageFault. */
export function protobufDecoder(name: string, schema: Uint8Array): MessageDecoder {
  const messages = parseProtoSchema(schema);
  const root = messages.get(name.replace(/^\./, ''));
  if (root === undefined) throw new MessageFault(`its schema does not say what ${name} is`);
  const decoder = new ProtoDecoder(messages, root);
  return (bytes, place, visitor) => {
    decoder.decode(bytes, place, visitor);
    return 0;
  };
}

/** How a value of each type stands in a message; others are no types. */
const wires: readonly (number | undefined)[] = Object.assign([], {
  [ProtoType.Double]: Wire.Fixed64,
  [ProtoType.Fixed64]: Wire.Fixed64,
  [ProtoType.Sfixed64]: Wire.Fixed64,
  [ProtoType.Float]: Wire.Fixed32,
  [ProtoType.Fixed32]: Wire.Fixed32,
  [ProtoType.Sfixed32]: Wire.Fixed32,
  [ProtoType.String]: Wire.Bytes,
  [ProtoType.Bytes]: Wire.Bytes,
  [ProtoType.Message]: Wire.Bytes,
  [ProtoType.Group]: Wire.GroupStart,
  [ProtoType.Int64]: Wire.Varint,
  [ProtoType.Uint64]: Wire.Varint,
  [ProtoType.Int32]: Wire.Varint,
  [ProtoType.Bool]: Wire.Varint,
  [ProtoType.Uint32]: Wire.Varint,
  [ProtoType.Enum]: Wire.Varint,
  [ProtoType.Sint32]: Wire.Varint,
  [ProtoType.Sint64]: Wire.Varint,
});

/** Where the values of one field stand: pairs of start and end. */
type Spans = number[];

class ProtoDecoder {
  readonly #messages: ReadonlyMap<string, ProtoMessage>;
  readonly #root: ProtoMessage;
  /** Of the message at hand; there is one from `decode` on. */
  #visitor!: ValueVisitor;

  constructor(messages: ReadonlyMap<string, ProtoMessage>, root: ProtoMessage) {
    this.#messages = messages;
    this.#root = root;
  }

  /** Visits the values of a message. Throws a MessageFault. */
  decode(bytes: Uint8Array, place: Place, visitor: ValueVisitor): void {
    this.#visitor = visitor;
    this.#message(this.#root, new WireReader(bytes), 0, bytes.length, place, 0);
  }

  /** Visits the values of a message in `[start, end)`. Fields that its schema does not have are skipped. */
  #message(
    type: ProtoMessage,
    reader: WireReader,
    start: number,
    end: number,
    place: Place,
    depth: number,
  ): void {
    if (depth > deepest) throw new MessageFault(`messages are nested more than ${deepest} deep`);
    if (type.name === 'google.protobuf.Any') {
      this.#any(reader.bytes.subarray(start, end), place, depth);
      return;
    }
    const { fields, places } = type;
    const found: (Spans | undefined)[] = new Array(fields.length);
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      const { number, wire, from, to } = reader;
      if (wire === Wire.GroupEnd) throw new MessageFault('a group ends that did not begin');
      const i = places.get(number);
      if (i === undefined) continue;
      const field = fields[i]!;
      if (wires[field.type] === undefined) continue;
      const spans = found[i];
      if (spans === undefined) found[i] = spansOf(field, reader, wire, from, to, []);
      else spansOf(field, reader, wire, from, to, spans);
    }
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      const spans = found[i];
      if (spans !== undefined) this.#field(field, reader, spans, place.field(field.name), depth);
      else if (field.hasDefault) visitDefault(field, place.field(field.name), this.#visitor);
    }
  }

  #field(field: ProtoField, reader: WireReader, spans: Spans, place: Place, depth: number): void {
    if (field.message?.isMapEntry === true && field.isRepeated)
      this.#map(field.message, reader, spans, place, depth);
    else if (field.isRepeated) {
      if (spans.length > 2 * mostElements) this.#visitor.skipped(place, tooManyElements);
      else
        for (let i = 0; i < spans.length; i += 2)
          this.#value(field, reader, spans[i]!, spans[i + 1]!, place.element(i / 2), depth);
    } else if (spans.length > 2 && field.message !== undefined) {
      // The parts of one message are one message (protobuf.dev/programming-guides/encoding, "Last One Wins").
      const parts = new WireReader(joined(reader.bytes, spans));
      this.#value(field, parts, 0, parts.bytes.length, place, depth);
    } else this.#value(field, reader, spans.at(-2)!, spans.at(-1)!, place, depth);
  }

  /** Entries of a map stand in any order, and the last one of a key counts. */
  #map(entry: ProtoMessage, reader: WireReader, spans: Spans, place: Place, depth: number): void {
    const [keyField, valueField] = [1, 2].map((number) => entry.fields[entry.places.get(number) ?? -1]);
    if (keyField === undefined || valueField === undefined)
      throw new MessageFault(`its schema has a map without key or value, ${entry.name}`);
    for (let i = 0; i < spans.length; i += 2) {
      let key = keyField.type === ProtoType.String ? '' : '0';
      if (keyField.type === ProtoType.Bool) key = 'false';
      let value: Spans | undefined;
      for (let at = spans[i]!; at < spans[i + 1]!; ) {
        at = reader.next(at, spans[i + 1]!);
        const { number, wire, from, to } = reader;
        if (number === 1) {
          expectWire(keyField, wire);
          key = keyOf(keyField.type, reader, from, to);
        } else if (number === 2) {
          expectWire(valueField, wire);
          value = [from, to];
        }
      }
      const at = place.field(key);
      if (value !== undefined) this.#value(valueField, reader, value[0]!, value[1]!, at, depth + 1);
      else if (valueField.message === undefined) visitDefault(valueField, at, this.#visitor);
      else this.#message(valueField.message, reader, 0, 0, at, depth + 1);
    }
  }

  #value(
    { type, typeName, message, valueNames }: ProtoField,
    reader: WireReader,
    from: number,
    to: number,
    place: Place,
    depth: number,
  ): void {
    if (type === ProtoType.Message || type === ProtoType.Group) {
      if (message === undefined) this.#visitor.skipped(place, `the schema does not say what ${typeName} is`);
      else this.#message(message, reader, from, to, place, depth + 1);
    } else if (type === ProtoType.String) visitUtf8(place, reader.bytes.subarray(from, to), this.#visitor);
    else if (type === ProtoType.Bytes) this.#visitor.skipped(place, 'bytes');
    else {
      place.valueNames ??= valueNames;
      const value = numberOf(type, reader, from, to);
      visitInteger(place, value, this.#visitor);
    }
  }

  /** A message of any type (google/protobuf/any.proto): its name, and what stands in it where the schema has that type. */
  #any(bytes: Uint8Array, place: Place, depth: number): void {
    const reader = new WireReader(bytes);
    let url = '';
    let value = bytes.subarray(0, 0);
    for (let at = 0; at < bytes.length; ) {
      at = reader.next(at, bytes.length);
      const own = bytes.subarray(reader.from, reader.to);
      if (reader.wire !== Wire.Bytes) continue;
      if (reader.number === 1) url = new TextDecoder().decode(own);
      else if (reader.number === 2) value = own;
    }
    visitText(place.field('type_url'), url, this.#visitor);
    const type = this.#messages.get(url.slice(url.lastIndexOf('/') + 1));
    if (type !== undefined)
      this.#message(type, new WireReader(value), 0, value.length, place.field('value'), depth + 1);
    else if (value.length > 0)
      this.#visitor.skipped(place.field('value'), `the schema does not say what ${url} is`);
  }
}

/** Adds where the value of a field stands; numbers of an array may stand together in one field. Throws a MessageFault. */
function spansOf(
  field: ProtoField,
  reader: WireReader,
  wire: number,
  from: number,
  to: number,
  spans: Spans,
): Spans {
  const own = wires[field.type]!;
  if (wire !== Wire.Bytes || own === Wire.Bytes || own === Wire.GroupStart || !field.isRepeated) {
    expectWire(field, wire);
    if (spans.length <= 2 * mostElements || !field.isRepeated || field.message?.isMapEntry === true)
      spans.push(from, to);
    return spans;
  }
  const width = own === Wire.Fixed64 ? 8 : 4;
  for (let at = from; at < to; ) {
    const end = own === Wire.Varint ? reader.varint(at, to) : at + width;
    if (end > to) throw new MessageFault(`a number goes beyond its field ${field.name}`);
    if (spans.length <= 2 * mostElements) spans.push(at, end);
    at = end;
  }
  return spans;
}

function expectWire({ name, type, message }: ProtoField, wire: number): void {
  const isFitting = wire === wires[type] || (message !== undefined && wire === Wire.GroupStart);
  if (!isFitting) throw new MessageFault(`the field ${name} is not of the type that its schema says`);
}

function joined(bytes: Uint8Array, spans: Spans): Uint8Array {
  const parts = spans.flatMap((from, i) => (i % 2 === 0 ? [bytes.subarray(from, spans[i + 1])] : []));
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function visitDefault({ type, valueNames }: ProtoField, place: Place, visitor: ValueVisitor): void {
  if (type === ProtoType.String) visitor.text(place, '');
  else if (wires[type] !== undefined && wires[type] !== Wire.Bytes && type !== ProtoType.Group) {
    place.valueNames ??= valueNames;
    visitor.number(place, 0);
  }
}

function keyOf(type: number, reader: WireReader, from: number, to: number): string {
  if (type === ProtoType.String) return new TextDecoder().decode(reader.bytes.subarray(from, to));
  const value = numberOf(type, reader, from, to);
  return type === ProtoType.Bool ? String(value !== 0) : String(value);
}

/** A number, or a whole one that may be beyond what a double holds exactly. */
function numberOf(type: number, reader: WireReader, from: number, to: number): number | bigint {
  const { view } = reader;
  switch (type) {
    case ProtoType.Double:
      return view.getFloat64(from, true);
    case ProtoType.Float:
      return view.getFloat32(from, true);
    case ProtoType.Fixed32:
      return view.getUint32(from, true);
    case ProtoType.Sfixed32:
      return view.getInt32(from, true);
    case ProtoType.Fixed64:
      return unsigned64(view.getUint32(from, true), view.getUint32(from + 4, true));
    case ProtoType.Sfixed64:
      return signed64(view.getUint32(from, true), view.getUint32(from + 4, true));
  }
  reader.varint(from, to);
  const { low, high } = reader;
  switch (type) {
    case ProtoType.Int64:
      return signed64(low, high);
    case ProtoType.Sint64:
      return twofold(low, high);
    case ProtoType.Sint32:
      return (low >>> 1) ^ -(low & 1);
    case ProtoType.Int32:
    case ProtoType.Enum:
      return low | 0;
    case ProtoType.Bool:
      return low === 0 && high === 0 ? 0 : 1;
    case ProtoType.Uint32:
      return low;
    default:
      return unsigned64(low, high);
  }
}

/** Of sint64: 0, -1, 1, -2 … */
function twofold(low: number, high: number): number | bigint {
  const value = unsigned64(low, high);
  if (typeof value === 'bigint') return (value >> 1n) ^ -(value & 1n);
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
}
