import type { Progress } from '../progress.ts';
import type { CopyNotes } from './notes.ts';
import type { CopyService } from './service.ts';
import {
  type ListedWorkspace,
  openWorkspace,
  putRules,
  putThings,
  putWorkspace,
  readKept,
} from './things.ts';
import { type CopiedStreams, WorkspaceStreams } from './workspace.ts';

/** What a run has done. */
export interface CopyResult extends CopiedStreams {
  readonly workspaces: number;
  readonly rows: number;
  readonly events: number;
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
  const total = { rows: 0, events: 0, bytes: 0, streams: 0, rules: 0 };
  const results: CopiedStreams[] = [];
  for (const workspace of workspaces) {
    const { name } = workspace;
    const tell = (): void =>
      progress.at(
        all === 0 ? 1 : total.streams / all,
        `workspace ${name}: ${total.streams} of ${all} streams, ${total.rows} rows, ${total.events} events, ${(total.bytes / 1e6).toFixed(1)} MB`,
      );
    await openWorkspace(target, workspace);
    await putThings(target, notes, name, await readKept(source, name));
    const copied = ({ rows = 0, events = 0, bytes = 0 }): void => {
      total.rows += rows;
      total.events += events;
      total.bytes += bytes;
      tell();
    };
    const ends = { source: source.of(name), target: target.of(name), notes, signal, copied };
    const streams = new WorkspaceStreams(name, ends, (count) => {
      total.streams += count;
      tell();
    });
    await streams.copy(topics.get(name)!.names);
    results.push(streams.result);
    // What rules know of streams has gone on meanwhile.
    total.rules += await putRules(target, notes, name, await readKept(source, name));
    await putWorkspace(target, workspace);
  }
  const sumOf = (count: (one: CopiedStreams) => number): number =>
    results.reduce((sum, one) => sum + count(one), 0);
  return {
    workspaces: workspaces.length,
    rows: total.rows,
    events: total.events,
    rules: total.rules,
    copied: sumOf(({ copied }) => copied),
    unchanged: sumOf(({ unchanged }) => unchanged),
    binned: sumOf(({ binned }) => binned),
    gone: sumOf(({ gone }) => gone),
    failures: results.flatMap(({ failures }) => failures),
  };
}
