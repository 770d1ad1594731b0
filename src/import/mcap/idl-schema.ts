import type { ValueNames } from '../../domain/definition.ts';
import { MessageFault } from '../../protobuf/wire-reader.ts';
import { valueNamesOf } from '../enumeration.ts';
import { type CdrField, CdrKind, type CdrSchema, type CdrType, plainField } from './cdr-types.ts';

/** What the library says of a definition, as far as it is used. */
interface Definition {
  readonly name?: string;
  readonly aggregatedKind: 'struct' | 'union' | 'module';
  readonly annotations?: Annotations;
  readonly definitions?: readonly Member[];
  readonly switchType?: string;
  readonly cases?: readonly { readonly predicates: readonly (number | boolean)[]; readonly type: Member }[];
  readonly defaultCase?: Member;
}

interface Member {
  readonly name: string;
  readonly type: string;
  readonly isComplex?: boolean;
  readonly isArray?: boolean;
  readonly isConstant?: boolean;
  readonly value?: unknown;
  readonly arrayLengths?: readonly number[];
  readonly enumType?: string;
  readonly annotations?: Annotations;
}

type Annotations = Readonly<Record<string, { readonly value?: unknown }>>;

export type ParseIdl = (text: string) => readonly Definition[];

/** Loads what parses IDL, which few files have. */
export async function loadIdl(): Promise<ParseIdl> {
  const library = await import('@foxglove/omgidl-parser');
  return library.parseIDL as unknown as ParseIdl;
}

/** The most letters of a schema that is read: the library takes a second for 100,000. */
const longestSchema = 1 << 19;

/** Annotations that change how members stand in bytes, in ways that are not read. */
const unread = /@(?:bit_bound|autoid|hashid|bitset|bitmask)\b/;

const primitives: Readonly<Record<string, CdrKind>> = {
  bool: CdrKind.Bool,
  int8: CdrKind.Int8,
  uint8: CdrKind.Uint8,
  int16: CdrKind.Int16,
  uint16: CdrKind.Uint16,
  int32: CdrKind.Int32,
  uint32: CdrKind.Uint32,
  int64: CdrKind.Int64,
  uint64: CdrKind.Uint64,
  float32: CdrKind.Float32,
  float64: CdrKind.Float64,
  string: CdrKind.Text,
};

/**
 * Definitions in IDL (OMG IDL 4.2), as `omgidl` has them, or `ros2idl`: several files, each behind lines of `=` and
 * `IDL: package/msg/Name`. Throws a MessageFault.
 */
export function parseIdlSchema(name: string, text: string, parseIdl: ParseIdl): CdrSchema {
  if (text.length > longestSchema)
    throw new MessageFault(`its schema has more than ${longestSchema} letters`);
  const found = unread.exec(text)?.[0];
  if (found !== undefined) throw new MessageFault(`its schema has ${found}, which is not read`);
  const definitions = definitionsOf(text, parseIdl);
  const enums = new Map(
    definitions.flatMap((one) =>
      one.aggregatedKind === 'module'
        ? [
            [
              one.name ?? '',
              valueNamesOf((one.definitions ?? []).map(({ name: own, value }) => [Number(value), own ?? ''])),
            ],
          ]
        : [],
    ),
  );
  const types = new Map<string, CdrType>();
  for (const one of definitions) {
    if (one.aggregatedKind !== 'module') types.set(one.name ?? '', typeOf(one, enums));
  }
  const root = types.get(name.replaceAll(/[/.]/g, '::'));
  if (root === undefined) throw new MessageFault(`its schema does not say what ${name} is`);
  return { root, types };
}

function definitionsOf(text: string, parseIdl: ParseIdl): readonly Definition[] {
  try {
    return parseIdl(text.replaceAll(/^=+[ \t\r]*\n(?:[ \t]*IDL:.*)?/gm, ''));
  } catch (error) {
    const [line] = (error as Error).message.split('\n');
    throw new MessageFault(`its schema is not understood: ${line!.slice(0, 200)}`);
  }
}

function typeOf(given: Definition, enums: ReadonlyMap<string, ValueNames | undefined>): CdrType {
  const { name = '', annotations = {}, aggregatedKind } = given;
  const extensibility = (['final', 'appendable', 'mutable'] as const).find((one) => one in annotations);
  if (aggregatedKind === 'union') return { name, extensibility, ...unionOf(given, enums) };
  const fields: CdrField[] = [];
  let id = 0;
  for (const member of given.definitions ?? []) {
    if (member.isConstant === true) continue;
    const own = member.annotations?.['id']?.value;
    if (typeof own === 'number') id = own;
    fields.push(fieldOf(member, id++, enums));
  }
  return { name, fields, extensibility, cases: undefined, otherCase: undefined };
}

function unionOf(
  { switchType = '', cases = [], defaultCase }: Definition,
  enums: ReadonlyMap<string, ValueNames | undefined>,
): Pick<CdrType, 'fields' | 'cases' | 'otherCase'> {
  const kind = primitives[switchType];
  if (kind === undefined)
    throw new MessageFault(`its schema has a union of ${switchType}, which is not read`);
  const members = [...cases.map(({ type }) => type), ...(defaultCase === undefined ? [] : [defaultCase])];
  return {
    fields: [plainField('discriminator', kind, '', []), ...members.map((one) => fieldOf(one, 0, enums))],
    cases: new Map(cases.flatMap(({ predicates }, i) => predicates.map((value) => [Number(value), i + 1]))),
    otherCase: defaultCase === undefined ? undefined : members.length,
  };
}

function fieldOf(member: Member, id: number, enums: ReadonlyMap<string, ValueNames | undefined>): CdrField {
  const { name, type, isComplex, isArray, arrayLengths, enumType, annotations } = member;
  const kind = isComplex === true ? CdrKind.Type : primitives[type];
  if (kind === undefined)
    throw new MessageFault(`its schema has a ${type}, which writers write in ways of their own`);
  return {
    ...plainField(name, kind, isComplex === true ? type : '', arrayLengths ?? (isArray === true ? [-1] : [])),
    id,
    isOptional: annotations !== undefined && 'optional' in annotations,
    isEnum: enumType !== undefined,
    valueNames: enumType === undefined ? undefined : enums.get(enumType),
  };
}
