import { momentText } from '../import/tables/cell-text.ts';
import type { Client } from './client.ts';
import { CommandError } from './command.ts';
import { listOf } from './expected-answer.ts';

/** What the command line selects; times in nanoseconds, inclusive. */
export interface ExportSelection {
  readonly topic: string | undefined;
  readonly streams: readonly string[];
  readonly numeric: readonly string[];
  readonly strings: readonly string[];
  readonly binaries: readonly string[];
  readonly calculated: readonly ExportedCalculation[];
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /** Undefined leaves it to what is found. */
  readonly groupBy: readonly string[] | undefined;
}

/** A column that is calculated from numeric parameters. */
export interface ExportedCalculation {
  readonly name: string;
  readonly expression: string;
}

/** The rows to ask for: a body of `/parameters/data`, and what is known of them beforehand. */
export interface ExportRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly parameters: number;
  readonly streams: number;
  /** Tags of the rows and events that no column shows. */
  readonly hiddenTags: readonly string[];
  /** Tags of columns that no row has. */
  readonly unknownTags: readonly string[];
  /** Why there is no row, where that is plain beforehand. */
  readonly noRows: string | undefined;
  /** Times of the first and the last row, ns, as far as streams tell. */
  readonly first: bigint;
  readonly last: bigint;
}

interface FoundStream {
  readonly streamId: string;
  readonly topic: string;
  readonly dataStart?: string;
  readonly dataEnd?: string;
}

const isTagList = listOf<{ readonly name: string }>({ name: 'string' });
const isStreamList = listOf<FoundStream>({ streamId: 'string', topic: 'string' });

/**
 * Looks up what is selected. Without named parameters it is all of the streams' ones; rows of several streams get the
 * pseudo-tags that tell them apart. Throws a CommandError where there is nothing.
 */
export async function planExport(client: Client, selection: ExportSelection): Promise<ExportRequest> {
  const { topic, streams, calculated, from, to } = selection;
  const filter = {
    ...(topic !== undefined && { topic }),
    ...(streams.length > 0 && { streamIds: streams }),
  };
  const found = await client.call('POST', '/streams?int64=string', JSON.stringify(filter), isStreamList);
  const missing = streams.filter((id) => !found.some(({ streamId }) => streamId === id));
  if (missing.length > 0) throw new CommandError(`there is no stream ${missing.join(', ')}${inTopic(topic)}`);
  if (found.length === 0) throw new CommandError(`there are no streams${inTopic(topic)}`);

  const { lists: parameters, ...asked } = await askedColumns(client, filter, selection);
  const groupBy = selection.groupBy ?? tellingApart(found);
  const range = {
    ...(from !== undefined && { from: String(from) }),
    ...(to !== undefined && { to: String(to) }),
  };
  // Only for a word about them: an export does without where there are too many to list.
  const tags = await client
    .call('POST', '/tags', JSON.stringify({ ...filter, ...range }), isTagList)
    .catch((error: unknown) => {
      if (error instanceof CommandError) return undefined;
      throw error;
    });
  const names = tags?.map(({ name }) => name);
  return {
    body: {
      ...(found.length === 1 ? onlyOf(found[0]!) : filter),
      ...parameters,
      ...asked,
      ...(calculated.length > 0 && { calculatedParameters: calculated }),
      ...range,
      ...(groupBy.length > 0 && { groupBy }),
    },
    parameters: Object.values(parameters).reduce((sum, list) => sum + list.length, calculated.length),
    streams: found.length,
    hiddenTags: names?.filter((name) => !groupBy.includes(name)) ?? [],
    unknownTags:
      names === undefined ? [] : groupBy.filter((name) => !names.includes(name) && !pseudoTags.has(name)),
    noRows: noRowsIn(found, selection),
    ...extent(found, selection),
  };
}

function inTopic(topic: string | undefined): string {
  return topic === undefined ? '' : ` in topic ${topic}`;
}

/** Selects a stream and none that begins meanwhile. */
function onlyOf({ topic, streamId }: FoundStream) {
  return { topic, streamIds: [streamId] };
}

/** Otherwise nothing would tell rows of several streams apart. */
function tellingApart(found: readonly FoundStream[]): string[] {
  if (found.length === 1) return [];
  const topics = new Set(found.map(({ topic }) => topic));
  return topics.size === 1 ? ['streamId'] : ['streamId', 'topic'];
}

const pseudoTags: ReadonlySet<string> = new Set(['streamId', 'topic']);

function noRowsIn(found: readonly FoundStream[], selection: ExportSelection): string | undefined {
  const all = extent(found, { from: undefined, to: undefined });
  if (!found.some(({ dataEnd }) => dataEnd !== undefined)) return 'the streams have no rows';
  const { first, last } = extent(found, selection);
  if (first <= last) return undefined;
  return `there are no rows of that time: those of the streams are from ${momentText(all.first)} to ${momentText(all.last)}`;
}

function extent(
  found: readonly FoundStream[],
  { from, to }: Pick<ExportSelection, 'from' | 'to'>,
): { first: bigint; last: bigint } {
  let first: bigint | undefined;
  let last: bigint | undefined;
  for (const { dataStart, dataEnd } of found) {
    if (dataStart === undefined || dataEnd === undefined) continue;
    if (first === undefined || BigInt(dataStart) < first) first = BigInt(dataStart);
    if (last === undefined || BigInt(dataEnd) > last) last = BigInt(dataEnd);
  }
  return {
    first: from !== undefined && (first === undefined || from > first) ? from : (first ?? 0n),
    last: to !== undefined && (last === undefined || to < last) ? to : (last ?? 0n),
  };
}

const lists = {
  Numeric: 'numericParameters',
  String: 'stringParameters',
  Binary: 'binaryParameters',
} as const;

interface FoundParameter {
  readonly parameterId: string;
  readonly type: string;
}

const isParameterList = listOf<FoundParameter>({ parameterId: 'string', type: 'string' });

type ParameterLists = Record<string, { readonly parameterName: string }[]>;

/** Columns that a body of `/parameters/data` asks for. */
interface AskedColumns {
  readonly lists: ParameterLists;
  /** Nothing is named: what a topic has calculated under a name that is written too is not meant. */
  readonly writtenOnly?: true;
}

async function askedColumns(
  client: Client,
  filter: object,
  { numeric, strings, binaries, calculated }: ExportSelection,
): Promise<AskedColumns> {
  const named: ParameterLists = {};
  const add = (list: string, parameterName: string): void => {
    named[list] = named[list] ?? [];
    if (!named[list].some((one) => one.parameterName === parameterName)) named[list].push({ parameterName });
  };
  for (const name of numeric) add(lists.Numeric, name);
  for (const name of strings) add(lists.String, name);
  for (const name of binaries) add(lists.Binary, name);
  if (Object.keys(named).length > 0 || calculated.length > 0) return { lists: named };
  const found = await client.call('POST', '/parameters', JSON.stringify(filter), isParameterList);
  for (const { parameterId, type } of found) {
    const list = lists[type as keyof typeof lists] as string | undefined;
    if (list !== undefined) add(list, parameterId);
  }
  if (Object.keys(named).length === 0)
    throw new CommandError('the streams have no parameters, so there are no rows');
  return { lists: named, writtenOnly: true };
}
