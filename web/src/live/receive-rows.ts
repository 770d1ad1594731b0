import type { Live, LiveParameterData } from '../../../src/client/client.ts';
import type { StreamRef } from '../state/view-text.ts';

/** The hub sends of each package what is plotted, and nothing else, until it refuses or the page is too slow. */
export async function receiveRows(
  live: Live,
  { topic, streamId }: StreamRef,
  id: readonly string[],
  onData: (data: LiveParameterData) => void,
  onEnd: (error: Error) => void,
): Promise<void> {
  try {
    for await (const data of live.parameterData({ topic, streamId, id })) onData(data);
  } catch (error) {
    onEnd(error as Error);
  }
}
