import type { EventDefinition, ParameterDefinition, StreamDescription } from '../../../domain/definition.ts';
import { Kind } from '../../../domain/parameter-data.ts';
import type { Stream } from '../../../domain/stream.ts';
import { compareText } from '../../../domain/tags.ts';
import { foldTopic } from '../../../domain/topic.ts';
import { inNextTurn } from '../../../turns/rest.ts';
import type { StreamLookup } from '../../store.ts';
import { kindNames } from '../server/kinds.ts';
import { param, print, type Sql, sql } from '../server/sql.ts';
import type { Asking } from './catalog-settings.ts';
import { definitionFields } from './definition-source.ts';
import { writtenParameters } from './extents.ts';
import { type StreamQuestion, type StreamRow, streamOf, streamsWhere } from './select-streams.ts';
import { namedStreams, streamKey } from './stream-scope.ts';

interface Asked {
  readonly topic: string;
  readonly stream: string;
  readonly resolve: (description: StreamDescription | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The most streams that one statement asks for. */
const maxAtOnce = 5000;

/** Describes streams: those of a workspace that are asked for in one turn of the event loop by the same statements. */
export function streamDescriber(
  clickhouse: Asking,
  questionOn: (workspace: string, now: number) => StreamQuestion,
): StreamLookup['describe'] {
  const waiting = new Map<string, Asked[]>();

  async function answer(question: StreamQuestion, asked: readonly Asked[]): Promise<void> {
    try {
      const found = await describeAll(clickhouse, question, asked);
      for (const one of asked) one.resolve(found.get(streamKey(one)));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  return (workspace, topic, streamId, now) =>
    new Promise((resolve, reject) => {
      const key = JSON.stringify([workspace, now]);
      const asked = waiting.get(key) ?? [];
      if (asked.push({ topic: foldTopic(topic), stream: streamId, resolve, reject }) > 1) return;
      waiting.set(key, asked);
      inNextTurn(() => {
        waiting.delete(key);
        for (let from = 0; from < asked.length; from += maxAtOnce) {
          void answer(questionOn(workspace, now), asked.slice(from, from + maxAtOnce));
        }
      });
    });
}

async function describeAll(
  clickhouse: Asking,
  question: StreamQuestion,
  asked: readonly Asked[],
): Promise<Map<string, StreamDescription>> {
  const { workspace, kept } = question;
  const conditions = [sql`workspace = ${param(workspace, 'String')}`, namedStreams(asked)];
  const rows = <Row extends readonly unknown[]>(statement: Sql) => clickhouse.rows<Row>(print(statement));
  const [streams, written, defined] = await Promise.all([
    rows<StreamRow>(streamsWhere(question, conditions)),
    rows<WrittenRow>(
      sql`SELECT topic, stream, parameter, kind FROM (${writtenParameters(conditions, kept)})`,
    ),
    rows<DefinitionRow>(
      sql`SELECT topic, stream, kind, id, field, value FROM (${definitionFields(conditions)})`,
    ),
  ]);

  const found = new Map<string, Draft>();
  for (const row of streams) {
    const draft = { stream: streamOf(row), written: [], parameter: new Map(), event: new Map() };
    found.set(streamKey({ topic: row[0], stream: row[1] }), draft);
  }
  for (const [topic, stream, name, kind] of written) {
    found.get(streamKey({ topic, stream }))?.written.push({ kind: kindNames.indexOf(kind) as Kind, name });
  }
  for (const [topic, stream, kind, id, field, value] of defined) {
    const definitions = found.get(streamKey({ topic, stream }))?.[kind];
    const definition = definitions?.get(id) ?? {};
    definition[field] = JSON.parse(value);
    definitions?.set(id, definition);
  }
  return new Map([...found].map(([key, draft]) => [key, descriptionOf(draft)]));
}

type WrittenRow = readonly [
  topic: string,
  stream: string,
  parameter: string,
  kind: (typeof kindNames)[number],
];

type DefinitionRow = readonly [
  topic: string,
  stream: string,
  kind: 'parameter' | 'event',
  id: string,
  field: string,
  value: string,
];

interface Draft {
  readonly stream: Stream;
  readonly written: { readonly kind: Kind; readonly name: string }[];
  readonly parameter: Map<string, Record<string, unknown>>;
  readonly event: Map<string, Record<string, unknown>>;
}

function descriptionOf({ stream, written, parameter, event }: Draft): StreamDescription {
  const ordered = written.toSorted((a, b) => compareText(a.name, b.name) || a.kind - b.kind);
  return {
    stream,
    parameters: ordered.filter(({ kind }) => kind !== Kind.Event),
    eventIds: ordered.filter(({ kind }) => kind === Kind.Event).map(({ name }) => name),
    parameterDefinitions: byId(parameter) as unknown as ParameterDefinition[],
    eventDefinitions: byId(event) as unknown as EventDefinition[],
  };
}

function byId(definitions: ReadonlyMap<string, Record<string, unknown>>): Record<string, unknown>[] {
  return [...definitions].toSorted(([a], [b]) => compareText(a, b)).map(([, definition]) => definition);
}
