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
import { type ProtoField, type ProtoSchema, ProtoType, parseProtoSchema } from './protobuf-schema.ts';
import { varint, type WireField, wireFields } from './protobuf-wire.ts';

/** Messages of protobuf, by a FileDescriptorSet and the full name of a message in it. Throws a MessageFault. */
export function protobufDecoder(name: string, schema: Uint8Array): MessageDecoder {
  const messages = parseProtoSchema(schema);
  if (!messages.has(name)) throw new MessageFault(`its schema does not say what ${name} is`);
  return (bytes, visitor) => readMessage(messages, name, bytes, '', visitor, 0);
}

function readMessage(
  schema: ProtoSchema,
  name: string,
  bytes: Uint8Array,
  path: string,
  visitor: ValueVisitor,
  depth: number,
): void {
  if (depth > deepest) throw new MessageFault(`messages are nested more than ${deepest} deep`);
  const fields = schema.get(name);
  if (fields === undefined) throw new MessageFault(`its schema does not say what ${name} is`);
  const values = new Map<number, WireField[]>();
  for (const one of wireFields(bytes)) {
    if (!fields.has(one.number)) continue;
    const known = values.get(one.number);
    if (known === undefined) values.set(one.number, [one]);
    else known.push(one);
  }
  for (const [number, field] of fields) {
    const at = joinPath(path, field.name);
    const given = (values.get(number) ?? []).flatMap((one) => unpack(field, one));
    if (field.isRepeated) {
      if (given.length > mostElements) visitor.leftOut(at);
      else
        for (const [i, one] of given.entries())
          readValue(schema, field, one, elementPath(at, i), visitor, depth);
    } else if (given.length > 0) readValue(schema, field, given.at(-1)!, at, visitor, depth);
    else if (field.hasDefault) visitDefault(field, at, visitor);
  }
}

const varints: readonly number[] = [
  ProtoType.Int64,
  ProtoType.Uint64,
  ProtoType.Int32,
  ProtoType.Bool,
  ProtoType.Uint32,
  ProtoType.Enum,
  ProtoType.Sint32,
  ProtoType.Sint64,
];
const eightBytes: readonly number[] = [ProtoType.Double, ProtoType.Fixed64, ProtoType.Sfixed64];
const withLength: readonly number[] = [ProtoType.String, ProtoType.Bytes, ProtoType.Message];

function wireOf(type: number): number {
  if (varints.includes(type)) return 0;
  if (withLength.includes(type)) return 2;
  return eightBytes.includes(type) ? 1 : 5;
}

/** Numbers of an array may stand together in one field. */
function unpack(field: ProtoField, one: WireField): WireField[] {
  const wire = wireOf(field.type);
  if (one.bytes === undefined || wire === 2 || !field.isRepeated) return [one];
  const { bytes, number } = one;
  const values: WireField[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length && values.length <= mostElements; ) {
    if (wire === 0) {
      const { value, end } = varint(bytes, at);
      values.push({ number, wire, value, bytes: undefined });
      at = end;
      continue;
    }
    const width = wire === 1 ? 8 : 4;
    if (at + width > bytes.length) throw new MessageFault('a number goes beyond its field');
    const value = wire === 1 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true));
    values.push({ number, wire, value, bytes: undefined });
    at += width;
  }
  return values;
}

function readValue(
  schema: ProtoSchema,
  { type, typeName, name }: ProtoField,
  field: WireField,
  path: string,
  visitor: ValueVisitor,
  depth: number,
): void {
  if (field.wire !== wireOf(type))
    throw new MessageFault(`the field ${name} is not of the type that its schema says`);
  if (type === ProtoType.Message) readMessage(schema, typeName, field.bytes!, path, visitor, depth + 1);
  else if (type === ProtoType.String) visitText(path, new TextDecoder().decode(field.bytes), visitor);
  else if (type === ProtoType.Bytes) visitor.leftOut(path);
  else visitor.number(path, numberOf(type, field.value));
}

function visitDefault({ type }: ProtoField, path: string, visitor: ValueVisitor): void {
  if (type === ProtoType.String) visitor.text(path, '');
  else if (type !== ProtoType.Bytes && type !== ProtoType.Group) visitor.number(path, 0);
}

const scratch = new DataView(new ArrayBuffer(8));

function numberOf(type: number, value: bigint): number {
  switch (type) {
    case ProtoType.Double:
      scratch.setBigUint64(0, value);
      return scratch.getFloat64(0);
    case ProtoType.Float:
      scratch.setUint32(0, Number(value));
      return scratch.getFloat32(0);
    case ProtoType.Sint32:
    case ProtoType.Sint64:
      return Number((value >> 1n) ^ -(value & 1n));
    case ProtoType.Int32:
    case ProtoType.Enum:
    case ProtoType.Sfixed32:
      return Number(BigInt.asIntN(32, value));
    case ProtoType.Int64:
    case ProtoType.Sfixed64:
      return Number(BigInt.asIntN(64, value));
    case ProtoType.Bool:
      return value === 0n ? 0 : 1;
    default:
      return Number(value);
  }
}
