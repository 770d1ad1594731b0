import type { ValueNames } from '../../domain/definition.ts';

/** What a value of a message of ROS or DDS may be. */
export const CdrKind = {
  Bool: 0,
  Int8: 1,
  Uint8: 2,
  Int16: 3,
  Uint16: 4,
  Int32: 5,
  Uint32: 6,
  Int64: 7,
  Uint64: 8,
  Float32: 9,
  Float64: 10,
  Text: 11,
  /** A structure or a union. */
  Type: 12,
} as const;
export type CdrKind = (typeof CdrKind)[keyof typeof CdrKind];

/** Bytes of a number of each kind. */
export const widths: readonly number[] = [1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8];

export interface CdrField {
  readonly name: string;
  readonly kind: CdrKind;
  /** The full name of a structure or a union; empty for others. */
  readonly typeName: string;
  /** Of its arrays, the outermost first; -1 for one of any length. */
  readonly lengths: readonly number[];
  /** Of a member of a mutable structure. */
  readonly id: number;
  readonly isOptional: boolean;
  readonly isEnum: boolean;
  /** What numbers of an enumeration stand for. */
  readonly valueNames: ValueNames | undefined;
}

export interface CdrType {
  readonly name: string;
  readonly fields: readonly CdrField[];
  /** Undefined where the schema does not say it. */
  readonly extensibility: 'final' | 'appendable' | 'mutable' | undefined;
  /** Of a union: what of its fields stands for which number of its first one. Undefined for a structure. */
  readonly cases: ReadonlyMap<number, number> | undefined;
  /** Of a union: the field that stands for all other numbers; undefined where it has none. */
  readonly otherCase: number | undefined;
}

export interface CdrSchema {
  readonly root: CdrType;
  readonly types: ReadonlyMap<string, CdrType>;
}

/** A field as definitions of ROS have them: no more than a name and a type. */
export function plainField(
  name: string,
  kind: CdrKind,
  typeName: string,
  lengths: readonly number[],
): CdrField {
  return {
    name,
    kind,
    typeName,
    lengths,
    id: 0,
    isOptional: false,
    isEnum: false,
    valueNames: undefined,
  };
}
