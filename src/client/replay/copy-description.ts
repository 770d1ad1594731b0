import type { EventDefinition, ParameterDefinition, StreamInfo, StreamProperties } from '../models.ts';
import type { RequestOptions } from '../transport.ts';
import type { ReplayPlace, ReplayService } from './replay-options.ts';
import type { ColumnNames } from './source-pages.ts';
import { inParts } from './target.ts';

/** Makes the target what the source is: properties of the stream, definitions of its parameters and events. */
export interface Description {
  /** Writes what is not written yet, and gives what columns the source has between these times, ns, inclusive. */
  copy(stream: StreamInfo, from: bigint | undefined, to: bigint | undefined): Promise<ColumnNames>;
}

export function createDescription(
  service: ReplayService,
  source: ReplayPlace,
  target: ReplayPlace,
  request: RequestOptions,
): Description {
  const { topic, streamId } = target;
  const filter = { topic: source.topic, streamIds: [source.streamId] };
  const written = new Map<string, string>();

  const writeOnce = async <Value>(what: string, value: Value, write: (value: Value) => Promise<void>) => {
    const text = JSON.stringify(value);
    if (written.get(what) === text) return;
    await write(value);
    written.set(what, text);
  };

  return {
    async copy(stream, from, to) {
      const [listed, events, tags] = await Promise.all([
        service.parameters(filter, request),
        service.events(filter, request),
        service.tagNames(
          { ...filter, ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
          request,
        ),
      ]);
      const hidden = tags.find(({ name }) => pseudoTags.includes(name));
      if (hidden !== undefined) {
        throw new HiddenTag(
          `rows of the source have the tag ${hidden.name}, which no query tells: such a stream can be neither replayed nor copied`,
        );
      }
      await writeOnce('properties', propertiesOf(stream), (properties) =>
        service.updateStream(topic, streamId, properties),
      );
      // What a topic has calculated stays with that topic.
      const parameters = listed.filter(({ type }) => type !== 'Calculated');
      // One that holds numbers and text is listed for each.
      const definitions = new Map(
        parameters
          .map(({ parameterId, type, streamIds: _streams, expression: _none, ...rest }) => {
            return { type, definition: ownFields({ id: parameterId, ...rest }) };
          })
          .filter(({ type, definition }) => type === 'Unknown' || saysMore(definition))
          .map(({ definition }) => [definition.id, definition]),
      );
      const defined = [...definitions.values()];
      if (defined.length > 0) {
        await writeOnce('parameters', defined, (list) =>
          inParts(list, (part) => service.defineParameters(topic, streamId, part)),
        );
      }
      // Whether anybody wrote one that is but an id, or an event of that id, does not show.
      const definedEvents = events.map(({ streamIds: _streams, ...rest }) => ownFields(rest));
      if (definedEvents.length > 0) {
        await writeOnce('events', definedEvents, (list) =>
          inParts(list, (part) => service.defineEvents(topic, streamId, part)),
        );
      }
      const named = (kind: string) =>
        parameters.filter(({ type }) => type === kind).map(({ parameterId }) => parameterId);
      return {
        numeric: named('Numeric'),
        strings: named('String'),
        binaries: named('Binary'),
        tags: tags.map(({ name }) => name),
      };
    },
  };
}

/** Rows of a stream have a tag that cannot be read. */
export class HiddenTag extends Error {}

/** In a query these stand for the stream and the topic of a row, whatever tags it has. */
const pseudoTags: readonly string[] = ['streamId', 'topic'];

/** A name that is the id is the one that a parameter or an event has without one. */
function ownFields<Definition extends ParameterDefinition | EventDefinition>(
  definition: Definition,
): Definition {
  const { name, ...rest } = definition;
  return (name === definition.id ? rest : definition) as Definition;
}

/** Of a parameter with data a definition that is but an id is one that nobody wrote. */
function saysMore(definition: ParameterDefinition): boolean {
  return Object.keys(definition).some((field) => field !== 'id');
}

/** A name that is the id is the one that a stream has without one. */
function propertiesOf(stream: StreamInfo): StreamProperties {
  const { streamId, name, location, metadata, parents, timeOfRecording } = stream;
  return {
    ...(name !== streamId && { name }),
    location,
    metadata,
    parents,
    ...(timeOfRecording !== undefined && { timeOfRecording }),
  };
}
