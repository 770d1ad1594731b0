import type { Warn } from '../domain/warning.ts';
import type { Catalog } from '../store/store.ts';
import { type Steps, whole } from '../turns/steps.ts';
import type { SeriesRead, StreamMetadata } from '../wire/series-read.ts';
import { decodedSeries } from './decoded.ts';
import { type FreshDefinitions, saidDefinitions } from './said-definitions.ts';
import { saidMetadata } from './said-metadata.ts';
import { isLong, type writePath } from './write-path.ts';

/** Writes the series that `read` finds in a body, step by step. */
export type WriteSeries = <Read extends SeriesRead>(
  workspace: string,
  body: Uint8Array,
  read: () => Steps<Read>,
  signal?: () => AbortSignal,
  warn?: Warn,
) => Promise<SeriesWritten<Read>>;

/** What was read of a body of series, and how many of their rows were expired. */
export interface SeriesWritten<Read> {
  readonly read: Read;
  /** How many rows it has, ends of series among them. */
  readonly rows: number;
  readonly expired: number;
}

export function writeSeries(
  { write, writeLong }: Pick<ReturnType<typeof writePath>, 'write' | 'writeLong'>,
  catalog: Pick<Catalog, 'isNew' | 'describe'>,
  now: () => number,
): WriteSeries {
  const said = saidDefinitions(catalog);
  const describe = saidMetadata(write, catalog, now);
  return async <Read extends SeriesRead>(
    ...[workspace, body, read, signal, warn]: Parameters<WriteSeries>
  ) => {
    let found: Read | undefined;
    let fresh: FreshDefinitions[] = [];
    let metadata: readonly StreamMetadata[] = [];
    let rows = 0;
    const decoded = (of: SeriesRead) => {
      found = of as Read;
      said.learn(workspace, of.families);
      fresh = said.fresh(workspace, of.streams, of.definitions);
      metadata = describe.fresh(workspace, of.metadata);
      const made = decodedSeries(of.streams, fresh, body.length);
      rows = made.rows;
      return made;
    };
    const expired = isLong(body, signal)
      ? await writeLong(workspace, body, signal, read, decoded, warn)
      : await write(workspace, body, () => decoded(whole(read())), warn);
    said.written(workspace, fresh);
    if (metadata.length > 0) await describe.write(workspace, metadata, body);
    return { read: found!, rows, expired };
  };
}
