import type { ValueNames } from '../../domain/definition.ts';
import { MessageFault, type WireField, wireFields } from '../../protobuf/wire-reader.ts';
import { valueNamesOf } from '../enumeration.ts';
import { deepest } from './place.ts';

/** The types of fields of protobuf by their numbers in descriptor.proto. */
export const ProtoType = {
  Double: 1,
  Float: 2,
  Int64: 3,
  Uint64: 4,
  Int32: 5,
  Fixed64: 6,
  Fixed32: 7,
  Bool: 8,
  String: 9,
  Group: 10,
  Message: 11,
  Bytes: 12,
  Uint32: 13,
  Enum: 14,
  Sfixed32: 15,
  Sfixed64: 16,
  Sint32: 17,
  Sint64: 18,
} as const;

export interface ProtoField {
  readonly number: number;
  readonly name: string;
  type: number;
  /** As the schema has it: of a message or an enumeration, from the root with a point before it, or relative to its scope. */
  readonly typeName: string;
  /** Undefined for other types, and where the schema does not have it. */
  message: ProtoMessage | undefined;
  /** What the numbers of an enumeration stand for. */
  valueNames: ValueNames | undefined;
  readonly isRepeated: boolean;
  /** Whether it is 0 or empty where a message does not have it. */
  readonly hasDefault: boolean;
}

export interface ProtoMessage {
  /** From the root, without a point before it. */
  readonly name: string;
  readonly fields: readonly ProtoField[];
  /** By number the place in `fields`. */
  readonly places: ReadonlyMap<number, number>;
  /** Whether it is an entry of a map: field 1 is the key, 2 the value. */
  readonly isMapEntry: boolean;
}

/** The messages of a schema by their names, and the names of the numbers of enumerations. */
interface Names {
  readonly messages: Map<string, ProtoMessage>;
  readonly enums: Map<string, ValueNames>;
}

/** A FileDescriptorSet (google/protobuf/descriptor.proto). Throws a MessageFault. */
export function parseProtoSchema(bytes: Uint8Array): ReadonlyMap<string, ProtoMessage> {
  const names: Names = { messages: new Map(), enums: new Map() };
  for (const file of allOf(wireFields(bytes), 1)) {
    const parts = wireFields(file);
    const packageName = textOf(parts, 2);
    const prefix = packageName === '' ? '' : `${packageName}.`;
    const isImplicit = presenceOf(parts, 8, 50) ?? textOf(parts, 12) === 'proto3';
    for (const one of allOf(parts, 4)) addMessage(one, prefix, isImplicit, names, 0);
    for (const one of allOf(parts, 5)) addEnum(one, prefix, names);
  }
  for (const message of names.messages.values()) {
    for (const field of message.fields) if (field.typeName !== '') resolve(field, message.name, names);
  }
  return names.messages;
}

function addMessage(
  bytes: Uint8Array,
  prefix: string,
  isImplicit: boolean,
  names: Names,
  depth: number,
): void {
  if (depth > deepest) throw new MessageFault('messages of its schema are nested too deep');
  const parts = wireFields(bytes);
  const name = prefix + textOf(parts, 1);
  const fields = allOf(parts, 2).map((one) => fieldOf(wireFields(one), isImplicit));
  const places = new Map(fields.map(({ number }, i) => [number, i]));
  const isMapEntry = allOf(parts, 7).some((options) => numberOf(wireFields(options), 7) === 1);
  names.messages.set(name, { name, fields, places, isMapEntry });
  for (const one of allOf(parts, 3)) addMessage(one, `${name}.`, isImplicit, names, depth + 1);
  for (const one of allOf(parts, 4)) addEnum(one, `${name}.`, names);
}

function fieldOf(parts: readonly WireField[], isImplicit: boolean): ProtoField {
  const type = numberOf(parts, 5) ?? 0;
  const isRepeated = numberOf(parts, 4) === 3;
  const isChoice = numberOf(parts, 9) !== undefined || numberOf(parts, 17) === 1;
  const isPlain = !isRepeated && !isChoice && type !== ProtoType.Message && type !== ProtoType.Group;
  return {
    number: numberOf(parts, 3) ?? 0,
    name: textOf(parts, 1),
    type,
    typeName: textOf(parts, 6),
    message: undefined,
    valueNames: undefined,
    isRepeated,
    hasDefault: isPlain && (presenceOf(parts, 8, 21) ?? isImplicit),
  };
}

const implicit = 2;

/** Whether the options of a file or a field, in an edition of protobuf, say that what is absent is 0; undefined where they don't say. */
function presenceOf(parts: readonly WireField[], options: number, features: number): boolean | undefined {
  const [given] = allOf(parts, options).flatMap((one) => allOf(wireFields(one), features));
  const presence = given === undefined ? undefined : numberOf(wireFields(given), 1);
  return presence === undefined ? undefined : presence === implicit;
}

function addEnum(bytes: Uint8Array, prefix: string, { enums }: Names): void {
  const parts = wireFields(bytes);
  const values = allOf(parts, 2).map((one) => {
    const value = wireFields(one);
    return [Number(numberOf(value, 2) ?? 0), textOf(value, 1)] as const;
  });
  enums.set(prefix + textOf(parts, 1), valueNamesOf(values) ?? {});
}

/** Finds the type of a field as protoc does: a relative name is looked for in its own scope, then in those around it. */
function resolve(field: ProtoField, scope: string, { messages, enums }: Names): void {
  const { typeName } = field;
  const isFull = typeName.startsWith('.');
  for (let around = isFull ? '' : scope; ; around = around.slice(0, Math.max(around.lastIndexOf('.'), 0))) {
    const full = isFull ? typeName.slice(1) : around === '' ? typeName : `${around}.${typeName}`;
    field.message = messages.get(full);
    field.valueNames = enums.get(full);
    if (field.message !== undefined || field.valueNames !== undefined || around === '') break;
  }
  // A schema may leave the type to its name.
  if (field.type === 0 && field.message !== undefined) field.type = ProtoType.Message;
  if (field.type === 0 && field.valueNames !== undefined) field.type = ProtoType.Enum;
}

function allOf(fields: readonly WireField[], number: number): Uint8Array[] {
  return fields.flatMap((field) =>
    field.number === number && field.bytes !== undefined ? [field.bytes] : [],
  );
}

function textOf(fields: readonly WireField[], number: number): string {
  const [bytes] = allOf(fields, number);
  return bytes === undefined ? '' : new TextDecoder().decode(bytes);
}

function numberOf(fields: readonly WireField[], number: number): number | undefined {
  return fields.find((field) => field.number === number && field.bytes === undefined)?.value;
}
