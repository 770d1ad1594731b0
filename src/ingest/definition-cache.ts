import type { ParameterDefinition } from '../domain/definition.ts';
import { columnNames } from '../domain/numeric-rows.ts';
import type { StreamLookup } from '../store/store.ts';
import {
  definitionOf,
  familyNames,
  type MetricFamily,
  type SeriesDefinition,
} from '../wire/series/metric-family.ts';
import type { SeriesOfStream } from '../wire/series/series-rows.ts';

/**
 * Letters of what is remembered of metrics of all workspaces, and of definitions of all streams. Beyond them all metrics are
 * forgotten until they are told again, and of the definitions those of streams that were not told of for the longest.
 */
const maxFamilyLetters = 16 * 1024 * 1024;
const maxToldLetters = 32 * 1024 * 1024;

/** Of an entry, without its letters. */
const entryLetters = 64;

/** Definitions of one stream that are to be written. */
export interface FreshDefinitions {
  readonly topic: string;
  readonly streamId: string;
  readonly definitions: ParameterDefinition[];
}

/** What programs say of their metrics again and again: it is written when it is new or has changed. */
export interface DefinitionCache {
  /** What is said of metrics of every stream that has them. */
  learn(workspace: string, families: ReadonlyMap<string, MetricFamily>): void;
  /** Those that are not written yet, of these and of the metrics of these streams. */
  fresh(
    workspace: string,
    streams: readonly SeriesOfStream[],
    own: readonly SeriesDefinition[],
  ): FreshDefinitions[];
  /** They are written. */
  written(workspace: string, definitions: readonly FreshDefinitions[]): void;
}

export function definitionCache(catalog: Pick<StreamLookup, 'isNew'>): DefinitionCache {
  /** By workspace and name. */
  const families = new Map<string, Map<string, MetricFamily>>();
  let familyLetters = 0;
  /** Grows with each change of what is known of metrics. */
  let version = 0;
  /** By stream. The streams written to last stand last. */
  const told = new Map<string, Told>();
  let toldLetters = 0;

  const toldOf = (key: string): Told => {
    const known = told.get(key);
    if (known === undefined) toldLetters += entryLetters;
    else told.delete(key);
    const entry = known ?? { texts: new Map(), settled: new WeakSet(), version };
    told.set(key, entry);
    return entry;
  };

  const forget = (key: string): void => {
    const known = told.get(key);
    if (known === undefined) return;
    toldLetters -= entryLetters;
    for (const [id, text] of known.texts) toldLetters -= lettersOf(id, text);
    told.delete(key);
  };

  /** Nothing is to be told of columns with these names, as long as nothing else is said of metrics. */
  const settle = (key: string, lists: readonly (readonly string[])[]): void => {
    const entry = toldOf(key);
    if (entry.version !== version) entry.settled = new WeakSet();
    entry.version = version;
    for (const names of lists) entry.settled.add(names);
  };

  const isSettled = (key: string, lists: readonly (readonly string[])[]): boolean => {
    const known = told.get(key);
    return known?.version === version && lists.every((names) => known.settled.has(names));
  };

  const dropEldest = (): void => {
    for (const key of told.keys()) {
      if (toldLetters <= maxToldLetters) break;
      forget(key);
    }
  };

  return {
    learn(workspace, said) {
      for (const [name, family] of said) {
        const before = families.get(workspace)?.get(name);
        const more = familySize(name, family) - (before === undefined ? 0 : familySize(name, before));
        if (familyLetters + more > maxFamilyLetters) {
          families.clear();
          familyLetters = 0;
        }
        if (!isSame(before, family)) version++;
        const own = families.get(workspace) ?? new Map<string, MetricFamily>();
        families.set(workspace, own);
        familyLetters += own.has(name) ? more : familySize(name, family);
        own.set(name, family);
      }
    },

    fresh(workspace, streams, own) {
      const known = families.get(workspace);
      const found = new Map<string, FreshDefinitions>();
      const look = (topic: string, streamId: string, definition: ParameterDefinition): void => {
        const key = keyOf(workspace, topic, streamId);
        if (catalog.isNew(workspace, topic, streamId) === true) forget(key);
        if (told.get(key)?.texts.get(definition.id) === JSON.stringify(definition)) return;
        const list = found.get(key) ?? { topic, streamId, definitions: [] };
        found.set(key, list);
        list.definitions.push(definition);
      };
      for (const { topic, streamId, definition } of own) look(topic, streamId, definition);
      if (known === undefined) return [...found.values()];
      for (const { topic, streamId, rows } of streams) {
        const key = keyOf(workspace, topic, streamId);
        if (catalog.isNew(workspace, topic, streamId) === true) forget(key);
        const lists = rows.map(columnNames);
        if (isSettled(key, lists)) continue;
        for (const name of new Set(lists.flat())) {
          const family = familyNames(name)
            .map((one) => known.get(one))
            .find((one) => one !== undefined);
          const definition = family && definitionOf(name, { ...family });
          if (definition !== undefined) look(topic, streamId, definition);
        }
        if (!found.has(key)) settle(key, lists);
      }
      dropEldest();
      return [...found.values()];
    },

    written(workspace, list) {
      for (const { topic, streamId, definitions } of list) {
        const { texts: known } = toldOf(keyOf(workspace, topic, streamId));
        for (const definition of definitions) {
          const { id } = definition;
          const before = known.get(id);
          if (before !== undefined) toldLetters -= lettersOf(id, before);
          const text = JSON.stringify(definition);
          toldLetters += lettersOf(id, text);
          known.set(id, text);
        }
      }
      dropEldest();
    },
  };
}

/** What was told of a stream. */
interface Told {
  /** Definitions by their ids, as JSON. */
  readonly texts: Map<string, string>;
  /** Names of columns of which nothing was to be told, at this version of what is known of metrics. */
  settled: WeakSet<readonly string[]>;
  version: number;
}

function isSame(a: MetricFamily | undefined, b: MetricFamily): boolean {
  return a !== undefined && a.type === b.type && a.help === b.help && a.unit === b.unit;
}

function keyOf(workspace: string, topic: string, streamId: string): string {
  return `${workspace}\n${topic.toLowerCase()}\n${streamId}`;
}

function lettersOf(...texts: (string | undefined)[]): number {
  return texts.reduce((sum, text = '') => sum + text.length, entryLetters);
}

function familySize(name: string, { help, unit }: MetricFamily): number {
  return lettersOf(name, help, unit);
}
