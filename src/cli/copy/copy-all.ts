import { setMaxListeners } from 'node:events';
import type { Progress } from '../progress.ts';
import {
  type ListedWorkspace,
  openWorkspace,
  putContents,
  putRules,
  putWorkspace,
  readContents,
} from './contents.ts';
import type { CopyNotes } from './notes.ts';
import type { CopyService } from './service.ts';
import { Tally } from './tally.ts';
import { type CopiedStreams, WorkspaceStreams } from './workspace.ts';

/** What a run has done. */
export interface CopyResult extends CopiedStreams {
  readonly workspaces: number;
  readonly rows: number;
  readonly events: number;
  /** How many of them the target did not keep: they were older than the retention of their topic there. */
  readonly expired: number;
  readonly rules: number;
}

export interface CopyParts {
  readonly source: CopyService;
  readonly target: CopyService;
  readonly notes: CopyNotes;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Copies everything of the source that is there now. What is there besides in the target stays. */
export async function copyAll(parts: CopyParts): Promise<CopyResult> {
  const { source, target, notes, progress, signal } = parts;
  const workspaces = await source.list<ListedWorkspace>('/admin/workspaces');
  const topics = new Map<string, { readonly names: string[]; readonly streams: number }>();
  for (const { name } of workspaces) {
    const listed = await source.of(name).topics();
    topics.set(name, {
      names: listed.map((topic) => topic.name),
      streams: listed.reduce((sum, { streams }) => sum + streams, 0),
    });
  }
  const all = [...topics.values()].reduce((sum, { streams }) => sum + streams, 0);
  const tally = new Tally(all, progress);
  let rules = 0;
  const results: CopiedStreams[] = [];
  // Each request that is under way listens to it.
  setMaxListeners(0, signal);
  for (const workspace of workspaces) {
    const { name } = workspace;
    tally.workspace = name;
    await openWorkspace(target, workspace);
    await putContents(target, notes, name, await readContents(source, name));
    const ends = { source: source.of(name), target: target.of(name), notes, signal, tally };
    const streams = new WorkspaceStreams(name, ends);
    await streams.copy(topics.get(name)!.names);
    results.push(streams.result);
    // What rules know of streams has gone on meanwhile.
    rules += await putRules(target, notes, name, await readContents(source, name));
    await putWorkspace(target, workspace);
  }
  const sumOf = (count: (one: CopiedStreams) => number): number =>
    results.reduce((sum, one) => sum + count(one), 0);
  return {
    workspaces: workspaces.length,
    rows: tally.rows,
    events: tally.events,
    expired: tally.expired,
    rules,
    copied: sumOf(({ copied }) => copied),
    unchanged: sumOf(({ unchanged }) => unchanged),
    binned: sumOf(({ binned }) => binned),
    gone: sumOf(({ gone }) => gone),
    failures: results.flatMap(({ failures }) => failures),
  };
}
