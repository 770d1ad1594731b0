import { TooManyStreams } from '../store/too-many-streams.ts';
import type { RefusesStream } from '../wire/series/refused.ts';

/**
 * Writes what programs send for many sources at a time: where the workspace may have no more streams, the sources that
 * have one go on, and only those are refused that would need another. Throws where nothing is left.
 *
 * @param write writes, without the streams that are refused
 * @param isSome whether something was written
 */
export async function keepingToStreams<Written>(
  write: (refuses?: RefusesStream) => Promise<Written>,
  isSome: (written: Written) => boolean,
): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof TooManyStreams)) throw error;
    const written = await write((topic, streamId) =>
      error.makes(topic, streamId) ? error.message : undefined,
    );
    if (!isSome(written)) throw error;
    return written;
  }
}
