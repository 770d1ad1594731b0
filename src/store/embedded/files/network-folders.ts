import { statfs } from 'node:fs/promises';

/**
 * Types of Linux file systems (statfs, `linux/magic.h`) that several machines can mount at one time, and of those that a
 * program serves, which may be one.
 */
const shared: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  16914839: '9p',
  12805120: 'Ceph',
  198183888: 'Lustre',
  18225520: 'GFS2',
  1952539503: 'OCFS2',
  1397113167: 'AFS',
  1702057286: 'FUSE',
};

/** The name of a type that several machines may have mounted; undefined for all others. */
export function sharedType(type: number): string | undefined {
  return shared[type];
}

/** The same of the file system of a folder; undefined where the system does not tell. */
export async function sharedFileSystem(directory: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    return sharedType((await statfs(directory)).type);
  } catch {
    return undefined;
  }
}
