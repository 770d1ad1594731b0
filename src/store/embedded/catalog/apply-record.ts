import type { EventDefinition, ParameterDefinition } from '../../../domain/definition.ts';
import type { Document, DocumentName } from '../../../domain/document.ts';
import type { TokenRecord } from '../../../domain/principal.ts';
import type { EndType, StreamProperties } from '../../../domain/stream.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { Show } from '../log/group-commit.ts';
import { type RecordPlace, recordHeaderBytes } from '../log/log-record.ts';
import { rowsExtent, rowsParameters } from '../log/rows-section.ts';
import { readSections, type Section, SectionType } from '../log/sections.ts';
import type { Slab } from '../log/slab.ts';
import { type TombstoneJson, tombstoneFromJson } from '../tombstones/tombstone.ts';
import { workspaceFromJson } from './batch-draft.ts';
import {
  endStream,
  extendStream,
  forgetItem,
  keepItem,
  mergeDefinitions,
  openStream,
  putToken,
  putWorkspace,
  removeStreams,
  removeToken,
  removeWorkspace,
  restoreStream,
  setProperties,
  setTopic,
  softDeleteStream,
  touchStream,
} from './catalog-changes.ts';
import { type CatalogState, placeParameter, placeStream, placeTopic } from './catalog-state.ts';
import { type Merge, mergesInto } from './merges-into.ts';

/**
 * Applies a durable record: the same function for a record that was just synced and for one that a start finds
 * in the log, so replay gives the same state. Applying a record again changes nothing.
 *
 * @param addRows is told the position of each rows section, in order
 */
export function applyRecord(
  state: CatalogState,
  slab: Slab,
  place: RecordPlace,
  addRows: (slab: Slab, at: number) => void,
): void {
  const opening = openingOf(state, place.arrival);
  for (const section of sectionsOf(slab, place)) applyOne(state, slab, place, section, opening, addRows);
}

/** Sections of a step: some tens of microseconds. */
const sectionsOfStep = 128;

/**
 * Applies a long record of rows in two: in steps what nobody sees, with streams that come into being, for all that is known of
 * these is made ready while they do not show, and so are definitions that are merged; then the rest, by what the last step
 * gives. Other records must not be applied between.
 */
export function* prepareRecord(
  state: CatalogState,
  slab: Slab,
  place: RecordPlace,
  addRows: (slab: Slab, at: number) => void,
): Steps<Show> {
  const { arrival } = place;
  const opening = openingOf(state, arrival);
  const sections = sectionsOf(slab, place);
  const made: number[] = [];
  /** Positions of rows of streams that show already. */
  const more: number[] = [];
  const parameterMerges = mergesInto(state, state.parameterDefinitions);
  const eventMerges = mergesInto(state, state.eventDefinitions);
  let next = sections.next();

  for (let taken = 1; next.done !== true; next = sections.next(), taken++) {
    const section = next.value;
    if (section.type === SectionType.Rows) {
      const { stream } = rowsExtent(slab, section.at);
      if (state.streams.isVisible(stream)) more.push(section.at);
      else {
        extendBy(state, slab, section.at);
        made.push(stream);
      }
      addRows(slab, section.at);
    } else if (isDefinition[section.type] === true) {
      applySection(state, section, arrival, opening);
    } else if (section.type === SectionType.ParameterDefinitions) {
      yield;
      parameterMerges.add(section.value as Merge<ParameterDefinition>);
    } else if (section.type === SectionType.EventDefinitions) {
      yield;
      eventMerges.add(section.value as Merge<EventDefinition>);
    } else break;
    if (taken % sectionsOfStep === 0) yield;
  }

  return () => {
    for (const stream of made) openStream(state, stream, arrival);
    for (const at of more) applyRows(state, slab, at, opening);
    parameterMerges.show((stream) => openStream(state, stream, arrival));
    eventMerges.show(opening.open);
    for (; next.done !== true; next = sections.next())
      applyOne(state, slab, place, next.value, opening, addRows);
  };
}

/** Sections that give numbers a meaning: nobody sees that before there is a stream. */
const isDefinition: Readonly<Partial<Record<SectionType, true>>> = {
  [SectionType.Topic]: true,
  [SectionType.Parameter]: true,
  [SectionType.Stream]: true,
};

function sectionsOf(slab: Slab, { at, length }: RecordPlace): Generator<Section> {
  return readSections(slab, at + recordHeaderBytes, length);
}

function applyOne(
  state: CatalogState,
  slab: Slab,
  { lsn, arrival }: RecordPlace,
  section: Section,
  opening: Opening,
  addRows: (slab: Slab, at: number) => void,
): void {
  if (section.type === SectionType.Rows) {
    applyRows(state, slab, section.at, opening);
    addRows(slab, section.at);
  } else if (section.type === SectionType.Quiet) {
    opening.keepQuiet((section.value as { stream: number }).stream);
  } else if (section.type === SectionType.RowDelete) {
    applyRowDelete(state, section.value as TombstoneJson, lsn, arrival);
  } else {
    applySection(state, section, arrival, opening);
  }
}

/** How a record opens streams. */
interface Opening {
  open(stream: number): void;
  /** The record does not open this one from here on. */
  keepQuiet(stream: number): void;
}

function openingOf(state: CatalogState, arrival: number): Opening {
  // Most records have none.
  let quiet: Set<number> | undefined;
  return {
    open(stream) {
      if (quiet?.has(stream) !== true) openStream(state, stream, arrival);
    },
    keepQuiet(stream) {
      quiet ??= new Set();
      quiet.add(stream);
    },
  };
}

/** As it stands in a section: `topic` is absent where there is none. */
type InWorkspace<Named> = Named & { readonly workspace: string };

function applyRows(state: CatalogState, slab: Slab, at: number, { open }: Opening): void {
  const { stream } = rowsExtent(slab, at);
  open(stream);
  if (!state.streams.isVisible(stream)) return;
  extendBy(state, slab, at);
  state.dirty.streams.add(stream);
}

function extendBy(state: CatalogState, slab: Slab, at: number): void {
  const { stream, first, last, count } = rowsExtent(slab, at);
  if (count > 0) extendStream(state, stream, first, last, rowsParameters(slab, at));
}

/** Rows go, the streams stay as they are: neither opened nor ended. */
function applyRowDelete(state: CatalogState, json: TombstoneJson, lsn: number, arrival: number): void {
  const tombstone = tombstoneFromJson(json, lsn, arrival);
  state.tombstones.put(tombstone);
  if (json.expired === true) return;
  for (const stream of tombstone.streams) touchStream(state, stream, tombstone.arrival);
}

function applySection(
  state: CatalogState,
  section: Exclude<Section, { at: number }>,
  arrival: number,
  { open }: Opening,
): void {
  switch (section.type) {
    case SectionType.Topic:
      placeTopic(state, section.number, section.workspace, section.name);
      break;
    case SectionType.Parameter:
      placeParameter(state, section.number, section.kind, section.name);
      break;
    case SectionType.Stream: {
      const topic = state.topics[section.topic];
      if (topic === undefined) break;
      placeStream(state, section.number, topic, section.id);
      if (!state.streams.isVisible(section.number))
        state.streams.rows.createdAt[section.number] = section.createdAt;
      break;
    }
    case SectionType.Properties: {
      const { stream, properties } = section.value as { stream: number; properties?: StreamProperties };
      openStream(state, stream, arrival);
      if (properties !== undefined) setProperties(state, stream, properties);
      break;
    }
    case SectionType.ParameterDefinitions: {
      const { stream, definitions } = section.value as Merge<ParameterDefinition>;
      openStream(state, stream, arrival);
      mergeDefinitions(state, state.parameterDefinitions, stream, definitions);
      break;
    }
    case SectionType.EventDefinitions: {
      const { stream, definitions } = section.value as Merge<EventDefinition>;
      open(stream);
      mergeDefinitions(state, state.eventDefinitions, stream, definitions);
      break;
    }
    case SectionType.Close: {
      const { stream, endType } = section.value as { stream: number; endType: EndType };
      endStream(state, stream, endType, arrival);
      break;
    }
    case SectionType.DeleteStreams: {
      if (section.forGood) removeStreams(state, section.numbers);
      else for (const stream of section.numbers) softDeleteStream(state, stream);
      break;
    }
    case SectionType.RestoreStreams:
      for (const stream of section.numbers) restoreStream(state, stream);
      break;
    case SectionType.TopicSettings: {
      const { topic, retention } = section.value as { topic: number; retention?: string };
      setTopic(state, topic, retention === undefined ? undefined : BigInt(retention));
      break;
    }
    case SectionType.Token:
      putToken(state, section.value as TokenRecord);
      break;
    case SectionType.RevokeToken:
      removeToken(state, (section.value as { id: string }).id);
      break;
    case SectionType.Workspace:
      putWorkspace(state, workspaceFromJson(section.value));
      break;
    case SectionType.Keep: {
      const { workspace, ...item } = section.value as InWorkspace<Omit<Document, 'updatedAt'>>;
      const { kind, topic, id, body } = item;
      keepItem(state, workspace, { kind, topic, id, body, updatedAt: arrival });
      break;
    }
    case SectionType.Forget: {
      const { workspace, ...name } = section.value as InWorkspace<DocumentName>;
      forgetItem(state, workspace, name);
      break;
    }
    case SectionType.RemoveWorkspace:
      removeWorkspace(state, (section.value as { name: string }).name);
      break;
  }
}
