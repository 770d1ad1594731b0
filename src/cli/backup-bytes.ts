import { CommandError } from './command.ts';

/** The first file of a backup (docs/storage-format.md). */
const backupHead = 'backup.json';
const blockBytes = 512;
/** What a tar archive ends with: blocks of zeros. */
const endBytes = 2 * blockBytes;

/** Passes on the bytes of a backup, once it is known to be one. Throws a CommandError where they are those of anything else. */
export async function* backupBytes(archive: AsyncIterable<Buffer>, place: string): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  let end = Buffer.alloc(0);
  for await (const chunk of archive) {
    end = Buffer.concat([end, chunk.subarray(-endBytes)]).subarray(-endBytes);
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < blockBytes) continue;
    checkHead(head, place);
    yield head;
    head = undefined;
  }
  if (head !== undefined) checkHead(head, place);
  const isWhole = end.length === endBytes && end.every((byte) => byte === 0);
  if (!isWhole) throw new CommandError('the backup failed: it breaks off before its end');
}

/** The first block of a tar archive names its first file. */
function checkHead(head: Buffer, place: string): void {
  const isTar = head.length >= blockBytes && head.toString('latin1', 257, 262) === 'ustar';
  if (isTar && head.toString('latin1', 0, backupHead.length + 1) === `${backupHead}\0`) return;
  throw new CommandError(
    `what answers at ${place} is not Pitwall: it sent an archive that is no backup of the service`,
  );
}
