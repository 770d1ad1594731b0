import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { type DiskRecord, idOf, namesNow } from './disk-record.ts';

/** The folders of a data folder, itself first. */
const folders = ['', 'log', 'parts', 'catalog'];
const sectorBytes = 512;

/**
 * What a killed process leaves: a copy of the folder as it is, with what is synced of it and what is not. The thread
 * that all steps of a store start from waits meanwhile, so the copy shows one moment.
 */
export function copyAfterKill(from: string, to: string, record: DiskRecord): void {
  for (const folder of folders) {
    const [source, target] = [join(from, folder), join(to, folder)];
    const synced = record.namesOf(source) ?? {};
    mkdirSync(target, { recursive: true });
    const copies = new Map<string, string>();
    for (const [name, id] of Object.entries(namesNow(source))) {
      if (!copyIfThere(join(source, name), join(target, name))) continue;
      const copy = idOf(statSync(join(target, name), { bigint: true }));
      copies.set(id, copy);
      record.put(copy, record.bytesOf(id));
    }
    const names = Object.entries(synced).map(([name, id]) => [name, copies.get(id) ?? id]);
    record.putNames(target, Object.fromEntries(names) as Record<string, string>);
  }
}

/**
 * What a power cut leaves: what was synced. Of what was written since, each sector of 512 bytes stays, is lost, or
 * (seldom) holds garbage; of names made, renamed or removed since their folder was synced any may be lost.
 */
export function copyAfterCut(from: string, to: string, record: DiskRecord, random: Random): void {
  for (const folder of folders) {
    const [source, target] = [join(from, folder), join(to, folder)];
    mkdirSync(target, { recursive: true });
    const now = namesNow(source);
    for (const [name, id] of Object.entries(namesLeft(record.namesOf(source) ?? {}, now, random))) {
      const synced = record.bytesOf(id);
      const liveName = Object.keys(now).find((other) => now[other] === id);
      const live = liveName === undefined ? undefined : readIfThere(join(source, liveName));
      writeFileSync(join(target, name), live === undefined ? synced : bytesLeft(synced, live, random));
    }
  }
  settle(to, record);
}

/** All of a folder is on disk. */
export function settle(directory: string, record: DiskRecord): void {
  for (const folder of folders) {
    const path = join(directory, folder);
    for (const [name, id] of Object.entries(namesNow(path))) record.put(id, readFileSync(join(path, name)));
    record.folderSynced(path);
  }
}

type Names = Readonly<Record<string, string>>;

/** A rename is one change: it is lost or stays as a whole, with what it replaced. */
function namesLeft(synced: Names, now: Names, random: Random): Names {
  const left: Record<string, string> = { ...synced };
  const names = [...new Set([...Object.keys(synced), ...Object.keys(now)])].sort();
  const ids = new Set(names.flatMap((name) => [synced[name], now[name]]).filter((id) => id !== undefined));
  for (const id of ids) {
    const before = names.find((name) => synced[name] === id);
    const after = names.find((name) => now[name] === id);
    if (before === after || random.chance(0.5)) continue;
    // What another took the name of goes with that.
    if (after === undefined && now[before!] !== undefined) continue;
    if (before !== undefined && left[before] === id) delete left[before];
    if (after !== undefined) left[after] = id;
  }
  return left;
}

function bytesLeft(synced: Buffer, live: Buffer, random: Random): Buffer {
  if (synced.equals(live)) return live;
  let left = Buffer.from(synced);
  for (let at = 0; at < live.length; at += sectorBytes) {
    const sector = live.subarray(at, at + sectorBytes);
    if (sector.equals(synced.subarray(at, at + sector.length))) continue;
    const fate = random.next();
    if (fate >= 0.55) continue;
    if (at + sector.length > left.length) left = Buffer.concat([left], at + sector.length);
    left.set(fate < 0.05 ? random.bytes(sector.length) : sector, at);
  }
  return live.length < left.length && random.chance(0.5) ? left.subarray(0, live.length) : left;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** False where the file was just being removed. */
function copyIfThere(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch {
    return false;
  }
}
