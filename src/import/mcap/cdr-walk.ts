import type { ValueNames } from '../../domain/definition.ts';
import { MessageFault } from '../../protobuf/wire-reader.ts';
import type { CdrForm, CdrReader } from './cdr-reader.ts';
import { type CdrField, CdrKind, type CdrSchema, type CdrType, widths } from './cdr-types.ts';
import {
  deepest,
  mostElements,
  type Place,
  tooManyElements,
  type ValueVisitor,
  visitInteger,
  visitUtf8,
} from './place.ts';

/** Where writers of version 2 differ. */
export interface CdrRules {
  /** Whether structures that say nothing of it are as the head says, or final. */
  readonly isAsHead: boolean;
  /** Which arrays have their bytes before them: of all that are not numbers, as DDS-XTypes 1.3 (7.4.3.5) says, of these without enumerations, or none. */
  readonly heads: 'all' | 'no enums' | 'none';
}

/** A member that stands for none. */
const filler = 'structure_needs_at_least_one_member';
const Pid = { Mask: 0x3fff, Extended: 0x3f01, End: 0x3f02 } as const;

/** Reads one message. Throws a MessageFault. Values go to the visitor; without one they are gone over. */
export class CdrWalk {
  readonly #types: ReadonlyMap<string, CdrType>;
  readonly #reader: CdrReader;
  /** Undefined for ROS 1. */
  readonly #form: CdrForm | undefined;
  readonly #rules: CdrRules;
  /** Bytes behind the members that a schema has, inside the message. */
  #over = 0;

  constructor({ types }: CdrSchema, reader: CdrReader, form: CdrForm | undefined, rules: CdrRules) {
    this.#types = types;
    this.#reader = reader;
    this.#form = form;
    this.#rules = rules;
  }

  /** Bytes that nothing was read of. */
  left(): number {
    return this.#reader.left + this.#over;
  }

  type(type: CdrType, place: Place | undefined, visitor: ValueVisitor | undefined, depth: number): void {
    if (depth > deepest) throw new MessageFault(`messages are nested more than ${deepest} deep`);
    this.#reader.step();
    const form = this.#form;
    if (form === undefined) this.#members(type, place, visitor, depth, false);
    else {
      const { isAsHead } = this.#rules;
      const bare = isAsHead && (depth === 0 || form.kind === 'appendable') ? form.kind : 'final';
      const kind = type.extensibility ?? (form.version === 1 && depth === 0 ? form.kind : bare);
      if (kind === 'mutable') this.#mutable(type, place, visitor, depth, form);
      else if (kind === 'appendable' && form.version === 2)
        this.#inside(this.#reader.uint32(), () => this.#members(type, place, visitor, depth, true));
      else this.#members(type, place, visitor, depth, kind === 'appendable');
    }
  }

  /** Reads what stands in the next bytes; what is left of them is gone over. */
  #inside(length: number, read: () => void): void {
    const reader = this.#reader;
    const { end } = reader;
    const own = reader.at + length;
    if (own > end) throw new MessageFault('a part of it is longer than the message');
    reader.end = own;
    read();
    this.#over += own - reader.at;
    reader.at = own;
    reader.end = end;
  }

  /** @param isOpen whether a writer with an older definition may have fewer members */
  #members(
    type: CdrType,
    place: Place | undefined,
    visitor: ValueVisitor | undefined,
    depth: number,
    isOpen: boolean,
  ): void {
    const { fields, cases } = type;
    const reader = this.#reader;
    if (cases !== undefined) {
      this.#union(type, place, visitor, depth);
      return;
    }
    // A message without fields has one byte in ROS 2, which some writers leave out at the end.
    if (fields.length === 0 && this.#form !== undefined && reader.left > 0) reader.take(1, 1);
    for (const field of fields) {
      if (isOpen && reader.left === 0) return;
      if (field.isOptional) this.#optional(field, place, visitor, depth);
      else this.#field(field, place, visitor, depth);
    }
  }

  #optional(
    field: CdrField,
    place: Place | undefined,
    visitor: ValueVisitor | undefined,
    depth: number,
  ): void {
    const reader = this.#reader;
    if (this.#form?.version !== 1) {
      if (reader.bytes[reader.take(1, 1)] !== 0) this.#field(field, place, visitor, depth);
      return;
    }
    const { length } = this.#parameter();
    if (length > 0) this.#ofOwnOrigin(length, () => this.#field(field, place, visitor, depth));
  }

  #union(type: CdrType, place: Place | undefined, visitor: ValueVisitor | undefined, depth: number): void {
    const [which] = type.fields;
    const chosen = this.#number(which!.kind, place?.field(which!.name), visitor, which!.valueNames);
    const at = type.cases!.get(Number(chosen)) ?? type.otherCase;
    if (at !== undefined) this.#field(type.fields[at]!, place, visitor, depth);
  }

  #mutable(
    type: CdrType,
    place: Place | undefined,
    visitor: ValueVisitor | undefined,
    depth: number,
    { version }: CdrForm,
  ): void {
    if (type.cases !== undefined)
      throw new MessageFault(`${type.name} is a mutable union, which is not read`);
    const member = (id: number): (() => void) | undefined => {
      const field = type.fields.find((one) => one.id === id);
      return field && (() => this.#field(field, place, visitor, depth));
    };
    const reader = this.#reader;
    if (version === 1) {
      for (;;) {
        const { id, length } = this.#parameter();
        if (id === Pid.End) return;
        reader.step();
        this.#ofOwnOrigin(length, member(id) ?? (() => undefined));
      }
    }
    this.#inside(reader.uint32(), () => {
      while (reader.left > 0) {
        reader.step();
        const head = reader.uint32();
        const code = (head >>> 28) & 7;
        let length = 1 << code;
        if (code >= 4) {
          length = reader.uint32();
          // Of these codes the length is the first number of the member itself.
          if (code > 4) {
            reader.at -= 4;
            length = 4 + length * [1, 4, 8][code - 5]!;
          }
        }
        this.#inside(length, member(head & 0x0fffffff) ?? (() => undefined));
      }
    });
  }

  /** The head of a member in version 1. */
  #parameter(): { readonly id: number; readonly length: number } {
    const reader = this.#reader;
    reader.take(0, 4);
    const id = reader.uint16() & Pid.Mask;
    const length = reader.uint16();
    if (id !== Pid.Extended) return { id, length };
    return { id: reader.uint32() & 0x0fffffff, length: reader.uint32() };
  }

  #ofOwnOrigin(length: number, read: () => void): void {
    const reader = this.#reader;
    const { origin } = reader;
    reader.origin = reader.at;
    this.#inside(length, read);
    reader.origin = origin;
  }

  #field(field: CdrField, place: Place | undefined, visitor: ValueVisitor | undefined, depth: number): void {
    const seen = field.name === filler ? undefined : visitor;
    const at = seen === undefined ? undefined : place!.field(field.name);
    if (field.lengths.length === 0) this.#value(field, at, seen, depth);
    else if (this.#hasHead(field)) {
      const length = this.#reader.uint32();
      const own = this.#reader.at + length;
      this.#array(field, 0, at, seen, depth);
      if (this.#reader.at !== own) throw new MessageFault(`${field.name} has not the length that it says`);
    } else this.#array(field, 0, at, seen, depth);
  }

  #hasHead({ kind, isEnum }: CdrField): boolean {
    if (this.#form?.version !== 2) return false;
    const { heads } = this.#rules;
    return heads !== 'none' && (kind >= CdrKind.Text || (isEnum && heads === 'all'));
  }

  #array(
    field: CdrField,
    dimension: number,
    place: Place | undefined,
    visitor: ValueVisitor | undefined,
    depth: number,
  ): void {
    if (dimension === field.lengths.length) {
      this.#value(field, place, visitor, depth);
      return;
    }
    const reader = this.#reader;
    const given = field.lengths[dimension]!;
    const count = given === -1 ? reader.uint32() : given;
    if (count > reader.left)
      throw new MessageFault(`${field.name} has ${count} elements in ${reader.left} bytes`);
    const isShort = count <= mostElements;
    if (!isShort) visitor?.skipped(place!, tooManyElements);
    const seen = isShort ? visitor : undefined;
    const width = widths[field.kind];
    if (!isShort && width !== undefined && dimension === field.lengths.length - 1) {
      reader.take(count * width, width);
      return;
    }
    for (let i = 0; i < count; i++) {
      reader.step();
      this.#array(field, dimension + 1, seen === undefined ? undefined : place!.element(i), seen, depth);
    }
  }

  #value(field: CdrField, place: Place | undefined, visitor: ValueVisitor | undefined, depth: number): void {
    const { kind } = field;
    if (kind === CdrKind.Type) this.type(this.#types.get(field.typeName)!, place, visitor, depth + 1);
    else if (kind === CdrKind.Text) {
      const bytes = this.#reader.text(this.#form !== undefined);
      if (visitor !== undefined) visitUtf8(place!, bytes, visitor);
    } else this.#number(kind, place, visitor, field.valueNames);
  }

  #number(
    kind: CdrKind,
    place: Place | undefined,
    visitor: ValueVisitor | undefined,
    valueNames: ValueNames | undefined,
  ): number | bigint {
    const width = widths[kind]!;
    const value = this.#reader.number(kind, width);
    if (visitor !== undefined) {
      if (valueNames !== undefined) place!.valueNames ??= valueNames;
      if (typeof value === 'number') visitor.number(place!, value);
      else visitInteger(place!, value, visitor);
    }
    return value;
  }
}
