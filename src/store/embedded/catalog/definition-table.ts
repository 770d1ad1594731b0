import { randomInt } from 'node:crypto';
import { mergeDefinition } from '../../../domain/definition.ts';
import { compareText } from '../../../domain/tags.ts';

/**
 * The definitions of streams. A stream without any costs nothing; streams of one kind have equal definitions, so a
 * list is kept once, under a number, and a stream holds that number; lists that differ share the definitions in
 * which they agree. What no stream uses any more is forgotten. A number is used once, for ever the same list.
 */
export interface DefinitionTable<Definition> {
  /** The definitions of a stream, ordered by id; shared, so nobody writes to them. Streams with the same list have the same array. */
  of(stream: number): readonly Definition[];
  /** Merges definitions into a stream's, field by field and in their order. */
  merge(stream: number, definitions: readonly Definition[]): void;
  /** The same in several parts. Until it shows, nothing else may be merged. */
  begin(stream: number): Merging<Definition>;
  remove(stream: number): void;
  /** The number of a stream's list, 0 where it has no definitions. */
  numberOf(stream: number): number;
  /** The list of a number, undefined once no stream uses it. */
  list(number: number): readonly Definition[] | undefined;
  /** Gives a stream a list as the manifest has it. */
  assign(stream: number, number: number, definitions: readonly Definition[]): void;
  /** New lists get numbers above this one. */
  reserve(number: number): void;
  /** Numbers that the manifest has. */
  readonly persisted: Set<number>;
  /** Numbers that no stream uses any more, for the manifest to forget. */
  readonly unused: Set<number>;
}

/** Definitions that are being merged into those of a stream. */
export interface Merging<Definition> {
  add(definitions: readonly Definition[]): void;
  /** Gives the stream what came of it: until then nobody sees it. */
  show(): void;
  /** Nothing comes of it. */
  leave(): void;
}

/** A definition that lists share. */
interface Part<Definition> {
  readonly text: string;
  readonly value: Definition;
  /** Random: a list is found by the sums of those of its definitions. */
  readonly a: number;
  readonly b: number;
  /** How many lists have it. */
  uses: number;
}

interface List<Definition> {
  readonly key: string;
  readonly number: number;
  /** By id, as are the definitions. */
  readonly parts: readonly Part<Definition>[];
  /** Made when they are asked for. */
  definitions: readonly Definition[] | undefined;
  readonly a: number;
  readonly b: number;
  /** How many streams use it. */
  uses: number;
}

export function definitionTable<Definition extends { readonly id: string }>(): DefinitionTable<Definition> {
  return new SharedDefinitions<Definition>();
}

class SharedDefinitions<Definition extends { readonly id: string }> implements DefinitionTable<Definition> {
  /** Definitions of the lists, by their text. */
  readonly #shared = new Map<string, Part<Definition>>();
  /** By key. */
  readonly #lists = new Map<string, List<Definition>>();
  readonly #byNumber = new Map<number, List<Definition>>();
  readonly #byStream = new Map<number, List<Definition>>();
  readonly persisted = new Set<number>();
  readonly unused = new Set<number>();
  /** The list of a stream without definitions. */
  readonly #none: readonly Definition[] = [];
  /** The number of the next list. */
  #next = 1;

  of(stream: number): readonly Definition[] {
    return definitionsOf(this.#byStream.get(stream)) ?? this.#none;
  }

  numberOf(stream: number): number {
    return this.#byStream.get(stream)?.number ?? 0;
  }

  list(number: number): readonly Definition[] | undefined {
    return definitionsOf(this.#byNumber.get(number));
  }

  merge(stream: number, definitions: readonly Definition[]): void {
    const merging = this.begin(stream);
    merging.add(definitions);
    merging.show();
  }

  begin(stream: number): Merging<Definition> {
    let { parts, a, b }: Pick<List<Definition>, 'parts' | 'a' | 'b'> = this.#byStream.get(stream) ?? nothing;
    const held: Part<Definition>[] = [];
    const leave = (): void => {
      for (const part of held.splice(0)) this.#letGo(part);
    };
    return {
      add: (added) => {
        const fresh: Part<Definition>[] = [];
        for (const definition of mergedInto(parts, added)) {
          const before = find(parts, definition.id);
          const part = this.#partOf(definition);
          if (part === before) continue;
          a = (a + part.a - (before?.a ?? 0)) >>> 0;
          b = (b + part.b - (before?.b ?? 0)) >>> 0;
          this.#hold(part);
          held.push(part);
          fresh.push(part);
        }
        if (fresh.length > 0) parts = replaced(parts, fresh.sort(byId));
      },
      show: () => {
        if (held.length === 0) return;
        const known = this.#lists.get(keyOf(a, b, parts.length));
        const isKnown = known !== undefined && areSame(known.parts, parts);
        this.#use(stream, isKnown ? known : this.#make(this.#next++, parts, { a, b }));
        leave();
      },
      leave,
    };
  }

  remove(stream: number): void {
    const list = this.#byStream.get(stream);
    this.#byStream.delete(stream);
    if (list !== undefined) this.#release(list);
  }

  assign(stream: number, number: number, definitions: readonly Definition[]): void {
    this.persisted.add(number);
    const known = this.#byNumber.get(number);
    this.#use(stream, known ?? this.#make(number, definitions.map((one) => this.#partOf(one)).sort(byId)));
  }

  reserve(number: number): void {
    this.#next = Math.max(this.#next, number + 1);
  }

  /** The definition that lists share; a new one, which no list has yet, where there is none. */
  #partOf(definition: Definition): Part<Definition> {
    const text = JSON.stringify(definition);
    const known = this.#shared.get(text);
    return known ?? { text, value: definition, a: randomInt(2 ** 32), b: randomInt(2 ** 32), uses: 0 };
  }

  #make(number: number, parts: readonly Part<Definition>[], { a, b } = sumsOf(parts)): List<Definition> {
    for (const part of parts) this.#hold(part);
    const key = keyOf(a, b, parts.length);
    const made = { key, number, parts, definitions: undefined, a, b, uses: 0 };
    // The manifest may have one list under two numbers; then each stays what it is.
    if (!this.#lists.has(key)) this.#lists.set(key, made);
    this.#byNumber.set(number, made);
    return made;
  }

  #use(stream: number, list: List<Definition>): void {
    const before = this.#byStream.get(stream);
    if (before === list) return;
    list.uses++;
    this.#byStream.set(stream, list);
    if (before !== undefined) this.#release(before);
  }

  #release(list: List<Definition>): void {
    if (--list.uses > 0) return;
    const { key, number, parts } = list;
    if (this.#lists.get(key) === list) this.#lists.delete(key);
    this.#byNumber.delete(number);
    this.persisted.delete(number);
    this.unused.add(number);
    for (const part of parts) this.#letGo(part);
  }

  #hold(part: Part<Definition>): void {
    if (++part.uses === 1) this.#shared.set(part.text, part);
  }

  #letGo(part: Part<Definition>): void {
    if (--part.uses === 0) this.#shared.delete(part.text);
  }
}

/** The parts of a stream without definitions. */
const nothing = { parts: [], a: 0, b: 0 };

function definitionsOf<Definition>(list: List<Definition> | undefined): readonly Definition[] | undefined {
  if (list !== undefined) list.definitions ??= list.parts.map(({ value }) => value);
  return list?.definitions;
}

/** Definitions that are added, each merged with the one of its id, the last state of each id. */
function mergedInto<Definition extends { readonly id: string }>(
  parts: readonly Part<Definition>[],
  added: readonly Definition[],
): Iterable<Definition> {
  const changed = new Map<string, Definition>();
  for (const one of added) {
    const before = changed.get(one.id) ?? find(parts, one.id)?.value;
    changed.set(one.id, inOrder(mergeDefinition(before, one)));
  }
  return changed.values();
}

function keyOf(a: number, b: number, count: number): string {
  return `${a} ${b} ${count}`;
}

function sumsOf(parts: readonly { readonly a: number; readonly b: number }[]): { a: number; b: number } {
  let [sumA, sumB] = [0, 0];
  for (const { a, b } of parts) {
    sumA = (sumA + a) >>> 0;
    sumB = (sumB + b) >>> 0;
  }
  return { a: sumA, b: sumB };
}

interface Named {
  readonly value: { readonly id: string };
}

function byId({ value: a }: Named, { value: b }: Named): number {
  return compareText(a.id, b.id);
}

/** The place of an id, or where it would stand. */
function placeOf(parts: readonly Named[], id: string): number {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareText(parts[middle]!.value.id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function find<One extends Named>(parts: readonly One[], id: string): One | undefined {
  const part = parts[placeOf(parts, id)];
  return part?.value.id === id ? part : undefined;
}

/** Sums may be equal by chance. */
function areSame(some: readonly object[], others: readonly object[]): boolean {
  return some.every((part, i) => part === others[i]);
}

/** Parts with others in the place of those of the same ids; both by id. */
function replaced<One extends Named>(parts: readonly One[], fresh: readonly One[]): One[] {
  const all: One[] = [];
  let at = 0;
  for (const part of fresh) {
    const place = placeOf(parts, part.value.id);
    for (; at < place; at++) all.push(parts[at]!);
    all.push(part);
    if (parts[at]?.value.id === part.value.id) at++;
  }
  for (; at < parts.length; at++) all.push(parts[at]!);
  return all;
}

/** The fields in the order of their names, so that equal definitions have equal text. */
function inOrder<Definition extends object>(definition: Definition): Definition {
  const fields = Object.entries(definition).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(fields) as Definition;
}
