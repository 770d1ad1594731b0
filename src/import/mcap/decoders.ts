import { cdrDecoder, ros1Decoder } from './cdr-messages.ts';
import { type ParseIdl, parseIdlSchema } from './idl-schema.ts';
import { decodeJsonMessage } from './json-messages.ts';
import type { MessageDecoder } from './place.ts';
import { protobufDecoder } from './protobuf-messages.ts';
import { parseRosSchema } from './ros-schema.ts';

export interface Schema {
  readonly name: string;
  readonly encoding: string;
  readonly data: Uint8Array;
}

export function isIdl({ encoding }: Schema): boolean {
  return encoding === 'ros2idl' || encoding === 'omgidl';
}

/** Describes a channel for people: the encoding of its messages and of its schema. */
export function kindOf(encoding: string, schema: Schema | undefined): string {
  return `${encoding} ${schema?.encoding ?? ''}`.trim();
}

/**
 * What reads the messages of a channel; undefined for a kind that is not known. Throws a MessageFault for a schema that is not
 * understood.
 * @param parseIdl is there where the schema is one of IDL
 */
export function decoderOf(
  encoding: string,
  schema: Schema | undefined,
  parseIdl: ParseIdl | undefined,
): MessageDecoder | undefined {
  if (encoding === 'json') return decodeJsonMessage;
  if (schema === undefined) return undefined;
  const text = () => new TextDecoder().decode(schema.data);
  switch (kindOf(encoding, schema)) {
    case 'cdr ros2msg':
      return cdrDecoder(parseRosSchema(schema.name, text(), 2));
    case 'cdr ros2idl':
    case 'cdr omgidl':
      return cdrDecoder(parseIdlSchema(schema.name, text(), parseIdl!));
    case 'ros1 ros1msg':
      return ros1Decoder(parseRosSchema(schema.name, text(), 1));
    case 'protobuf protobuf':
      return protobufDecoder(schema.name, schema.data);
    default:
      return undefined;
  }
}
