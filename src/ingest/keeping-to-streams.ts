import { TooManyStreams } from '../store/too-many-streams.ts';
import type { RefusesStream } from '../wire/series/refused.ts';

/**
 * Writes what programs send for many sources at a time: where the workspace may have no more streams, the sources that
 * have one go on, and only those are refused that would need another. Throws where nothing is left.
 *
 * @param again writes without these streams
 * @param isSome whether that has written something
 */
export async function keepingToStreams<Written>(
  write: () => Promise<Written>,
  again: (refuses: RefusesStream) => Promise<Written>,
  isSome: (written: Written) => boolean,
): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof TooManyStreams)) throw error;
    const written = await again((topic, streamId) =>
      error.makes(topic, streamId) ? error.message : undefined,
    );
    if (!isSome(written)) throw error;
    return written;
  }
}
