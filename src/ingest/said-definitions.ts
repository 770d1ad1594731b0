import type { ParameterDefinition } from '../domain/definition.ts';
import type { Catalog } from '../store/store.ts';
import {
  definitionOf,
  familyNames,
  type MetricFamily,
  type SeriesDefinition,
} from '../wire/metric-family.ts';
import type { SeriesOfStream } from '../wire/series-rows.ts';

/** Metrics of all workspaces, and definitions of all streams, that are remembered; those not used for the longest are forgotten. */
const maxFamilies = 100_000;
const maxDefinitions = 500_000;

/** Definitions of one stream that are to be written. */
export interface FreshDefinitions {
  readonly topic: string;
  readonly streamId: string;
  readonly definitions: ParameterDefinition[];
}

/** What programs say of their metrics again and again: it is written when it is new or has changed. */
export interface SaidDefinitions {
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

export function saidDefinitions(catalog: Pick<Catalog, 'isNew'>): SaidDefinitions {
  /** By workspace and name. */
  const families = new Map<string, Map<string, MetricFamily>>();
  let familyCount = 0;
  /** By stream and id, as JSON. The streams written to last stand last. */
  const told = new Map<string, Map<string, string>>();
  let toldCount = 0;

  const toldOf = (key: string): Map<string, string> => {
    const known = told.get(key) ?? new Map<string, string>();
    told.delete(key);
    told.set(key, known);
    return known;
  };

  const forget = (key: string): void => {
    toldCount -= told.get(key)?.size ?? 0;
    told.delete(key);
  };

  return {
    learn(workspace, said) {
      if (said.size === 0) return;
      let own = families.get(workspace);
      if (own === undefined || familyCount + said.size > maxFamilies) {
        if (familyCount + said.size > maxFamilies) {
          families.clear();
          familyCount = 0;
        }
        own = new Map();
        families.set(workspace, own);
      }
      for (const [name, family] of said) {
        if (!own.has(name)) familyCount++;
        own.set(name, family);
      }
    },

    fresh(workspace, streams, own) {
      const known = families.get(workspace);
      const found = new Map<string, FreshDefinitions>();
      const look = (topic: string, streamId: string, definition: ParameterDefinition): void => {
        const key = keyOf(workspace, topic, streamId);
        if (catalog.isNew(workspace, topic, streamId) === true) forget(key);
        if (told.get(key)?.get(definition.id) === JSON.stringify(definition)) return;
        const list = found.get(key) ?? { topic, streamId, definitions: [] };
        found.set(key, list);
        list.definitions.push(definition);
      };
      for (const { topic, streamId, definition } of own) look(topic, streamId, definition);
      if (known === undefined) return [...found.values()];
      for (const { topic, streamId, rows } of streams) {
        const names = new Set(rows.flatMap(({ columns }) => columns.map(({ name }) => name)));
        for (const name of names) {
          const family = familyNames(name)
            .map((one) => known.get(one))
            .find((one) => one !== undefined);
          const definition = family && definitionOf(name, { ...family });
          if (definition !== undefined) look(topic, streamId, definition);
        }
      }
      return [...found.values()];
    },

    written(workspace, list) {
      for (const { topic, streamId, definitions } of list) {
        const known = toldOf(keyOf(workspace, topic, streamId));
        for (const definition of definitions) {
          if (!known.has(definition.id)) toldCount++;
          known.set(definition.id, JSON.stringify(definition));
        }
      }
      for (const key of told.keys()) {
        if (toldCount <= maxDefinitions) break;
        forget(key);
      }
    },
  };
}

function keyOf(workspace: string, topic: string, streamId: string): string {
  return `${workspace}\n${topic.toLowerCase()}\n${streamId}`;
}
