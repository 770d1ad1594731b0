import { mergeDefinition } from '../../../domain/definition.ts';
import { compareText } from '../../../domain/tags.ts';

/**
 * The definitions of streams. A stream without any costs nothing; streams of one kind have equal definitions, so a
 * list is kept once, under a number, and a stream holds that number; lists that differ share the definitions in
 * which they agree. What no stream uses any more is forgotten. A number is used once, for ever the same list.
 */
export interface DefinitionTable<Definition> {
  /** The definitions of a stream, ordered by id; shared, so nobody writes to them. */
  of(stream: number): readonly Definition[];
  /** Merges definitions into a stream's, field by field and in their order. */
  merge(stream: number, definitions: readonly Definition[]): void;
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

/** A definition and its text. */
interface Keyed<Value> {
  readonly key: string;
  readonly value: Value;
}

interface Counted<Value> extends Keyed<Value> {
  /** How many use it. */
  uses: number;
}

interface List<Definition> {
  readonly number: number;
  readonly definitions: readonly Definition[];
  readonly parts: readonly Counted<Definition>[];
}

export function definitionTable<Definition extends { readonly id: string }>(): DefinitionTable<Definition> {
  const definitions = new Map<string, Counted<Definition>>();
  const lists = new Map<string, Counted<List<Definition>>>();
  const byNumber = new Map<number, Counted<List<Definition>>>();
  const byStream = new Map<number, Counted<List<Definition>>>();
  const persisted = new Set<number>();
  const unused = new Set<number>();
  let next = 1;

  function make(
    key: string,
    number: number,
    ordered: readonly Keyed<Definition>[],
  ): Counted<List<Definition>> {
    const parts = ordered.map((one) => take(definitions, one));
    const made = { key, value: { number, definitions: parts.map(({ value }) => value), parts }, uses: 0 };
    // The manifest may have one list under two numbers; then each stays what it is.
    if (!lists.has(key)) lists.set(key, made);
    byNumber.set(number, made);
    return made;
  }

  function use(stream: number, list: Counted<List<Definition>>): void {
    const before = byStream.get(stream);
    if (before === list) return;
    list.uses++;
    byStream.set(stream, list);
    if (before !== undefined) release(before);
  }

  function release(list: Counted<List<Definition>>): void {
    if (--list.uses > 0) return;
    const { number, parts } = list.value;
    if (lists.get(list.key) === list) lists.delete(list.key);
    byNumber.delete(number);
    persisted.delete(number);
    unused.add(number);
    for (const part of parts) if (--part.uses === 0) definitions.delete(part.key);
  }

  const of = (stream: number) => byStream.get(stream)?.value.definitions ?? [];

  return {
    of,
    merge(stream, added) {
      if (added.length === 0) return;
      // A list may have tens of thousands: the text of those that stay is not made again, nor are they sorted.
      const before = byStream.get(stream)?.value.parts ?? [];
      const changed = new Map<string, Definition>();
      for (const one of added) {
        const earlier = changed.get(one.id) ?? find(before, one.id)?.value;
        changed.set(one.id, inOrder(mergeDefinition(earlier, one)));
      }
      const fresh = [...changed.values()].sort((a, b) => compareText(a.id, b.id)).map(keyed);
      const ordered = merged(before, fresh);
      const key = keyOf(ordered);
      use(stream, lists.get(key) ?? make(key, next++, ordered));
    },
    remove(stream) {
      const list = byStream.get(stream);
      byStream.delete(stream);
      if (list !== undefined) release(list);
    },
    numberOf: (stream) => byStream.get(stream)?.value.number ?? 0,
    list: (number) => byNumber.get(number)?.value.definitions,
    assign(stream, number, definitions) {
      persisted.add(number);
      const known = byNumber.get(number);
      const ordered = known === undefined ? definitions.map(keyed) : [];
      use(stream, known ?? make(keyOf(ordered), number, ordered));
    },
    reserve(number) {
      next = Math.max(next, number + 1);
    },
    persisted,
    unused,
  };
}

function keyed<Definition extends object>(definition: Definition): Keyed<Definition> {
  return { key: JSON.stringify(definition), value: definition };
}

/** Equal for equal lists only: text of JSON has no line breaks. */
function keyOf(ordered: readonly Keyed<unknown>[]): string {
  return ordered.map(({ key }) => key).join('\n');
}

interface WithId {
  readonly id: string;
}

/** That of an id, in a list that is ordered by ids. */
function find<Part extends Keyed<WithId>>(ordered: readonly Part[], id: string): Part | undefined {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText(ordered[middle]!.value.id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return ordered[low]?.value.id === id ? ordered[low] : undefined;
}

/** Two lists that are ordered by ids as one; of those with one id that of `fresh`. */
function merged<Definition extends WithId>(
  before: readonly Keyed<Definition>[],
  fresh: readonly Keyed<Definition>[],
): Keyed<Definition>[] {
  const all: Keyed<Definition>[] = [];
  let next = 0;
  for (const one of fresh) {
    for (; next < before.length && compareText(before[next]!.value.id, one.value.id) < 0; next++)
      all.push(before[next]!);
    if (before[next]?.value.id === one.value.id) next++;
    all.push(one);
  }
  for (; next < before.length; next++) all.push(before[next]!);
  return all;
}

function take<Value>(pool: Map<string, Counted<Value>>, { key, value }: Keyed<Value>): Counted<Value> {
  let found = pool.get(key);
  if (found === undefined) {
    found = { key, value, uses: 0 };
    pool.set(key, found);
  }
  found.uses++;
  return found;
}

/** The fields in the order of their names, so that equal definitions have equal text. */
function inOrder<Definition extends object>(definition: Definition): Definition {
  const fields = Object.entries(definition).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(fields) as Definition;
}
