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
  const shared = new Map<string, Part<Definition>>();
  const lists = new Map<string, List<Definition>>();
  const byNumber = new Map<number, List<Definition>>();
  const byStream = new Map<number, List<Definition>>();
  const persisted = new Set<number>();
  const unused = new Set<number>();
  const none: readonly Definition[] = [];
  const nothing = { parts: [], a: 0, b: 0 };
  let next = 1;

  /** The one that lists share, or a new one, which they do from now on. */
  function partOf(definition: Definition): Part<Definition> {
    const text = JSON.stringify(definition);
    return (
      shared.get(text) ?? { text, value: definition, a: randomInt(2 ** 32), b: randomInt(2 ** 32), uses: 0 }
    );
  }

  function make(
    number: number,
    parts: readonly Part<Definition>[],
    { a, b } = sumsOf(parts),
  ): List<Definition> {
    for (const part of parts) hold(part);
    const key = keyOf(a, b, parts.length);
    const made = { key, number, parts, definitions: undefined, a, b, uses: 0 };
    // The manifest may have one list under two numbers; then each stays what it is.
    if (!lists.has(key)) lists.set(key, made);
    byNumber.set(number, made);
    return made;
  }

  function use(stream: number, list: List<Definition>): void {
    const before = byStream.get(stream);
    if (before === list) return;
    list.uses++;
    byStream.set(stream, list);
    if (before !== undefined) release(before);
  }

  function release(list: List<Definition>): void {
    if (--list.uses > 0) return;
    const { key, number, parts } = list;
    if (lists.get(key) === list) lists.delete(key);
    byNumber.delete(number);
    persisted.delete(number);
    unused.add(number);
    for (const part of parts) letGo(part);
  }

  function definitionsOf(list: List<Definition> | undefined): readonly Definition[] | undefined {
    if (list !== undefined) list.definitions ??= list.parts.map(({ value }) => value);
    return list?.definitions;
  }

  function hold(part: Part<Definition>): void {
    if (++part.uses === 1) shared.set(part.text, part);
  }

  function letGo(part: Part<Definition>): void {
    if (--part.uses === 0) shared.delete(part.text);
  }

  function begin(stream: number): Merging<Definition> {
    let { parts, a, b }: Pick<List<Definition>, 'parts' | 'a' | 'b'> = byStream.get(stream) ?? nothing;
    const held: Part<Definition>[] = [];
    const leave = (): void => {
      for (const part of held.splice(0)) letGo(part);
    };
    return {
      add(added) {
        const changed = new Map<string, Definition>();
        for (const one of added) {
          const before = changed.get(one.id) ?? find(parts, one.id)?.value;
          changed.set(one.id, inOrder(mergeDefinition(before, one)));
        }
        const fresh: Part<Definition>[] = [];
        for (const definition of changed.values()) {
          const before = find(parts, definition.id);
          const part = partOf(definition);
          if (part === before) continue;
          a = (a + part.a - (before?.a ?? 0)) >>> 0;
          b = (b + part.b - (before?.b ?? 0)) >>> 0;
          hold(part);
          held.push(part);
          fresh.push(part);
        }
        if (fresh.length === 0) return;
        parts = replaced(parts, fresh.sort(byId));
      },
      show() {
        if (held.length === 0) return;
        const known = lists.get(keyOf(a, b, parts.length));
        use(
          stream,
          known !== undefined && areSame(known.parts, parts) ? known : make(next++, parts, { a, b }),
        );
        leave();
      },
      leave,
    };
  }

  return {
    begin,
    of: (stream) => definitionsOf(byStream.get(stream)) ?? none,
    merge(stream, definitions) {
      const merging = begin(stream);
      merging.add(definitions);
      merging.show();
    },
    remove(stream) {
      const list = byStream.get(stream);
      byStream.delete(stream);
      if (list !== undefined) release(list);
    },
    numberOf: (stream) => byStream.get(stream)?.number ?? 0,
    list: (number) => definitionsOf(byNumber.get(number)),
    assign(stream, number, ordered) {
      persisted.add(number);
      use(stream, byNumber.get(number) ?? make(number, ordered.map(partOf).sort(byId)));
    },
    reserve(number) {
      next = Math.max(next, number + 1);
    },
    persisted,
    unused,
  };
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
