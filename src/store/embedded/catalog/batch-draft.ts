import { NumericRows } from '../../../domain/numeric-rows.ts';
import { Kind, type Rows } from '../../../domain/parameter-data.ts';
import type { WorkspaceRecord } from '../../../domain/principal.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { Batch, Change } from '../../store.ts';
import {
  jsonSection,
  parameterSection,
  type SectionDraft,
  SectionType,
  streamSection,
  topicSection,
} from '../log/sections.ts';
import { RowsDraft } from '../log/write-rows.ts';
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
  const draft = new BatchDraft(state, batch.workspace, now);
  let drafted = 0;
  for (const change of batch.changes) {
    if (++drafted % stepChanges === 0) yield;
    if ('definitions' in change) yield* draft.addDefinitions(change);
    else draft.add(change);
  }
  return draft.sections;
}

type Definitions = Change & { readonly type: 'parameterDefinitions' | 'eventDefinitions' };

class BatchDraft {
  readonly #state;
  readonly #workspace;
  /** Milliseconds since the Unix epoch. */
  readonly #now;
  /** Topics, parameters, and numbers of streams that the record defines already; most records define nothing. */
  #defined: Set<Topic | Parameter | number> | undefined;
  /** Names of columns of numbers, and their numbers: in the record they stay what they are. */
  #names: readonly string[] | undefined;
  #numbers: readonly number[] = [];
  /** In their order in the record. */
  readonly sections: SectionDraft[] = [];

  constructor(state: CatalogState, workspace: string, now: number) {
    this.#state = state;
    this.#workspace = workspace;
    this.#now = now;
  }

  add(change: Exclude<Change, Definitions>): void {
    switch (change.type) {
      case 'rows':
        this.#addRows(change);
        break;
      case 'stream': {
        const stream = this.#streamNumber(change.topic, change.streamId);
        this.#addJson(SectionType.Properties, { stream, properties: change.properties });
        break;
      }
      case 'close':
        this.#addClose(change);
        break;
      case 'topic': {
        const { number: topic } = this.#topicOf(change.topic);
        const retention = change.retention === undefined ? undefined : String(change.retention);
        this.#addJson(SectionType.TopicSettings, { topic, retention });
        break;
      }
      case 'token':
        this.#addJson(SectionType.Token, change.token);
        break;
      case 'revokeToken':
        this.#addJson(SectionType.RevokeToken, { id: change.id });
        break;
      case 'workspace':
        this.#addJson(SectionType.Workspace, workspaceToJson(change.workspace));
        break;
      case 'keep': {
        const { kind, topic, id, body } = change;
        this.#addJson(SectionType.Keep, { workspace: this.#workspace, kind, topic, id, body });
        break;
      }
      case 'forget': {
        const { kind, topic, id } = change;
        this.#addJson(SectionType.Forget, { workspace: this.#workspace, kind, topic, id });
        break;
      }
      case 'removeWorkspace':
        this.#addJson(SectionType.RemoveWorkspace, { name: change.name });
        break;
    }
  }

  *addDefinitions(change: Definitions): Steps<void> {
    const { definitions } = change;
    const ofEvents = change.type === 'eventDefinitions';
    const type = ofEvents ? SectionType.EventDefinitions : SectionType.ParameterDefinitions;
    const stream = this.#streamOf(change, ofEvents && change.quiet === true);
    if (stream === undefined) return;
    for (let from = 0; from === 0 || from < definitions.length; from += stepChanges) {
      if (from > 0) yield;
      this.#addJson(type, { stream, definitions: definitions.slice(from, from + stepChanges) });
    }
  }

  #addRows(change: Change & { type: 'rows' }): void {
    const stream = this.#streamOf(change, change.quiet === true);
    if (stream === undefined) return;
    if (change.rows.length === 0) this.#addJson(SectionType.Properties, { stream });
    for (const rows of change.rows) {
      this.sections.push(new RowsDraft(rows, stream, this.#parametersOf(rows)));
    }
  }

  #addClose({ topic, streamId, endType }: Change & { type: 'close' }): void {
    const stream = findStream(this.#state, this.#workspace, topic, streamId);
    if (stream === undefined) return;
    // After its removal a stream is left alone, and must not get a meaning again.
    if (this.#state.streams.rows.leaving[stream] !== true) this.#streamNumber(topic, streamId);
    this.#addJson(SectionType.Close, { stream, endType });
  }

  #addJson(type: SectionType, body: object): void {
    this.sections.push(jsonSection(type, body));
  }

  /** The stream of a change; of a quiet one, which the service itself makes, undefined where there is no such stream. */
  #streamOf(
    { topic, streamId }: { readonly topic: string; readonly streamId: string },
    isQuiet: boolean,
  ): number | undefined {
    if (!isQuiet) return this.#streamNumber(topic, streamId);
    const stream = findStream(this.#state, this.#workspace, topic, streamId);
    if (stream === undefined || this.#state.streams.rows.leaving[stream] === true) return undefined;
    this.#addJson(SectionType.Quiet, { stream });
    return this.#streamNumber(topic, streamId);
  }

  #streamNumber(topicName: string, id: string): number {
    const { streams } = this.#state;
    const topic = this.#topicOf(topicName);
    const stream = reserveStream(this.#state, topic, id);
    if (!streams.isPersisted(stream) && this.#isNew(stream)) {
      const createdAt = streams.rows.createdAt[stream] || this.#now;
      this.sections.push(streamSection(stream, topic.number, createdAt, id));
    }
    return stream;
  }

  #topicOf(name: string): Topic {
    const topic = reserveTopic(this.#state, this.#workspace, name);
    if (!topic.persisted && this.#isNew(topic)) {
      this.sections.push(topicSection(topic.number, topic.workspace, topic.name));
    }
    return topic;
  }

  /** Many streams have the same columns, one after the other. */
  #parametersOf(rows: Rows): readonly number[] {
    if (!(rows instanceof NumericRows))
      return rows.columns.map(({ kind, name }) => this.#parameterNumber(kind, name));
    if (rows.names !== this.#names) {
      this.#names = rows.names;
      this.#numbers = rows.names.map((name) => this.#parameterNumber(Kind.Numeric, name));
    }
    return this.#numbers;
  }

  #parameterNumber(kind: Kind, name: string): number {
    const parameter = reserveParameter(this.#state, kind, name);
    if (!parameter.persisted && this.#isNew(parameter)) {
      parameter.section ??= parameterSection(parameter.number, kind, name);
      this.sections.push(parameter.section);
    }
    return parameter.number;
  }

  /** Whether the record does not define it yet; from now on it does. */
  #isNew(key: Topic | Parameter | number): boolean {
    this.#defined ??= new Set();
    return this.#defined.size < this.#defined.add(key).size;
  }
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
