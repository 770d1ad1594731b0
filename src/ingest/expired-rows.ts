import type { Rows } from '../domain/parameter-data.ts';
import type { LiveContent } from '../live/broker.ts';
import type { Batch, Change, ServiceRegistry } from '../store/store.ts';
import type { Steps } from '../turns/steps.ts';
import { selectSteps } from '../wire/rows/select-rows.ts';
import type { Announcement } from './announcement.ts';

type RowsChange = Extract<Change, { readonly type: 'rows' }>;

/** A change of rows without those that are expired already, and what is left to tell its readers. */
interface Unexpired {
  readonly change: RowsChange;
  readonly content: LiveContent;
  readonly expired: number;
}

/** What is left of a batch without expired rows, of which there were so many. */
export interface UnexpiredChanges {
  readonly changes: Batch['changes'];
  readonly announcements: readonly Announcement[];
  readonly expired: number;
}

/** Changes of a step. */
const stepChanges = 512;

/** Leaves out rows that are expired already, and what is said of them. */
export function* keepUnexpired(
  catalog: Pick<ServiceRegistry, 'retainedFrom'>,
  workspace: string,
  written: Batch['changes'],
  allAnnouncements: readonly Announcement[],
): Steps<UnexpiredChanges> {
  // Copies, where rows are left out.
  let changes: Batch['changes'][number][] | undefined;
  let announcements: Announcement[] | undefined;
  let expired = 0;
  for (const [i, change] of written.entries()) {
    if (i % stepChanges === stepChanges - 1) yield;
    const oldest = change.type === 'rows' ? catalog.retainedFrom(workspace, change.topic) : undefined;
    if (change.type !== 'rows' || oldest === undefined) continue;
    const left = yield* withoutExpired(change, allAnnouncements[i]!.content, oldest);
    if (left === undefined) continue;
    changes ??= [...written];
    announcements ??= [...allAnnouncements];
    changes[i] = left.change;
    announcements[i] = { ...announcements[i]!, content: left.content };
    expired += left.expired;
  }
  return { changes: changes ?? written, announcements: announcements ?? allAnnouncements, expired };
}

/**
 * Leaves out rows before `oldest` (ns); the stream is opened all the same. Undefined where no row is so old; only
 * otherwise is anything copied. In steps: of a column, or of the times, of a million rows at most.
 */
function* withoutExpired(
  change: RowsChange,
  content: LiveContent,
  oldest: bigint,
): Steps<Unexpired | undefined> {
  const rows: (Rows | undefined)[] = [];
  for (const written of change.rows) {
    rows.push(written.base >= oldest ? written : yield* keptRows(written, oldest));
  }
  const expired = change.rows.reduce((sum, { count }, i) => sum + count - (rows[i]?.count ?? 0), 0);
  if (expired === 0) return undefined;
  const left = rows.filter((kept) => kept !== undefined);
  return { change: { ...change, rows: left }, content: contentOf(content, left, oldest), expired };
}

function* keptRows(rows: Rows, oldest: bigint): Steps<Rows | undefined> {
  const cut = Number(oldest - rows.base);
  const kept: number[] = [];
  let first = Number.POSITIVE_INFINITY;
  for (let row = 0; row < rows.count; row++) {
    const offset = rows.offsets[row]!;
    if (offset < cut) continue;
    kept.push(row);
    first = Math.min(first, offset);
  }
  if (kept.length === 0) return undefined;
  yield;
  const selected = Uint32Array.from(kept);
  const values = yield* selectSteps(rows, selected);
  return {
    count: kept.length,
    base: rows.base + BigInt(first),
    offsets: Float64Array.from(selected, (row) => rows.offsets[row]! - first),
    ...values,
  };
}

/** What readers are told: no rows that they could not read. */
function contentOf(content: LiveContent, left: readonly Rows[], oldest: bigint): LiveContent {
  if (left.length === 0) return { type: 'stream', properties: undefined };
  if (content.type === 'parameterData') return { ...content, rows: left };
  if (content.type !== 'eventData') return content;
  return { ...content, events: content.events.filter(({ timestamp }) => timestamp >= oldest) };
}
