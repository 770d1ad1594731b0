import { containsTest, type ListingFilter } from '../../../domain/listing.ts';
import type { ParameterKey } from '../../../domain/parameter-data.ts';
import { compareText } from '../../../domain/tags.ts';
import { sortInSteps } from '../../../query/groups/paced-sort.ts';
import type { Steps } from '../../../turns/steps.ts';
import { ascendingNumbers } from './ascending-numbers.ts';
import type { CatalogState } from './catalog-state.ts';
import type { DefinitionTable } from './definition-table.ts';
import { streamsOfStep } from './one-moment.ts';
import { visibleParameters } from './retention.ts';
import { eachShown, pageOf } from './select-streams.ts';

/** What `/parameters` and `/events` differ in. */
export interface Listing<Definition, Entry> {
  /** Undefined: all. */
  readonly ids: readonly string[] | undefined;
  readonly table: DefinitionTable<Definition>;
  /** What streams with these data and definitions list. */
  entriesOf(written: Iterable<ParameterKey>, definitions: ReadonlyMap<string, Definition>): Iterable<Entry>;
  /** Conditions beside those on texts that both have; all have to hold. */
  readonly tests: readonly ((entry: Entry) => boolean)[];
  /** What entries are ordered by at last, so that pages are stable. */
  readonly lastOrderings: readonly string[];
  orderedBy(entry: Entry, by: string): string | number | undefined;
}

/** The kinds of streams, entries or definitions that are looked at in one step. */
const kindsOfStep = 32;
const entriesOfStep = 128;
/** The definitions that are put into a map in one step. */
const definitionsOfStep = 1024;

/** Streams that had the same parameters (by number) and definitions when they were looked at: writes may change both meanwhile. */
interface StreamKind<Definition> {
  readonly number: number;
  readonly parameters: readonly number[];
  readonly definitions: readonly Definition[];
  readonly streams: number[];
}

/** An entry, and the kinds of streams that have it. */
interface FoundEntry<Definition, Entry> {
  readonly key: string;
  readonly entry: Entry;
  readonly kinds: StreamKind<Definition>[];
}

/**
 * Entries are made once for all streams of a kind; those that then agree in everything but their streams are one. Ids
 * of streams are looked up for the page only.
 */
export function* listEntries<
  Definition extends { readonly id: string },
  Entry extends { readonly name: string },
>(
  state: CatalogState,
  workspace: string,
  filter: ListingFilter,
  listing: Listing<Definition, Entry>,
): Steps<(Entry & { readonly streamIds: readonly string[] })[]> {
  const tests = [...textTests<Entry>(filter), ...listing.tests];
  const wanted = listing.ids && new Set(listing.ids);
  const found = new Map<string, FoundEntry<Definition, Entry>>();
  const kinds = yield* streamKinds(state, workspace, filter, listing.table);
  let looked = 0;
  for (const [i, kind] of kinds.entries()) {
    if (i % kindsOfStep === kindsOfStep - 1) yield;
    const written = writtenOf(state, kind, wanted);
    const definitions = yield* definitionsOf(kind, wanted);
    for (const entry of listing.entriesOf(written, definitions)) {
      if (++looked % entriesOfStep === 0) yield;
      if (!tests.every((test) => test(entry))) continue;
      const key = keyOf(entry);
      const known = found.get(key);
      if (known === undefined) found.set(key, { key, entry, kinds: [kind] });
      else known.kinds.push(kind);
    }
  }
  const entries = [...found.values()];
  const compare = inOrder(filter, listing);
  const order = yield* sortInSteps(entries.length, (a, b) => compare(entries[a]!, entries[b]!));
  const idsOf = streamIdsOf(state);
  const page: (Entry & { readonly streamIds: readonly string[] })[] = [];
  for (const place of pageOf(order, filter.paging)) {
    const { entry, kinds: of } = entries[place]!;
    page.push({ ...entry, streamIds: yield* idsOf(of) });
    if (page.length % entriesOfStep === 0) yield;
  }
  return page;
}

/** The parameters of a kind of streams, those with a wanted name; without one all. */
function* writtenOf(
  state: CatalogState,
  { parameters }: StreamKind<unknown>,
  wanted: ReadonlySet<string> | undefined,
): Generator<ParameterKey> {
  for (const number of parameters) {
    const parameter = state.parameters[number];
    if (parameter !== undefined && wanted?.has(parameter.name) !== false) yield parameter;
  }
}

function* definitionsOf<Definition extends { readonly id: string }>(
  { definitions }: StreamKind<Definition>,
  wanted: ReadonlySet<string> | undefined,
): Steps<Map<string, Definition>> {
  const found = new Map<string, Definition>();
  let looked = 0;
  for (const definition of definitions) {
    if (++looked % definitionsOfStep === 0) yield;
    if (wanted?.has(definition.id) !== false) found.set(definition.id, definition);
  }
  return found;
}

function textTests<Entry>({
  name,
  description,
  customProperties,
}: ListingFilter): ((entry: Entry) => boolean)[] {
  return Object.entries({ name, description, customProperties }).flatMap(([field, wanted]) =>
    wanted === undefined ? [] : [fieldTest<Entry>(field as keyof Entry, wanted)],
  );
}

/** The field is there and contains the text; case matters only if the text has a capital. */
export function fieldTest<Entry>(field: keyof Entry, wanted: string): (entry: Entry) => boolean {
  const contains = containsTest(wanted);
  return ({ [field]: value }) => typeof value === 'string' && contains(value);
}

function* streamKinds<Definition>(
  state: CatalogState,
  workspace: string,
  filter: ListingFilter,
  table: DefinitionTable<Definition>,
): Steps<StreamKind<Definition>[]> {
  const kinds: StreamKind<Definition>[] = [];
  const places = new Map<readonly number[], Map<readonly Definition[], StreamKind<Definition>>>();
  yield* eachShown(state, workspace, filter, (stream) => {
    const parameters = state.sets.members(visibleParameters(state, stream));
    const definitions = table.of(stream);
    const ofSet = places.get(parameters) ?? new Map<readonly Definition[], StreamKind<Definition>>();
    places.set(parameters, ofSet);
    const kind = ofSet.get(definitions);
    if (kind !== undefined) {
      kind.streams.push(stream);
      return;
    }
    const made = { number: kinds.length, parameters, definitions, streams: [stream] };
    ofSet.set(definitions, made);
    kinds.push(made);
  });
  return kinds;
}

/** Equal for entries that agree in all fields. */
function keyOf(entry: object): string {
  return JSON.stringify(Object.entries(entry).sort(([a], [b]) => compareText(a, b)));
}

interface Keyed<Entry> {
  readonly key: string;
  readonly entry: Entry;
}

function inOrder<Entry>(
  { ordering = [] }: ListingFilter,
  { lastOrderings, orderedBy }: Pick<Listing<never, Entry>, 'lastOrderings' | 'orderedBy'>,
): (a: Keyed<Entry>, b: Keyed<Entry>) => number {
  const steps = [...ordering, ...lastOrderings.map((by) => ({ by, direction: 'Asc' as const }))];
  return (a, b) => {
    for (const { by, direction } of steps) {
      const left = orderedBy(a.entry, by);
      const right = orderedBy(b.entry, by);
      if (left === right) continue;
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      return left < right === (direction === 'Asc') ? -1 : 1;
    }
    return compareText(a.key, b.key);
  };
}

/** Looks ids up once for all entries of the same kinds of streams. */
function streamIdsOf({
  streams,
}: CatalogState): (kinds: readonly StreamKind<unknown>[]) => Steps<readonly string[]> {
  const known = new Map<string, readonly string[]>();
  return function* (kinds) {
    const key = kinds.map(({ number }) => number).join();
    const found = known.get(key);
    if (found !== undefined) return found;
    const numbers = ascendingNumbers();
    const topics = new Set<number>();
    let looked = 0;
    for (const kind of kinds) {
      for (const stream of kind.streams) {
        numbers.add(stream);
        topics.add(streams.topic(stream));
        if (++looked % streamsOfStep === 0) yield;
      }
    }
    const ids: string[] = [];
    // The same id may be in several topics.
    const seen = topics.size > 1 ? new Set<string>() : undefined;
    for (const stream of yield* numbers.all()) {
      if (++looked % streamsOfStep === 0) yield;
      const id = streams.id(stream);
      if (seen?.has(id) === true) continue;
      seen?.add(id);
      ids.push(id);
    }
    known.set(key, ids);
    return ids;
  };
}
