import { plainName } from '../channel-names.ts';
import { MessageFault } from './flatten.ts';
import { type WireField, wireFields } from './protobuf-wire.ts';

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
  readonly name: string;
  readonly type: number;
  /** The full name of a message. */
  readonly typeName: string;
  readonly isRepeated: boolean;
  /** Whether it is 0 or empty where a message does not have it. */
  readonly hasDefault: boolean;
}

/** Messages by their full names, fields by their numbers. */
export type ProtoSchema = ReadonlyMap<string, ReadonlyMap<number, ProtoField>>;

const mostDeep = 32;

/** A FileDescriptorSet (google/protobuf/descriptor.proto). Throws a MessageFault. */
export function parseProtoSchema(bytes: Uint8Array): ProtoSchema {
  const messages = new Map<string, Map<number, ProtoField>>();
  for (const { number, bytes: file } of wireFields(bytes)) {
    if (number !== 1 || file === undefined) continue;
    const fields = [...wireFields(file)];
    const packageName = textOf(fields, 2);
    const isProto3 = textOf(fields, 12) === 'proto3';
    const prefix = packageName === '' ? '' : `${packageName}.`;
    for (const one of allOf(fields, 4)) addMessage(one, prefix, isProto3, messages, 0);
  }
  return messages;
}

function addMessage(
  bytes: Uint8Array,
  prefix: string,
  isProto3: boolean,
  messages: Map<string, Map<number, ProtoField>>,
  depth: number,
): void {
  if (depth > mostDeep) throw new MessageFault('messages of its schema are nested too deep');
  const parts = [...wireFields(bytes)];
  const name = prefix + textOf(parts, 1);
  const fields = new Map<number, ProtoField>();
  for (const one of allOf(parts, 2)) {
    const own = [...wireFields(one)];
    const type = numberOf(own, 5) ?? 0;
    const isRepeated = numberOf(own, 4) === 3;
    const isChoice = numberOf(own, 9) !== undefined || numberOf(own, 17) === 1;
    fields.set(numberOf(own, 3) ?? 0, {
      name: plainName(textOf(own, 1)),
      type,
      typeName: textOf(own, 6).replace(/^\./, ''),
      isRepeated,
      hasDefault: isProto3 && !isRepeated && !isChoice && type !== ProtoType.Message,
    });
  }
  messages.set(name, fields);
  for (const nested of allOf(parts, 3)) addMessage(nested, `${name}.`, isProto3, messages, depth + 1);
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
  const found = fields.find((field) => field.number === number && field.bytes === undefined);
  return found === undefined ? undefined : Number(found.value);
}
