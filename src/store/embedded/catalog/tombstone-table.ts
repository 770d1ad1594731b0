import type { Manifest, ManifestChange } from '../manifest/manifest.ts';
import type { PartRecord } from '../parts/part-record.ts';
import {
  mayConcern,
  type Tombstone,
  type TombstoneJson,
  tombstoneFromJson,
  tombstoneToJson,
} from '../tombstones/tombstone.ts';
import { withTombstone } from '../tombstones/tombstone-list.ts';

/**
 * The tombstones that rows may still meet. A tombstone comes with its log record, stands in the manifest from the flush
 * of that record on, and goes when no part is left that it may concern.
 *
 * Table `masks` of the manifest (the name on disk), by LSN: `{arrival, extents?: "due", ...}`, the rest as in the log
 * record.
 */
export interface TombstoneTable {
  /** By LSN; the list is replaced, never changed, so a snapshot is a reference to it. */
  readonly all: readonly Tombstone[];
  /** Adds a tombstone whose streams' extents are still those from before it; one that is known stays as it is. */
  put(tombstone: Tombstone): void;
  /** Adds a tombstone as the manifest has it. */
  restore(tombstone: Tombstone, extentsDue: boolean): void;
  /** The extents of the tombstone's streams are what it left of them. */
  settleExtents(lsn: number): void;
  /** Tombstones with extents that a stop left undone. */
  unsettled(): Tombstone[];
  /** Whether the extents of all streams are what all tombstones but one, which is not settled, left of them. */
  isSettledBut(lsn: number): boolean;
  /**
   * What the manifest should say after a flush up to `flushedLsn`. Ask before the catalogue is saved, commit after:
   * an entry says that extents are done only once the catalogue has them.
   */
  changes(flushedLsn: number): TombstoneChanges;
  /** Tombstones in the manifest that concern none of the parts; `isClear` knows more of a part than its record. */
  obsolete(
    parts: readonly PartRecord[],
    isClear: (part: PartRecord, tombstone: Tombstone) => boolean,
  ): Tombstone[];
  /** After their entries went from the manifest. */
  drop(tombstones: readonly Tombstone[]): void;
}

export interface TombstoneChanges {
  readonly changes: readonly ManifestChange[];
  /** To be called when the changes are on disk. */
  done(): void;
}

interface TombstoneEntry extends TombstoneJson {
  readonly arrival: number;
  readonly extents?: 'due';
}

export function tombstoneTable(): TombstoneTable {
  let all: readonly Tombstone[] = [];
  /** The LSNs of all. */
  const known = new Set<number>();
  /** Whose extents are not computed anew yet. */
  const due = new Set<number>();
  /** What the manifest has: whether the entry says that extents are due. */
  const saved = new Map<number, boolean>();
  /** The part that kept a tombstone at the last check: mostly it still does. */
  const keepers = new Map<number, PartRecord>();

  function add(tombstone: Tombstone): boolean {
    if (known.has(tombstone.lsn)) return false;
    known.add(tombstone.lsn);
    all = withTombstone(all, tombstone);
    return true;
  }

  return {
    get all() {
      return all;
    },
    put(tombstone) {
      if (add(tombstone)) due.add(tombstone.lsn);
    },
    restore(tombstone, extentsDue) {
      add(tombstone);
      saved.set(tombstone.lsn, extentsDue);
      if (extentsDue) due.add(tombstone.lsn);
    },
    settleExtents(lsn) {
      due.delete(lsn);
    },
    isSettledBut: (lsn) => due.size === 1 && due.has(lsn),
    unsettled: () => all.filter(({ lsn }) => due.has(lsn)),
    changes(flushedLsn) {
      const written = all.filter(({ lsn }) => lsn <= flushedLsn && saved.get(lsn) !== due.has(lsn));
      const states = written.map(({ lsn }) => [lsn, due.has(lsn)] as const);
      return {
        changes: written.map((tombstone) => ({
          table: 'masks',
          key: tombstone.lsn,
          value: entryOf(tombstone, due),
        })),
        done() {
          for (const [lsn, isDue] of states) saved.set(lsn, isDue);
        },
      };
    },
    obsolete(parts, isClear) {
      const current = new Set(parts);
      const keeps = (tombstone: Tombstone, part: PartRecord) =>
        mayConcern(tombstone, part) && !isClear(part, tombstone);
      return all.filter((tombstone) => {
        if (saved.get(tombstone.lsn) !== false) return false;
        const last = keepers.get(tombstone.lsn);
        if (last !== undefined && current.has(last) && keeps(tombstone, last)) return false;
        const keeper = parts.find((part) => keeps(tombstone, part));
        if (keeper !== undefined) keepers.set(tombstone.lsn, keeper);
        return keeper === undefined;
      });
    },
    drop(tombstones) {
      const gone = new Set(tombstones.map(({ lsn }) => lsn));
      all = all.filter(({ lsn }) => !gone.has(lsn));
      for (const lsn of gone) {
        known.delete(lsn);
        saved.delete(lsn);
        keepers.delete(lsn);
      }
    },
  };
}

/** Fills an empty table from the manifest. What the delete of a lost entry hid may show again. */
export function loadTombstones(table: TombstoneTable, manifest: Pick<Manifest, 'entries'>): void {
  for (const { key, value } of manifest.entries('masks')) {
    const { arrival, extents, ...json } = value as TombstoneEntry;
    table.restore(tombstoneFromJson(json, Number(key), arrival), extents === 'due');
  }
}

function entryOf(tombstone: Tombstone, due: ReadonlySet<number>): TombstoneEntry {
  return {
    ...tombstoneToJson(tombstone),
    arrival: tombstone.arrival,
    ...(due.has(tombstone.lsn) && { extents: 'due' as const }),
  };
}
