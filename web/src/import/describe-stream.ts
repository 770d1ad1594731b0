import type { Client } from '../../../src/client/client.ts';
import type { ValueNames } from '../../../src/client/models.ts';

/** What a file says of a recording. */
export interface Recording {
  readonly metadata: Readonly<Record<string, string>>;
  /** ns since the Unix epoch; undefined where the file does not say it. */
  readonly start: bigint | undefined;
  readonly channels: readonly {
    readonly name: string;
    readonly unit: string;
    readonly description?: string;
    readonly valueNames?: ValueNames;
  }[];
}

const definitionsTogether = 1000;

/** Writes units and what the file says of the recording; what the stream has already stays. */
export async function describeStream(
  client: Client,
  { topic, streamId }: { readonly topic: string; readonly streamId: string },
  { metadata, start, channels }: Recording,
): Promise<void> {
  const [topicName, id] = [topic.trim(), streamId.trim()];
  if (start !== undefined || Object.keys(metadata).length > 0) {
    const [there] = await client.streams({ topic: topicName, streamIds: [id] });
    const begun = start === undefined ? undefined : new Date(Number(start / 1_000_000n)).toISOString();
    const timeOfRecording = there?.timeOfRecording ?? begun;
    await client.updateStream(topicName, id, {
      ...(there !== undefined && { name: there.name, location: there.location, parents: there.parents }),
      metadata: { ...metadata, ...there?.metadata },
      ...(timeOfRecording !== undefined && { timeOfRecording }),
    });
  }
  const definitions = channels
    .filter(
      ({ unit, description, valueNames }) =>
        unit !== '' || description !== undefined || valueNames !== undefined,
    )
    .map(({ name, unit, description, valueNames }) => ({
      id: name.trim(),
      ...(unit !== '' && { unit }),
      ...(description !== undefined && { description }),
      ...(valueNames !== undefined && { valueNames }),
    }));
  for (let i = 0; i < definitions.length; i += definitionsTogether)
    await client.defineParameters(topicName, id, definitions.slice(i, i + definitionsTogether));
}
