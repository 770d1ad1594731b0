import type { TagFilter } from '../domain/query.ts';
import type { StreamKey } from '../domain/stream.ts';
import { maxTimestamp, minTimestamp } from '../domain/timestamp.ts';
import type { Selection } from '../query/plan/plan.ts';
import { nameLabel } from './labels.ts';
import type { CompiledMatcher } from './matchers.ts';
import type { ReadsFrom } from './reads-from.ts';
import { labelTags, metadataPrefix } from './series-labels.ts';

/** What is to be read for some conditions: all that meets them is in it, and there may be more. */
export interface Chosen {
  readonly names: readonly string[];
  readonly selection: Selection;
  readonly metadata: (key: StreamKey) => Readonly<Record<string, string>>;
}

type ChooseFrom = Pick<ReadsFrom, 'store' | 'workspace' | 'view' | 'now' | 'signal'>;

/** @param range milliseconds, both ends */
export async function choose(
  matchers: readonly CompiledMatcher[],
  range: { readonly from: number; readonly to: number },
  source: ChooseFrom,
): Promise<Chosen> {
  const [from, to] = [nanoseconds(range.from), nanoseconds(range.to)];
  const selection: Selection = {
    workspace: source.workspace,
    ...(await streamsOf(matchers, { from, to }, source)),
    from,
    to,
    tagFilters: tagFiltersOf(matchers, source),
  };
  return { names: await namesOf(matchers, selection, source), selection, metadata: await metadataOf(source) };
}

/** The texts that a label must have one of; undefined where it may have others, or none. */
function textsOf(matchers: readonly CompiledMatcher[], label: string): readonly string[] | undefined {
  const found = matchers.find(
    ({ name, texts }) => name === label && texts !== undefined && !texts.includes(''),
  );
  return found?.texts;
}

async function streamsOf(
  matchers: readonly CompiledMatcher[],
  range: Pick<Selection, 'from' | 'to'>,
  source: ChooseFrom,
): Promise<Pick<Selection, 'topic' | 'streamIds'>> {
  const { streamLabels } = source.view;
  const [label] = streamLabels.length === 1 ? streamLabels : [];
  let topics = textsOf(matchers, 'job');
  let streamIds = label === undefined ? undefined : textsOf(matchers, label);
  const isAsked = matchers.some(({ name }) => name === 'topic' || name === 'stream');
  if (isAsked) {
    // Rows may have tags with these names; then these count.
    const { store, workspace, signal } = source;
    const all = {
      workspace,
      streamIds,
      topic: topics?.length === 1 ? topics[0] : undefined,
      tagFilters: [],
      ...range,
    };
    const tags = new Set((await store.tagNames(all, signal)).map(({ name }) => name));
    if (!tags.has('topic')) topics ??= textsOf(matchers, 'topic');
    if (!tags.has('stream')) streamIds ??= textsOf(matchers, 'stream');
  }
  return { topic: topics?.length === 1 ? topics[0] : undefined, streamIds };
}

function tagFiltersOf(matchers: readonly CompiledMatcher[], { view }: ChooseFrom): TagFilter[] {
  const filters: TagFilter[] = [];
  for (const { name, texts } of matchers) {
    const [tag, other] = labelTags(name, view);
    const isTag =
      tag !== undefined && !['topic', 'stream'].includes(name) && !name.startsWith(metadataPrefix);
    // Where two tags may give the label, the series that are found are asked.
    if (isTag && other === undefined && texts !== undefined && !texts.includes(''))
      filters.push({ tag, operator: 'Equal', values: texts });
  }
  return filters;
}

async function namesOf(
  matchers: readonly CompiledMatcher[],
  { topic, streamIds }: Selection,
  { store, workspace, signal }: ChooseFrom,
): Promise<string[]> {
  const own = matchers.filter(({ name }) => name === nameLabel);
  const texts = own.find((matcher) => matcher.texts !== undefined)?.texts;
  const isWanted = (name: string): boolean => name !== '' && own.every(({ matches }) => matches(name));
  if (texts !== undefined) return texts.filter(isWanted);
  const filter = {
    includeTypes: ['Numeric' as const],
    ...(topic !== undefined && { topic }),
    ...(streamIds !== undefined && { streamIds }),
  };
  const listed = await store.catalog.parameters(workspace, filter, signal);
  return [...new Set(listed.map(({ id }) => id))].filter(isWanted);
}

async function metadataOf({ store, workspace, view, now, signal }: ChooseFrom): Promise<Chosen['metadata']> {
  if (view.metadata.length === 0) return () => none;
  const streams = await store.catalog.streams(workspace, {}, now, signal);
  const keyOf = ({ topic, streamId }: StreamKey) => `${topic.length}:${topic}${streamId}`;
  const known = new Map(streams.map((stream) => [keyOf(stream), stream.metadata]));
  return (key) => known.get(keyOf(key)) ?? none;
}

const none: Readonly<Record<string, string>> = {};

/** Nanoseconds of whole milliseconds, as far as there are rows. */
export function nanoseconds(ms: number): bigint {
  if (!(ms > -9.2e12)) return minTimestamp;
  return ms < 9.2e12 ? BigInt(Math.floor(ms)) * 1_000_000n : maxTimestamp;
}
