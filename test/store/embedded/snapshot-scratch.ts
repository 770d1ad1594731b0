import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParameterKey } from '../../../src/domain/parameter-data.ts';
import type { Selection } from '../../../src/query/plan/plan.ts';
import { applyRecord } from '../../../src/store/embedded/catalog/apply-record.ts';
import { draftSteps } from '../../../src/store/embedded/catalog/batch-draft.ts';
import { type CatalogState, catalogState } from '../../../src/store/embedded/catalog/catalog-state.ts';
import { draftRowDelete } from '../../../src/store/embedded/deletes/row-delete.ts';
import { headSlab, placeSection, showSections } from '../../../src/store/embedded/log/head.ts';
import { leftSlabs } from '../../../src/store/embedded/log/left-slabs.ts';
import { recordHeaderBytes } from '../../../src/store/embedded/log/log-record.ts';
import {
  jsonSection,
  type SectionDraft,
  SectionType,
  sectionsBytes,
  writeSections,
} from '../../../src/store/embedded/log/sections.ts';
import { makeSlab } from '../../../src/store/embedded/log/slab.ts';
import { runJob } from '../../../src/store/embedded/maintenance/jobs.ts';
import { filePool } from '../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../src/store/embedded/parts/part-cache.ts';
import { partSet } from '../../../src/store/embedded/parts/part-set.ts';
import { type PinnedSnapshot, snapshotTaker } from '../../../src/store/embedded/snapshot/snapshot.ts';
import type { Change } from '../../../src/store/store.ts';
import { whole } from '../../../src/turns/steps.ts';

/** A store without log and timers: what is written stands in one slab until it is sealed, and nothing is merged. */
export interface SnapshotScratch {
  readonly state: CatalogState;
  /** By which rows expire, ms. */
  now: number;
  write(...changes: Change[]): void;
  deleteRows(selection: Selection, parameters?: readonly ParameterKey[]): void;
  /** Makes parts of the slab. */
  seal(): Promise<void>;
  take(): PinnedSnapshot;
  close(): Promise<void>;
}

const slabBytes = 8 << 20;

export function snapshotScratch(workspace: string): SnapshotScratch {
  const root = mkdtempSync(join(tmpdir(), 'pitwall-snapshot-'));
  const directory = join(root, 'parts');
  mkdirSync(directory);
  const state = catalogState(() => scratch.now);
  const files = filePool(2);
  const parts = partSet(directory, [], partCache(1 << 20), files);
  const newHead = () => headSlab(makeSlab(1, new SharedArrayBuffer(slabBytes)));
  let head = newHead();
  let at = 0;
  let lsn = 0;
  let nextPart = 1;

  function commit(drafts: readonly SectionDraft[]): void {
    const length = sectionsBytes(drafts);
    const place = { at, length, lsn: ++lsn, arrival: scratch.now };
    writeSections(head.slab, at + recordHeaderBytes, drafts);
    at += recordHeaderBytes + length;
    applyRecord(state, head.slab, place, (_slab, position) => placeSection(head, position, place.lsn));
    showSections(head);
  }

  const scratch: SnapshotScratch = {
    state,
    now: 1_000_000,
    write: (...changes) => commit(whole(draftSteps(state, { workspace, changes }, scratch.now))),
    deleteRows(selection, parameters) {
      const { record } = whole(draftRowDelete(state, selection, parameters));
      commit([jsonSection(SectionType.RowDelete, record)]);
    },
    async seal() {
      const made = await runJob(
        {
          type: 'seal',
          memory: head.slab.bytes.buffer as unknown as SharedArrayBuffer,
          sections: head.index.sections.subarray(0, head.count),
          lsns: head.index.lsns.subarray(0, head.count),
          tombstones: state.tombstones.all,
          firstLsn: lsn,
          lastLsn: lsn,
          directory,
          nextPart,
        },
        files,
      );
      nextPart += made.parts.length;
      parts.replace(new Set(), made.parts);
      head = newHead();
      at = 0;
    },
    take: () => snapshotTaker({ state, parts, heads: () => [head], left: leftSlabs(slabBytes) })(),
    async close() {
      await parts.close();
      rmSync(root, { recursive: true });
    },
  };
  return scratch;
}
