import { checkVersions } from './check-versions.ts';
import type { Closing } from './closing.ts';
import { type Damage, lineOf } from './files/damage.ts';
import { type DataDirectory, furnishDirectory, hasData, prepareDirectory } from './files/directory.ts';
import { lockDirectory } from './files/directory-lock.ts';
import { sharedFileSystem } from './files/network-folders.ts';
import { tightenDirectory } from './files/private-modes.ts';
import type { Problems } from './health.ts';
import type { CopyableManifest } from './manifest/manifest.ts';
import { openManifest } from './manifest/open-manifest.ts';
import type { EmbeddedStoreOptions } from './store-options.ts';

export interface DataFolder {
  readonly paths: DataDirectory;
  readonly manifest: CopyableManifest;
  /** What of the folder itself is damaged, to be mended once the rest was read. */
  readonly damage: Damage | undefined;
}

/** Locks the data folder for this process, makes it where there is none, and opens its manifest. */
export async function openFolder(
  { dataDir, log }: EmbeddedStoreOptions,
  opened: Closing,
  problems: Problems,
): Promise<DataFolder> {
  const paths = await prepareDirectory(dataDir);
  const lock = await lockDirectory(paths.root);
  opened.add(lock.release);
  const shared = await sharedFileSystem(paths.root);
  if (shared !== undefined) log.warn({}, onSharedFileSystem(paths.root, shared));
  await checkVersions(paths);
  const damage = await furnishDirectory(paths);
  if (damage !== undefined) problems.report(`${lineOf(damage)}; nothing is lost`);
  tightenDirectory(paths.root, [paths.log, paths.parts, paths.catalog], log);
  const manifest = await openManifest(paths.catalog, {
    isUsed: () => hasData(paths),
    report: problems.report,
    note: (message) => log.warn({}, message),
  });
  opened.add(manifest.close);
  return { paths, manifest, damage };
}

function onSharedFileSystem(root: string, type: string): string {
  return (
    `${root} is on ${type}, which several machines may have mounted: another one is kept out while it can be seen that ` +
    'this one runs, and not where the network between them is broken; choose a folder on a local disk with --data-dir'
  );
}
