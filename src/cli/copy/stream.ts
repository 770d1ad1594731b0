import { createHash } from 'node:crypto';
import { endOf, expiredIn } from '../../client/answers.ts';
import type { StreamInfo } from '../../client/models.ts';
import { decodeParameterData } from '../../client/parameter-data.ts';
import { streamPath } from '../../client/paths.ts';
import { createDescription } from '../../client/replay/copy-description.ts';
import { type ColumnNames, eventWindows, isTooLarge } from '../../client/replay/source-pages.ts';
import { isTooMuch, writeEvents, writeRows } from '../../client/replay/target.ts';
import { JsonText } from '../../client/transport.ts';
import type { EndType } from '../../domain/stream.ts';
import type { CopyNotes, StreamName } from './notes.ts';
import type { Calls } from './service.ts';
import type { CopiedNow, Tally } from './tally.ts';

/** The two ends of a copy, in one workspace, and what it tells on its way. */
export interface Ends {
  readonly source: Calls;
  readonly target: Calls;
  readonly notes: CopyNotes;
  readonly signal: AbortSignal;
  readonly tally: Tally;
}

type Group = 'numericParameters' | 'stringParameters' | 'binaryParameters';

interface Column {
  readonly group: Group;
  readonly name: string;
}

/** Cells of the first page; pages grow and shrink until their text is about this long. */
const firstCells = 20_000;
const shortPage = 1_000_000;
const longPage = 4_000_000;
const mostRows = 50_000;
const mostColumns = 1000;
/** Columns that mostly have no value where others have one are read apart from them. */
const mostEmpty = 0.7;

/**
 * Copies a stream as it is now: properties, definitions, rows and events up to its end as it was listed, and how it was closed.
 * What an earlier run has noted as copied of it is left out.
 */
export async function copyStream(ends: Ends, workspace: string, stream: StreamInfo): Promise<void> {
  const { source, target } = ends;
  const { topic, streamId } = stream;
  const place = { topic, streamId };
  const { updateStream, defineParameters, defineEvents } = target;
  const description = createDescription(
    { ...source, updateStream, defineParameters, defineEvents },
    place,
    place,
    { signal: ends.signal },
  );
  const names = await description.copy(stream, undefined, undefined);
  if (stream.dataStart !== undefined && stream.dataEnd !== undefined) {
    const copy = new StreamCopy(ends, { ...place, workspace }, stream, names);
    await copy.rows();
    await copy.events();
  }
  if (isEnd(stream.status)) await target.closeStream(topic, streamId, stream.status);
}

function isEnd(status: string): status is EndType {
  return status === 'Closed' || status === 'Aborted' || status === 'Terminated';
}

class StreamCopy {
  readonly #ends: Ends;
  readonly #name: StreamName;
  readonly #stream: StreamInfo;
  readonly #tags: readonly string[];
  readonly #columns: readonly Column[];
  /** Another one where the columns are others: then parts are not what they were. */
  readonly #form: string;
  /** How many columns are copied to their end. */
  #done = 0;

  constructor(ends: Ends, name: StreamName, stream: StreamInfo, names: ColumnNames) {
    this.#ends = ends;
    this.#name = name;
    this.#stream = stream;
    this.#tags = [...names.tags].sort();
    const columnsOf = (group: Group, list: readonly string[]): Column[] =>
      [...list].sort().map((column) => ({ group, name: column }));
    this.#columns = [
      ...columnsOf('numericParameters', names.numeric),
      ...columnsOf('stringParameters', names.strings),
      ...columnsOf('binaryParameters', names.binaries),
    ];
    const form = JSON.stringify([this.#columns, this.#tags]);
    this.#form = createHash('sha256').update(form).digest('hex').slice(0, 16);
  }

  async rows(): Promise<void> {
    const count = this.#columns.length;
    for (let from = 0; from < count; from += mostColumns)
      await this.#columnsBetween(from, Math.min(count, from + mostColumns));
  }

  async events(): Promise<void> {
    const { source, target, signal } = this.#ends;
    const { topic, streamId, dataStart, dataEnd } = this.#stream;
    const begun = this.#begun('events');
    if (begun === 'all') return;
    const extent = { topic, streamId, from: begun ?? dataStart!, to: dataEnd! };
    for await (const window of eventWindows(source, extent, { signal })) {
      const expired = await writeEvents(target, { topic, streamId }, window);
      const last = window.at(-1)!.timestamp;
      this.#tell({ events: window.length, expired }, 1, last);
      this.#isCopied('events', last);
      signal.throwIfAborted();
    }
    this.#isCopied('events', 'all');
  }

  /** The rows of some columns: what they have in common is read and written once. */
  async #columnsBetween(from: number, to: number): Promise<void> {
    const { signal } = this.#ends;
    const part = `${this.#form} ${from}-${to}`;
    const begun = this.#begun(part);
    const columns = to - from;
    if (begun === 'all') {
      this.#done += columns;
      return;
    }
    const query = this.#query(from, to, begun);
    let limit = Math.max(1, Math.min(mostRows, Math.floor(firstCells / (columns + this.#tags.length + 1))));
    let cursor: string | undefined;
    for (;;) {
      const asked = { ...query, limit, ...(cursor !== undefined && { cursor }) };
      const page = await this.#read(asked, limit > 1 || columns > 1);
      if (page === undefined) {
        if (limit > 1) {
          limit = Math.ceil(limit / 4);
          continue;
        }
        // A row that is more than an answer may have.
        await this.#halves(from, to);
        break;
      }
      const { text, rows, last, next } = page;
      const isFirst = cursor === undefined && begun === undefined;
      if (isFirst && columns > 1 && next !== undefined && emptyPart(text, rows, columns) > mostEmpty) {
        await this.#halves(from, to);
        break;
      }
      if (rows > 0) {
        const expired = await this.#write(text);
        this.#tell({ rows, expired, bytes: text.length }, columns, last!);
        if (next !== undefined) this.#isCopied(part, last!);
      }
      signal.throwIfAborted();
      if (next === undefined) {
        this.#done += columns;
        break;
      }
      cursor = next;
      if (text.length < shortPage) limit = Math.min(mostRows, limit * 2);
      else if (text.length > longPage) limit = Math.max(1, limit >> 1);
    }
    this.#isCopied(part, 'all');
  }

  async #halves(from: number, to: number): Promise<void> {
    const middle = (from + to) >> 1;
    await this.#columnsBetween(from, middle);
    await this.#columnsBetween(middle, to);
  }

  #query(first: number, end: number, begun: bigint | undefined) {
    const { topic, streamId, dataStart, dataEnd } = this.#stream;
    const columns = this.#columns.slice(first, end);
    const wanted = (group: Group) =>
      columns.filter((one) => one.group === group).map(({ name }) => ({ parameterName: name }));
    return {
      topic,
      streamIds: [streamId],
      from: begun ?? dataStart!,
      to: dataEnd!,
      numericParameters: wanted('numericParameters'),
      stringParameters: wanted('stringParameters'),
      binaryParameters: wanted('binaryParameters'),
      groupBy: this.#tags,
      // What a topic calculates is calculated there too.
      writtenOnly: true,
    };
  }

  /** A page as the service has written it, which it takes as it is; undefined where it would be more than an answer may have. */
  async #read(query: object, isDivisible: boolean): Promise<Page | undefined> {
    try {
      const { transport } = this.#ends.source;
      const { signal } = this.#ends;
      const response = await transport.send('POST', '/parameters/data?int64=string', query, { signal });
      const next = response.headers.get('pitwall-next-cursor') ?? undefined;
      const text = await response.text();
      const times = /^\{"timestamps":\[([^\]]*)\]/.exec(text)?.[1];
      if (times === undefined) throw new Error('the source answers rows in a form that is not known');
      if (times === '') return { text, rows: 0, last: undefined, next };
      const last = BigInt(times.slice(times.lastIndexOf(',') + 1).replaceAll('"', ''));
      return { text, rows: countOf(',', times) + 1, last, next };
    } catch (error) {
      if (isTooLarge(error) && isDivisible) return undefined;
      throw error;
    }
  }

  /** Gives how many of the rows the target did not keep. */
  async #write(text: string): Promise<number> {
    const { target } = this.#ends;
    const { topic, streamId } = this.#stream;
    const path = `${streamPath(topic, streamId)}/parameters/data`;
    try {
      const response = await target.transport.send('POST', path, new JsonText(text));
      await endOf(response);
      return expiredIn(response);
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return await writeRows(target, { topic, streamId }, decodeParameterData(JSON.parse(text)));
    }
  }

  /** @param columns of how many the rows up to `last` (ns) are copied: those before are copied to their end, and events count as one */
  #tell(what: CopiedNow, columns: number, last: bigint): void {
    const { dataStart, dataEnd } = this.#stream;
    const fraction = dataEnd === dataStart ? 1 : Number(last - dataStart!) / Number(dataEnd! - dataStart!);
    const part = (this.#done + columns * fraction) / (this.#columns.length + 1);
    this.#ends.tally.copied(what, this.#stream, part);
  }

  #begun(part: string): bigint | 'all' | undefined {
    return this.#ends.notes.partOf(this.#name, this.#stream.lastUpdate, part);
  }

  #isCopied(part: string, to: bigint | 'all'): void {
    this.#ends.notes.partIs(this.#name, this.#stream.lastUpdate, part, to);
  }
}

interface Page {
  readonly text: string;
  readonly rows: number;
  /** The time of its last row; undefined without rows. */
  readonly last: bigint | undefined;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

function countOf(what: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + what.length)) count++;
  return count;
}

/** What part of the cells has no value, about. */
function emptyPart(text: string, rows: number, columns: number): number {
  return countOf('null', text) / (rows * columns);
}
