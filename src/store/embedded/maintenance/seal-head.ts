import { saveCatalog } from '../catalog/catalog-manifest.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { forgetParameters } from '../catalog/unused-parameters.ts';
import { type HeadSlab, windowCount } from '../log/head.ts';
import type { Segments } from '../log/log-segments.ts';
import type { SlabMemory } from '../log/slab.ts';
import type { Manifest, ManifestChange } from '../manifest/manifest.ts';
import type { PartNumbers, PartRecord } from '../parts/part-record.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { Background } from './background.ts';

export interface HeadSealerOptions {
  readonly manifest: Manifest;
  readonly state: CatalogState;
  readonly parts: PartSet;
  readonly segments: Segments;
  readonly memory: SlabMemory;
  /** Where parts are written. */
  readonly directory: string;
  readonly background: Background;
  readonly numbers: PartNumbers;
  /** Segments that a start found damaged: kept, not recycled. */
  readonly damagedSequences: ReadonlySet<number>;
  /** The LSN of the last record that was drafted. */
  readonly draftedLsn: () => number;
  readonly onFlushed: (head: HeadSlab) => void;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * Makes a slab into parts: the worker writes and syncs them, then one transaction of the manifest makes them part of the
 * store, together with the LSN reached. After that the slab and its segment are free.
 */
export function headSealer(options: HeadSealerOptions): (head: HeadSlab) => Promise<void> {
  const { manifest, state, parts, segments, memory, background } = options;
  /** Parts of the slab that is being sealed: where the manifest did not take them, they are not made again. */
  let made: { readonly head: HeadSlab; readonly parts: readonly PartRecord[] } | undefined;

  async function seal(head: HeadSlab): Promise<readonly PartRecord[]> {
    const { slab, index, count } = head;
    const tombstones = state.tombstones.all;
    const sealed = await background.seal({
      type: 'seal',
      memory: slab.bytes.buffer as unknown as SharedArrayBuffer,
      sections: index.sections.subarray(0, count),
      tombstones,
      lsns: index.lsns.subarray(0, count),
      firstLsn: slab.firstLsn,
      lastLsn: slab.lastLsn,
      directory: options.directory,
      nextPart: options.numbers.take(windowCount(head)),
    });
    return sealed.parts;
  }

  async function release({ slab, pins }: HeadSlab): Promise<void> {
    if (pins === 0) memory.give(slab.bytes.buffer as unknown as SharedArrayBuffer);
    try {
      if (options.damagedSequences.has(slab.sequence)) await segments.setAside(slab.sequence);
      else await segments.recycle(slab.sequence);
    } catch (error) {
      options.log.warn({ error: (error as Error).message }, 'a segment of the log could not be recycled');
    }
  }

  return async (head) => {
    const { slab } = head;
    if (made?.head !== head) made = { head, parts: await seal(head) };
    const records = made.parts;
    const tombstones = state.tombstones.changes(slab.lastLsn);
    await saveCatalog(state, manifest);
    const forgotten = forgetParameters(state, slab.lastLsn, options.draftedLsn());
    await manifest.commit([
      ...records.map((record): ManifestChange => ({ table: 'parts', key: record.number, value: record })),
      ...tombstones.changes,
      ...forgotten.changes,
      { table: 'meta', key: 'lsn', value: slab.lastLsn },
      { table: 'meta', key: 'sequence', value: slab.sequence },
    ]);
    tombstones.done();
    forgotten.done();
    parts.replace(new Set(), records);
    options.onFlushed(head);
    await release(head);
    made = undefined;
  };
}
