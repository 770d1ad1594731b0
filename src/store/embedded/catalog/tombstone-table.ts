import type { PartRecord } from '../parts/part-record.ts';
import { type Mask, type MaskJson, maskFromJson, maskToJson, mayMask } from '../tombstones/tombstone.ts';
import type { Change, Manifest } from './manifest.ts';

/**
 * The masks that rows may still meet. A mask comes with its log record, stands in the manifest from the flush of that
 * record on, and goes when no part is left that it may concern.
 *
 * Table `masks` of the manifest, by LSN: `{arrival, extents?: "due", ...}`, the rest as in the log record.
 */
export interface MaskTable {
  /** By LSN; the list is replaced, never changed, so a snapshot is a reference to it. */
  readonly all: readonly Mask[];
  /** Adds a mask whose streams' extents are still those from before it; one that is known stays as it is. */
  put(mask: Mask): void;
  /** Adds a mask as the manifest has it. */
  restore(mask: Mask, extentsDue: boolean): void;
  /** The extents of the mask's streams are what it left of them. */
  settleExtents(lsn: number): void;
  /** Masks with extents that a stop left undone. */
  unsettled(): Mask[];
  /**
   * What the manifest should say after a flush up to `flushedLsn`. Ask before the catalogue is saved, commit after:
   * an entry says that extents are done only once the catalogue has them.
   */
  changes(flushedLsn: number): MaskChanges;
  /** Masks in the manifest that concern none of the parts; `isClear` knows more of a part than its record. */
  obsolete(parts: readonly PartRecord[], isClear: (part: PartRecord, mask: Mask) => boolean): Mask[];
  /** After their entries went from the manifest. */
  drop(masks: readonly Mask[]): void;
}

export interface MaskChanges {
  readonly changes: readonly Change[];
  /** To be called when the changes are on disk. */
  done(): void;
}

interface MaskEntry extends MaskJson {
  readonly arrival: number;
  readonly extents?: 'due';
}

export function maskTable(): MaskTable {
  let all: readonly Mask[] = [];
  /** Whose extents are not computed anew yet. */
  const due = new Set<number>();
  /** What the manifest has: whether the entry says that extents are due. */
  const saved = new Map<number, boolean>();
  /** The part for which a mask was not obsolete at the last look: mostly it still is not. */
  const keepers = new Map<number, PartRecord>();

  function add(mask: Mask): boolean {
    if (all.some(({ lsn }) => lsn === mask.lsn)) return false;
    all = [...all, mask].sort((a, b) => a.lsn - b.lsn);
    return true;
  }

  return {
    get all() {
      return all;
    },
    put(mask) {
      if (add(mask)) due.add(mask.lsn);
    },
    restore(mask, extentsDue) {
      add(mask);
      saved.set(mask.lsn, extentsDue);
      if (extentsDue) due.add(mask.lsn);
    },
    settleExtents(lsn) {
      due.delete(lsn);
    },
    unsettled: () => all.filter(({ lsn }) => due.has(lsn)),
    changes(flushedLsn) {
      const written = all.filter(({ lsn }) => lsn <= flushedLsn && saved.get(lsn) !== due.has(lsn));
      const states = written.map(({ lsn }) => [lsn, due.has(lsn)] as const);
      return {
        changes: written.map((mask) => ({ table: 'masks', key: mask.lsn, value: entryOf(mask, due) })),
        done() {
          for (const [lsn, isDue] of states) saved.set(lsn, isDue);
        },
      };
    },
    obsolete(parts, isClear) {
      const known = new Set(parts);
      const keeps = (mask: Mask, part: PartRecord) => mayMask(mask, part) && !isClear(part, mask);
      return all.filter((mask) => {
        if (saved.get(mask.lsn) !== false) return false;
        const last = keepers.get(mask.lsn);
        if (last !== undefined && known.has(last) && keeps(mask, last)) return false;
        const keeper = parts.find((part) => keeps(mask, part));
        if (keeper !== undefined) keepers.set(mask.lsn, keeper);
        return keeper === undefined;
      });
    },
    drop(masks) {
      const gone = new Set(masks.map(({ lsn }) => lsn));
      all = all.filter(({ lsn }) => !gone.has(lsn));
      for (const lsn of gone) {
        saved.delete(lsn);
        keepers.delete(lsn);
      }
    },
  };
}

/** Fills an empty table from the manifest. A damaged entry is told: what its delete hid may show again. */
export function loadMasks(
  table: MaskTable,
  manifest: Pick<Manifest, 'entries'>,
  onDamage: (lsn: number) => void,
): void {
  for (const { key, value } of manifest.entries('masks', (key) => onDamage(Number(key)))) {
    const { arrival, extents, ...json } = value as MaskEntry;
    table.restore(maskFromJson(json, Number(key), arrival), extents === 'due');
  }
}

function entryOf(mask: Mask, due: ReadonlySet<number>): MaskEntry {
  return {
    ...maskToJson(mask),
    arrival: mask.arrival,
    ...(due.has(mask.lsn) && { extents: 'due' as const }),
  };
}
