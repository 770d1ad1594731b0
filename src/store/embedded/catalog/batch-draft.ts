import type { WorkspaceRecord } from '../../../domain/principal.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { Batch, Change } from '../../store.ts';
import {
  jsonSection,
  parameterSection,
  rowsSection,
  type SectionDraft,
  SectionType,
  streamSection,
  topicSection,
} from '../log/sections.ts';
import { draftRows } from '../log/write-rows.ts';
import {
  type CatalogState,
  findStream,
  type Parameter,
  reserveParameter,
  reserveStream,
  reserveTopic,
  type Topic,
} from './catalog-state.ts';

/** Changes of a step, and definitions of a section. */
const stepChanges = 128;

/**
 * Turns a batch into the sections of one record: names become numbers, and every number that the manifest does
 * not hold yet is defined in the same record. Where steps are taken in several turns, the sections may become a record only if
 * `state.lostNumbers.count` is what it was at the first step: else a number in them may have lost its meaning meanwhile.
 *
 * @param now milliseconds since the Unix epoch, the creation time of streams that come into being
 */
export function* draftSteps(state: CatalogState, batch: Batch, now: number): Steps<SectionDraft[]> {
  const drafts: SectionDraft[] = [];
  /** Topics, parameters, and numbers of streams that the record defines already; most records define nothing. */
  let defined: Set<Topic | Parameter | number> | undefined;
  /** Whether the record does not define it yet; from now on it does. */
  const isNew = (key: Topic | Parameter | number): boolean => {
    defined ??= new Set();
    return defined.size < defined.add(key).size;
  };

  const topicOf = (name: string): Topic => {
    const topic = reserveTopic(state, batch.workspace, name);
    if (!topic.persisted && isNew(topic)) {
      drafts.push(topicSection(topic.number, topic.workspace, topic.name));
    }
    return topic;
  };

  const streamNumber = (topicName: string, id: string): number => {
    const topic = topicOf(topicName);
    const stream = reserveStream(state, topic, id);
    if (!state.streams.isPersisted(stream) && isNew(stream)) {
      const createdAt = state.streams.rows.createdAt[stream] || now;
      drafts.push(streamSection(stream, topic.number, createdAt, id));
    }
    return stream;
  };

  /** A stream that is there, of which the service itself says something; after its removal nothing is said. */
  const quietStream = (topic: string, id: string): number | undefined => {
    const stream = findStream(state, batch.workspace, topic, id);
    if (stream === undefined || state.streams.rows.leaving[stream] === true) return undefined;
    drafts.push(jsonSection(SectionType.Quiet, { stream }));
    return streamNumber(topic, id);
  };

  const addRows = (change: Change & { type: 'rows' }) => {
    const place = change.quiet === true ? quietStream : streamNumber;
    const stream = place(change.topic, change.streamId);
    if (stream === undefined) return;
    if (change.rows.length === 0) drafts.push(jsonSection(SectionType.Properties, { stream }));
    for (const rows of change.rows) {
      const parameters = rows.columns.map(({ kind, name }) => {
        const parameter = reserveParameter(state, kind, name);
        if (!parameter.persisted && isNew(parameter)) {
          parameter.section ??= parameterSection(parameter.number, kind, name);
          drafts.push(parameter.section);
        }
        return parameter.number;
      });
      drafts.push(rowsSection(draftRows(rows, stream, parameters)));
    }
  };

  let drafted = 0;
  for (const change of batch.changes) {
    if (++drafted % stepChanges === 0) yield;
    switch (change.type) {
      case 'rows':
        addRows(change);
        break;
      case 'stream': {
        const stream = streamNumber(change.topic, change.streamId);
        drafts.push(jsonSection(SectionType.Properties, { stream, properties: change.properties }));
        break;
      }
      case 'parameterDefinitions':
      case 'eventDefinitions': {
        const isQuiet = change.type === 'eventDefinitions' && change.quiet === true;
        const stream = (isQuiet ? quietStream : streamNumber)(change.topic, change.streamId);
        if (stream === undefined) break;
        const type =
          change.type === 'eventDefinitions'
            ? SectionType.EventDefinitions
            : SectionType.ParameterDefinitions;
        const { definitions } = change;
        for (let from = 0; from === 0 || from < definitions.length; from += stepChanges) {
          if (from > 0) yield;
          const some = definitions.slice(from, from + stepChanges);
          drafts.push(jsonSection(type, { stream, definitions: some }));
        }
        break;
      }
      case 'close': {
        const stream = findStream(state, batch.workspace, change.topic, change.streamId);
        if (stream === undefined) break;
        // After its removal a stream is left alone, and must not get a meaning again.
        if (state.streams.rows.leaving[stream] !== true) streamNumber(change.topic, change.streamId);
        drafts.push(jsonSection(SectionType.Close, { stream, endType: change.endType }));
        break;
      }
      case 'topic': {
        const { number: topic } = topicOf(change.topic);
        const retention = change.retention === undefined ? undefined : String(change.retention);
        drafts.push(jsonSection(SectionType.TopicSettings, { topic, retention }));
        break;
      }
      case 'token':
        drafts.push(jsonSection(SectionType.Token, change.token));
        break;
      case 'revokeToken':
        drafts.push(jsonSection(SectionType.RevokeToken, { id: change.id }));
        break;
      case 'workspace':
        drafts.push(jsonSection(SectionType.Workspace, workspaceToJson(change.workspace)));
        break;
      case 'keep': {
        const { kind, topic, id, body } = change;
        drafts.push(jsonSection(SectionType.Keep, { workspace: batch.workspace, kind, topic, id, body }));
        break;
      }
      case 'forget': {
        const { kind, topic, id } = change;
        drafts.push(jsonSection(SectionType.Forget, { workspace: batch.workspace, kind, topic, id }));
        break;
      }
      case 'removeWorkspace':
        drafts.push(jsonSection(SectionType.RemoveWorkspace, { name: change.name }));
        break;
    }
  }
  return drafts;
}

/** JSON has no 64-bit integers: `retention` becomes a string of digits. */
export function workspaceToJson(workspace: WorkspaceRecord): Record<string, unknown> {
  const { retention, ...rest } = workspace;
  return retention === undefined ? rest : { ...rest, retention: String(retention) };
}

export function workspaceFromJson(value: unknown): WorkspaceRecord {
  const { retention, ...rest } = value as Omit<WorkspaceRecord, 'retention'> & { retention?: string };
  return retention === undefined ? rest : { ...rest, retention: BigInt(retention) };
}
