import type { EventDefinition, ParameterDefinition } from '../../../domain/definition.ts';
import type { TokenRecord } from '../../../domain/principal.ts';
import type { EndType, StreamProperties } from '../../../domain/stream.ts';
import { type RecordPlace, recordHeaderBytes } from '../log/log-record.ts';
import { rowsExtent, rowsParameters } from '../log/rows-section.ts';
import { readSections, type Section, SectionType } from '../log/sections.ts';
import type { Slab } from '../log/slab.ts';
import { type Tombstone, type TombstoneJson, tombstoneFromJson } from '../tombstones/tombstone.ts';
import { workspaceFromJson } from './batch-draft.ts';
import {
  endStream,
  extendStream,
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
  for (const section of readSections(slab, place.at + recordHeaderBytes, place.length)) {
    if (section.type === SectionType.Rows) {
      applyRows(state, slab, section.at, place.arrival);
      addRows(slab, section.at);
    } else if (section.type === SectionType.RowDelete) {
      applyRowDelete(state, tombstoneFromJson(section.value as TombstoneJson, place.lsn, place.arrival));
    } else {
      applySection(state, section, place.arrival);
    }
  }
}

interface Merge<Definition> {
  readonly stream: number;
  readonly definitions: readonly Definition[];
}

function applyRows(state: CatalogState, slab: Slab, at: number, arrival: number): void {
  const { stream, first, last, count } = rowsExtent(slab, at);
  openStream(state, stream, arrival);
  if (count > 0) extendStream(state, stream, first, last, rowsParameters(slab, at));
}

/** Rows go, the streams stay as they are: neither opened nor ended. */
function applyRowDelete(state: CatalogState, tombstone: Tombstone): void {
  state.tombstones.put(tombstone);
  for (const stream of tombstone.streams) touchStream(state, stream, tombstone.arrival);
}

function applySection(state: CatalogState, section: Exclude<Section, { at: number }>, arrival: number): void {
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
      openStream(state, stream, arrival);
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
    case SectionType.RemoveWorkspace:
      removeWorkspace(state, (section.value as { name: string }).name);
      break;
  }
}
