import type { CalculatedDefinition } from '../../domain/definition.ts';
import type { Document } from '../../domain/document.ts';
import {
  containsTest,
  type ListedParameter,
  type ParameterFilter,
  parameterTypes,
} from '../../domain/listing.ts';
import { compareText } from '../../domain/tags.ts';
import { foldTopic } from '../../domain/topic.ts';
import { definitionOf, type TopicDefinition } from '../../expression/definition.ts';
import { topicExpressions } from '../../expression/topic-expressions.ts';
import { nextTurn } from '../../turns/rest.ts';
import type { Documents, Listings } from '../store.ts';

/**
 * `/parameters`: those of the store, and those that topics have calculated. A calculated one has the streams that have written
 * numbers it is calculated from. Where a filter names streams or their location, it is there if it has one of these.
 */
export async function listParameters(
  catalog: Pick<Documents, 'documents'> & Pick<Listings, 'parameters'>,
  workspace: string,
  filter: ParameterFilter,
  signal: AbortSignal,
): Promise<ListedParameter[]> {
  const { includeTypes, paging, ...all } = filter;
  const isAsked = includeTypes === undefined || includeTypes.includes('Calculated');
  const stored = includeTypes?.filter((type) => type !== 'Calculated');
  const calculated = isAsked ? await calculatedOf(catalog, workspace, filter, signal) : [];
  const withTypes = { ...all, ...(stored && { includeTypes: stored }) };
  if (calculated.length === 0 && stored?.length !== 0)
    return catalog.parameters(workspace, { ...withTypes, ...(paging && { paging }) }, signal);
  const others = stored?.length === 0 ? [] : await catalog.parameters(workspace, withTypes, signal);
  const found = [...others, ...calculated].sort(inOrder(filter));
  if (paging === undefined) return found;
  return found.slice(paging.index * paging.length, (paging.index + 1) * paging.length);
}

/** The new definitions whose operands are looked up in one turn of the event loop. */
const definitionsOfTurn = 32;

async function calculatedOf(
  catalog: Pick<Documents, 'documents'> & Pick<Listings, 'parameters'>,
  workspace: string,
  filter: ParameterFilter,
  signal: AbortSignal,
): Promise<ListedParameter[]> {
  const isWanted = wantedBy(filter);
  const { streamIds, location } = filter;
  const namesStreams = (streamIds !== undefined && streamIds.length > 0) || location !== undefined;
  /** Definitions that agree in everything but their streams are one. */
  const found = new Map<
    string,
    { readonly entry: Omit<ListedParameter, 'streamIds'>; readonly streams: Set<string> }
  >();
  for (const [topic, items] of byTopic(
    catalog.documents(workspace, 'calculated', filter.topic),
    filter.topics,
  )) {
    const expressions = topicExpressions(catalog.documents(workspace, 'calculated', topic));
    const wanted: TopicDefinition[] = [];
    for (const item of items) {
      const kept = definitionOf(item);
      if (kept !== undefined && isWanted(kept.definition)) wanted.push(kept);
    }
    if (wanted.length === 0) continue;
    const operands: (readonly string[])[] = [];
    for (const { definition, parsed } of wanted) {
      if (operands.length % definitionsOfTurn === 0) await nextTurn();
      operands.push((expressions.of(definition.id) ?? parsed).parameters);
    }
    const streams = await streamsOf(
      catalog,
      workspace,
      { ...filter, topic },
      [...new Set(operands.flat())],
      signal,
    );
    for (const [i, { definition }] of wanted.entries()) {
      const own = operands[i]!.map((name) => streams.get(name) ?? []);
      if (namesStreams && own.every(({ length }) => length === 0)) continue;
      const entry = { ...definition, name: definition.name ?? definition.id, type: 'Calculated' as const };
      const key = JSON.stringify(Object.entries(entry).sort(([a], [b]) => compareText(a, b)));
      const known = found.get(key) ?? { entry, streams: new Set<string>() };
      found.set(key, known);
      for (const ids of own) for (const id of ids) known.streams.add(id);
    }
  }
  return [...found.values()].map(({ entry, streams }) => ({ ...entry, streamIds: [...streams] }));
}

/** Folded topics in order of text, with what they keep. */
function byTopic(
  items: readonly Document[],
  topics: readonly string[] | undefined,
): [topic: string, items: Document[]][] {
  const asked = topics === undefined || topics.length === 0 ? undefined : new Set(topics.map(foldTopic));
  const found = new Map<string, Document[]>();
  for (const item of items) {
    if (item.topic === undefined) continue;
    const topic = foldTopic(item.topic);
    if (asked !== undefined && !asked.has(topic)) continue;
    const ofTopic = found.get(topic);
    if (ofTopic === undefined) found.set(topic, [item]);
    else ofTopic.push(item);
  }
  return [...found].sort(([a], [b]) => compareText(a, b));
}

/** Ids of streams that have written numbers of these names, by name. */
async function streamsOf(
  catalog: Pick<Documents, 'documents'> & Pick<Listings, 'parameters'>,
  workspace: string,
  { topic, streamIds, location }: ParameterFilter,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string[]>> {
  const written = await catalog.parameters(
    workspace,
    {
      ...(topic !== undefined && { topic }),
      ...(streamIds && { streamIds }),
      ...(location !== undefined && { location }),
      parameterIds: names,
      includeTypes: ['Numeric'],
    },
    signal,
  );
  const found = new Map<string, string[]>();
  for (const { id, streamIds: own } of written) found.set(id, [...(found.get(id) ?? []), ...own]);
  return found;
}

function wantedBy(filter: ParameterFilter): (definition: CalculatedDefinition) => boolean {
  const { parameterIds, name, description, unit, customProperties } = filter;
  const ids = parameterIds === undefined || parameterIds.length === 0 ? undefined : new Set(parameterIds);
  const tests = { name, description, unit };
  return (definition) => {
    if (customProperties !== undefined || ids?.has(definition.id) === false) return false;
    return Object.entries(tests).every(([field, wanted]) => {
      if (wanted === undefined) return true;
      const text =
        field === 'name' ? (definition.name ?? definition.id) : definition[field as keyof typeof tests];
      return text !== undefined && containsTest(wanted)(text);
    });
  };
}

/** As the stores order theirs: what is missing last, then by id and type; equal ones stay as they are. */
function inOrder({ ordering = [] }: ParameterFilter): (a: ListedParameter, b: ListedParameter) => number {
  const steps = [
    ...ordering,
    ...(['parameterId', 'type'] as const).map((by) => ({ by, direction: 'Asc' as const })),
  ];
  return (a, b) => {
    for (const { by, direction } of steps) {
      const [left, right] = [orderedBy(a, by), orderedBy(b, by)];
      if (left === right) continue;
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      return left < right === (direction === 'Asc') ? -1 : 1;
    }
    return 0;
  };
}

function orderedBy(entry: ListedParameter, by: string): string | number | undefined {
  if (by === 'type') return parameterTypes.indexOf(entry.type);
  const value = entry[(by === 'parameterId' ? 'id' : by) as keyof ListedParameter];
  return typeof value === 'object' ? undefined : value;
}
