import { type EventDefinition, eventLevels, type ParameterDefinition } from '../../../domain/definition.ts';
import {
  type EventFilter,
  type ListedEvent,
  type ListedParameter,
  type ParameterFilter,
  parameterTypes,
  type TopicSummary,
} from '../../../domain/listing.ts';
import { Kind } from '../../../domain/parameter-data.ts';
import { compareText } from '../../../domain/tags.ts';
import type { Selection } from '../../../query/plan/plan.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { CatalogState, Topic } from './catalog-state.ts';
import { fieldTest, listEntries } from './list-definitions.ts';
import { streamsOfStep } from './one-moment.ts';
import { visibleExtent, visibleParameters } from './retention.ts';
import { candidatesToRead, isShown } from './select-streams.ts';

type ParameterEntry = Omit<ListedParameter, 'streamIds'>;
type EventEntry = Omit<ListedEvent, 'streamIds'>;

/** `/parameters`: what was written, a name once for each of its types, and what was only defined. */
export function listParameters(
  state: CatalogState,
  workspace: string,
  filter: ParameterFilter,
): Steps<ListedParameter[]> {
  const { parameterIds, unit, includeTypes } = filter;
  const tests: ((entry: ParameterEntry) => boolean)[] = [];
  if (unit !== undefined) tests.push(fieldTest('unit', unit));
  if (includeTypes !== undefined) tests.push(({ type }) => includeTypes.includes(type));
  return listEntries<ParameterDefinition, ParameterEntry>(state, workspace, filter, {
    ids: parameterIds,
    table: state.parameterDefinitions,
    *entriesOf(written, definitions) {
      const names = new Set<string>();
      for (const { kind, name } of written) {
        if (kind === Kind.Event) continue;
        yield { ...named(definitions.get(name) ?? { id: name }), type: parameterTypes[kind] };
        names.add(name);
      }
      for (const definition of definitions.values())
        if (!names.has(definition.id)) yield { ...named(definition), type: 'Unknown' };
    },
    tests,
    lastOrderings: ['parameterId', 'type'],
    orderedBy(entry, by) {
      if (by === 'type') return parameterTypes.indexOf(entry.type);
      return entry[by === 'parameterId' ? 'id' : (by as keyof Omit<ParameterDefinition, 'valueNames'>)];
    },
  });
}

/** `/events`: what was written or defined. */
export function listEvents(
  state: CatalogState,
  workspace: string,
  filter: EventFilter,
): Steps<ListedEvent[]> {
  const { eventIds, includeLevels, excludeLevels } = filter;
  const tests: ((entry: EventEntry) => boolean)[] = [];
  if (includeLevels !== undefined)
    tests.push(({ level }) => level !== undefined && includeLevels.includes(level));
  if (excludeLevels !== undefined)
    tests.push(({ level }) => level === undefined || !excludeLevels.includes(level));
  return listEntries<EventDefinition, EventEntry>(state, workspace, filter, {
    ids: eventIds,
    table: state.eventDefinitions,
    *entriesOf(written, definitions) {
      const names = new Set<string>();
      for (const { kind, name } of written) {
        if (kind !== Kind.Event) continue;
        yield named(definitions.get(name) ?? { id: name });
        names.add(name);
      }
      for (const definition of definitions.values()) if (!names.has(definition.id)) yield named(definition);
    },
    tests,
    lastOrderings: ['id'],
    orderedBy(entry, by) {
      if (by === 'level') return entry.level && eventLevels.indexOf(entry.level);
      return entry[by as Exclude<keyof EventDefinition, 'level'>];
    },
  });
}

/** Ids of the events that the streams have data of, in order of text. */
export function* writtenEvents(
  state: CatalogState,
  workspace: string,
  { streamIds, topic }: Pick<Selection, 'streamIds' | 'topic'>,
): Steps<string[]> {
  const written = new Set<readonly number[]>();
  let looked = 0;
  for (const stream of candidatesToRead(state, workspace, streamIds, topic)) {
    if (++looked % streamsOfStep === 0) yield;
    if (isShown(state, stream)) written.add(state.sets.members(visibleParameters(state, stream)));
  }
  const numbers = new Set([...written].flat());
  const ids: string[] = [];
  for (const number of numbers) {
    const parameter = state.parameters[number];
    if (parameter?.kind === Kind.Event) ids.push(parameter.name);
  }
  return ids.sort();
}

function named<Definition extends { readonly id: string; readonly name?: string }>(definition: Definition) {
  return { ...definition, name: definition.name ?? definition.id };
}

/** `/topics`: every topic that was written to or given settings, by name; those whose streams are all gone too. */
export function* topicSummaries(state: CatalogState, workspace: string): Steps<TopicSummary[]> {
  const summaries: TopicSummary[] = [];
  for (const topic of [...(state.topicsByName.get(workspace)?.values() ?? [])])
    if (topic.visible) summaries.push(yield* summaryOf(state, topic));
  return summaries.sort((a, b) => compareText(a.name, b.name));
}

function* summaryOf(state: CatalogState, topic: Topic): Steps<TopicSummary> {
  const { rows } = state.streams;
  let streams = 0;
  let looked = 0;
  let dataStart: bigint | undefined;
  let dataEnd: bigint | undefined;
  let lastUpdate: number | undefined;
  for (const stream of topic.streams.values()) {
    if (++looked % streamsOfStep === 0) yield;
    if (!isShown(state, stream)) continue;
    streams++;
    lastUpdate = Math.max(lastUpdate ?? 0, rows.lastUpdate[stream]!);
    const data = visibleExtent(state, stream);
    if (data === undefined) continue;
    if (dataStart === undefined || data.first < dataStart) dataStart = data.first;
    if (dataEnd === undefined || data.last > dataEnd) dataEnd = data.last;
  }
  return { name: topic.name, streams, dataStart, dataEnd, lastUpdate };
}
