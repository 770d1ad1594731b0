import { anyStatus } from '../../import/any-status.ts';
import { streamOfRun } from '../../import/same-time/place-runs.ts';
import type { Client } from '../client.ts';
import { listOf } from '../expected-answer.ts';
import type { StreamPlace } from './describe-stream.ts';

/** The most streams in one request. */
const together = 1000;

/**
 * Tells of streams of later runs (`ID-2` …) that are there before the import: nobody has named them. They may be of another
 * file, or of the same one that is sent again.
 */
export async function runsThere(
  client: Client,
  { topic, stream }: StreamPlace,
  runs: number,
): Promise<string[]> {
  const names = Array.from({ length: Math.max(0, runs - 1) }, (_, i) => streamOfRun(stream, i + 1));
  const there: string[] = [];
  for (let i = 0; i < names.length; i += together) {
    const streamIds = names.slice(i, i + together);
    const filter = { topic, streamIds, includeStatuses: anyStatus };
    const found = await client.call('POST', '/streams', JSON.stringify(filter), isList);
    there.push(...streamIds.filter((name) => found.some(({ streamId }) => streamId === name)));
  }
  if (there.length === 0) return [];
  const [first, last] = [there[0]!, there.at(-1)!];
  const which =
    there.length === 1 ? `the stream ${first} was` : `${there.length} streams, ${first} to ${last}, were`;
  return [`${which} there before: rows of this file were added`];
}

const isList = listOf<{ readonly streamId: string }>({ streamId: 'string' });
