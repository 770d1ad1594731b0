import { stateBody } from '../alerts/stored-state.ts';
import { defaultWorkspace } from '../domain/principal.ts';
import type { RuleStates, StateName } from '../ingest/alerts/rule-states.ts';
import type { Committer } from '../ingest/commit.ts';
import { requireWorkspace } from '../store/require-workspace.ts';
import type { Store } from '../store/store.ts';
import { promised } from '../turns/promised.ts';
import { CannotGoOn } from './frame.ts';
import type { Lease } from './lease.ts';
import { keepPosition, type Position } from './position.ts';
import { changesOf, type LogRecord } from './record.ts';

/** What records are applied to. */
export interface RecordParts {
  /** The store of this node, which takes what the log has whatever its limits say: they were looked at before. */
  readonly store: Store;
  readonly committer: Committer;
  /** Of alert rules, as this node knows them. */
  readonly states: Pick<RuleStates, 'get'>;
  readonly lease: Lease;
  /** See Position. */
  readonly base: string | undefined;
  /** Whether the position is to be kept where nothing else keeps it: else the next start would read all of it again. */
  readonly isTimeToKeep: (position: Position) => boolean;
}

/** A record with its place in the log. */
export interface PlacedRecord {
  readonly record: LogRecord;
  readonly position: Position;
}

/** A record on its way to the disk. */
export interface Begun {
  /** Resolves with what its sender is told, when it is on disk with its position. */
  readonly done: Promise<unknown>;
  /** Of a long one: resolves when the store has copied its rows, whose memory is used again then. */
  readonly copied?: Promise<void>;
}

/** The log builds on data that this node does not have, or a message of it is gone. */
export class BaseMissing extends CannotGoOn {
  constructor(what: string) {
    super(`${what}: start this node again, and it takes a backup of another`);
  }
}

/**
 * Applies a record; what it does is the same on each node that has applied the same before. Throws BaseMissing.
 *
 * @param isLong copies its rows in slices of time
 */
export function beginRecord(parts: RecordParts, { record, position }: PlacedRecord, isLong: boolean): Begun {
  const { store, committer, lease } = parts;
  const keep = (kept = position): Promise<void> =>
    store.append({ workspace: defaultWorkspace, changes: [keepPosition(kept)] });
  switch (record.type) {
    case 'write': {
      const changes = [...changesOf(record), keepPosition(position)];
      const { workspace, announcements } = record;
      if (!isLong) return { done: begin(() => committer.commit(workspace, changes, announcements)) };
      const { promise: copied, resolve: onCopied } = promised();
      return { done: begin(() => committer.commit(workspace, changes, announcements, onCopied)), copied };
    }
    case 'append': {
      const { workspace } = record;
      return {
        done: begin(() => {
          // What is kept of a workspace would bring it back.
          requireWorkspace(store.catalog, workspace);
          return store.append({ workspace, changes: [...record.changes, keepPosition(position)] });
        }),
      };
    }
    case 'streams': {
      const { workspace, action, filter, now } = record;
      return { done: andThen(committer.changeStreams(workspace, action, filter, now), keep) };
    }
    case 'rows':
      return { done: andThen(store.deleteRows(record.selection, record.parameters), keep) };
    case 'silence':
      return { done: andThen(commitSilence(parts, record.name, record.state), keep) };
    case 'found':
      if (record.base !== parts.base) throw new BaseMissing(`the log builds on the data of ${record.node}`);
      return { done: keep() };
    case 'lease': {
      lease.apply(record.node, record.after, position.sequence);
      const isKept = parts.isTimeToKeep(position);
      return { done: isKept ? keep({ ...position, lease: lease.state }) : Promise.resolve() };
    }
  }
}

async function commitSilence(
  { states, committer }: RecordParts,
  name: StateName,
  body: string,
): Promise<void> {
  const state = states.get(name);
  if (state !== undefined && stateBody(state) === body) await committer.commitSilence(name, state);
}

/** What it throws at once is a rejection like others. */
function begin<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Keeps the position after what is no record of the store that it could stand in. */
async function andThen<Result>(work: Promise<Result>, keep: () => Promise<void>): Promise<Result> {
  const result = await work;
  await keep();
  return result;
}
