import type { Client } from '../../../src/client/client.ts';
import type { FileKind } from '../../../src/import/file-ends.ts';

/** Where a file's rows may belong, and why. */
export interface ProposedTopic {
  readonly topic: string;
  readonly reason: string;
}

/** What is known of a file before somebody says where it goes. */
export interface Described {
  readonly kind: FileKind;
  readonly channels: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Topics whose runs have so many of a file's channels are taken for those of the same car. */
const leastShare = 0.5;
/** Names that are asked for, newest runs that have one of them, and topics that are looked at. */
const mostChannels = 200;
const mostRuns = 200;
const mostTopics = 8;

/** What of the recording tells a car, or a series of runs, from others; the first that a file has. */
const tellingKeys = ['vehicle', 'vehicleid', 'car', 'championship', 'event', 'venue'];

const topicsOfKinds: Readonly<Partial<Record<FileKind, string>>> = {
  motec: 'motec',
  mdf4: 'mdf4',
  mcap: 'mcap',
};

/** The topic whose runs have most of the channels; else what the file says of its car; else by the kind of file. */
export async function proposeTopic(
  client: Pick<Client, 'streams' | 'parameters'>,
  { kind, channels, metadata }: Described,
  signal: AbortSignal,
): Promise<ProposedTopic> {
  const asked = [...new Set(channels)].slice(0, mostChannels);
  const alike = asked.length === 0 ? undefined : await alikeTopic(client, asked, signal);
  if (alike !== undefined) return alike;
  for (const wanted of tellingKeys) {
    const [key, said] = Object.entries(metadata).find(([name]) => plain(name) === wanted) ?? ['', ''];
    if (said.trim() !== '') return { topic: said.trim(), reason: `The file says so: ${key}.` };
  }
  const topic = topicsOfKinds[kind] ?? 'imports';
  return { topic, reason: 'No topic has such channels yet.' };
}

function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z]/g, '');
}

async function alikeTopic(
  client: Pick<Client, 'streams' | 'parameters'>,
  asked: readonly string[],
  signal: AbortSignal,
): Promise<ProposedTopic | undefined> {
  const runs = await client.streams(
    {
      parameterIds: asked,
      ordering: [{ by: 'lastUpdate', direction: 'Desc' }],
      paging: { index: 0, length: mostRuns },
    },
    { signal },
  );
  const topics = [...new Set(runs.map(({ topic }) => topic))].slice(0, mostTopics);
  let best: { readonly topic: string; readonly shared: number } | undefined;
  for (const topic of topics) {
    const known = await client.parameters({ topic, parameterIds: asked }, { signal });
    const shared = new Set(known.map(({ parameterId }) => parameterId)).size;
    if (shared >= asked.length * leastShare && shared > (best?.shared ?? 0)) best = { topic, shared };
  }
  if (best === undefined) return undefined;
  const { topic, shared } = best;
  const some = shared === asked.length ? 'these channels' : `${shared} of these ${asked.length} channels`;
  return { topic, reason: `Its runs have ${some}.` };
}
