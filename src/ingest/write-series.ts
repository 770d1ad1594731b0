import type { StreamLookup } from '../store/store.ts';
import type { Steps } from '../turns/steps.ts';
import type { RefusesStream } from '../wire/series/refused.ts';
import type { SeriesRead, SeriesToWrite, StreamMetadata } from '../wire/series/series-read.ts';
import { type Decoded, decodedSeries } from './decoded.ts';
import { definitionCache, type FreshDefinitions } from './definition-cache.ts';
import { keepingToStreams } from './keeping-to-streams.ts';
import { type MetadataWriter, metadataWriter } from './metadata-writer.ts';
import type { WriteCall, Written } from './write-call.ts';
import type { WritePath } from './write-path.ts';

/** What was read of a body of series, and what came of it. */
export interface SeriesWritten<Read> extends Written {
  readonly read: Read;
  /** How many rows it has, ends of series among them. */
  readonly rows: number;
}

/** What is found while a body is read. */
interface Found<Read> {
  read: Read | undefined;
  rows: number;
  fresh: readonly FreshDefinitions[];
  metadata: readonly StreamMetadata[];
}

/**
 * Writes series of any topics, as another program's protocol has them. Good ones are written as one unit with what is said of
 * them; what is refused was counted by who reads the body.
 */
export class SeriesWriter {
  readonly #path;
  readonly #said;
  readonly #describe: MetadataWriter;

  /** @param now milliseconds since the Unix epoch */
  constructor(path: WritePath, catalog: StreamLookup, now: () => number) {
    this.#path = path;
    this.#said = definitionCache(catalog);
    this.#describe = metadataWriter(path, catalog, now);
  }

  /**
   * @param bytes of the body
   * @param steps read it: into arrays that nobody uses again where it is long (`isLong`), else they may last until the next
   * body is read
   */
  async write<Read extends SeriesToWrite>(
    call: WriteCall,
    bytes: number,
    steps: Steps<Read>,
  ): Promise<SeriesWritten<Read>> {
    const { workspace } = call;
    const found: Found<Read> = { read: undefined, rows: 0, fresh: [], metadata: [] };
    const written = await this.#path.write(call, bytes, this.#decode(workspace, bytes, steps, found));
    this.#said.written(workspace, found.fresh);
    if (found.metadata.length > 0) await this.#describe.write(workspace, found.metadata, bytes);
    return { ...written, read: found.read!, rows: found.rows };
  }

  /**
   * The same of programs that send for many sources: where the workspace may have no more streams those that are there are
   * written, and only the others refused.
   *
   * @param read begins to read the body, and refuses these streams
   */
  writeFitting<Read extends SeriesRead>(
    call: WriteCall,
    bytes: number,
    read: (refuses?: RefusesStream) => Steps<Read>,
  ): Promise<SeriesWritten<Read>> {
    return keepingToStreams(
      (refuses) => this.write(call, bytes, read(refuses)),
      ({ rows }) => rows > 0,
    );
  }

  *#decode<Read extends SeriesToWrite>(
    workspace: string,
    bytes: number,
    steps: Steps<Read>,
    found: Found<Read>,
  ): Steps<Decoded> {
    const read = yield* steps;
    this.#said.learn(workspace, read.families);
    const fresh = this.#said.fresh(workspace, read.streams, read.definitions);
    const decoded = decodedSeries(read.streams, fresh, bytes, read.keeps);
    const metadata = this.#describe.fresh(workspace, read.metadata);
    Object.assign(found, { read, fresh, metadata, rows: decoded.rows });
    return decoded;
  }
}
