import type { StreamLookup } from '../store/store.ts';
import type { Steps } from '../turns/steps.ts';
import type { RefusesStream } from '../wire/series/refused.ts';
import type { SeriesRead, SeriesToWrite, StreamMetadata } from '../wire/series/series-read.ts';
import { decodedSeries } from './decoded.ts';
import { definitionCache, type FreshDefinitions } from './definition-cache.ts';
import { keepingToStreams } from './keeping-to-streams.ts';
import { metadataWriter } from './metadata-writer.ts';
import type { WriteCall } from './write-call.ts';
import type { Sized, Write } from './write-path.ts';

/**
 * Writes the series that `read` finds in a body, step by step, in arrays that nobody uses again; or those that `atOnce`
 * finds where the body is short, in arrays that last until it is called again.
 */
export type WriteSeries = <Read extends SeriesToWrite>(
  call: WriteCall,
  body: Sized,
  read: () => Steps<Read>,
  atOnce?: () => Read,
) => Promise<SeriesWritten<Read>>;

/** What was read of a body of series, and how many of their rows were expired. */
export interface SeriesWritten<Read> {
  readonly read: Read;
  /** How many rows it has, ends of series among them. */
  readonly rows: number;
  readonly expired: number;
}

/** The same of what a door reads, which may be told to refuse streams. */
export type WriteFittingSeries = <Read extends SeriesRead>(
  call: WriteCall,
  body: Sized,
  read: (refuses?: RefusesStream) => Steps<Read>,
) => Promise<SeriesWritten<Read>>;

export function writeFittingSeries(series: WriteSeries): WriteFittingSeries {
  return (call, body, read) =>
    keepingToStreams(
      () => series(call, body, () => read()),
      (refuses) => series(call, body, () => read(refuses)),
      ({ rows }) => rows > 0,
    );
}

export function writeSeries(write: Write, catalog: StreamLookup, now: () => number): WriteSeries {
  const said = definitionCache(catalog);
  const describe = metadataWriter(write, catalog, now);
  return async <Read extends SeriesToWrite>(...[call, body, steps, atOnce]: Parameters<WriteSeries>) => {
    const { workspace } = call;
    let found: Read | undefined;
    let fresh: FreshDefinitions[] = [];
    let metadata: readonly StreamMetadata[] = [];
    let rows = 0;
    const expired = await write(call, body, {
      steps,
      ...(atOnce !== undefined && { atOnce }),
      decoded(read) {
        found = read as Read;
        said.learn(workspace, read.families);
        fresh = said.fresh(workspace, read.streams, read.definitions);
        metadata = describe.fresh(workspace, read.metadata);
        const made = decodedSeries(read.streams, fresh, body.length, read.keeps);
        rows = made.rows;
        return made;
      },
    });
    said.written(workspace, fresh);
    if (metadata.length > 0) await describe.write(workspace, metadata, body);
    return { read: found!, rows, expired };
  };
}
