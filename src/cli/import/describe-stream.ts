import type { ValueNames } from '../../domain/definition.ts';
import type { Client } from '../client.ts';
import { listOf, nothing } from '../expected-answer.ts';
import type { WhatIsIn } from './what-is-in.ts';

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

export interface StreamPlace {
  readonly topic: string;
  readonly stream: string;
}

/** The most definitions in one request. */
const definitionsTogether = 1000;

/**
 * Writes units and what the file says of the recording; what the stream has besides stays. Throws a CommandError, also where
 * someone ends the command early.
 */
export async function describeStream(
  client: Client,
  { topic, stream }: StreamPlace,
  { metadata, start, channels }: Recording,
  isIn: WhatIsIn,
): Promise<void> {
  isIn.stop();
  const address = `/topics/${encodeURIComponent(topic)}/streams/${encodeURIComponent(stream)}`;
  if (start !== undefined || Object.keys(metadata).length > 0) {
    const filter = JSON.stringify({ topic, streamIds: [stream] });
    const [there] = await client.call('POST', '/streams', filter, isStreamList);
    const timeOfRecording =
      start === undefined ? there?.timeOfRecording : new Date(Number(start / 1_000_000n)).toISOString();
    const properties = {
      ...(there !== undefined && { name: there.name, location: there.location, parents: there.parents }),
      metadata: { ...there?.metadata, ...metadata },
      ...(timeOfRecording !== undefined && { timeOfRecording }),
    };
    isIn.stop();
    await client.call('PUT', address, JSON.stringify(properties), nothing);
    isIn.addStream();
  }
  const definitions = channels
    .filter(
      ({ unit, description, valueNames }) =>
        unit !== '' || description !== undefined || valueNames !== undefined,
    )
    .map(({ name, unit, description, valueNames }) => ({
      id: name,
      ...(unit !== '' && { unit }),
      ...(description !== undefined && { description }),
      ...(valueNames !== undefined && { valueNames }),
    }));
  for (let i = 0; i < definitions.length; i += definitionsTogether) {
    const some = definitions.slice(i, i + definitionsTogether);
    await client.call('PUT', `${address}/parameters`, JSON.stringify(some), nothing);
    isIn.addDefinitions(some.length);
  }
}

interface StreamThere {
  readonly name: string;
  readonly location: string;
  readonly parents: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly timeOfRecording?: string;
}

const isStreamList = listOf<StreamThere>({ name: 'string', location: 'string', parents: 'list' });
