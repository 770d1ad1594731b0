import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { type LoggedFile, rowsOf } from '../../../src/import/logged-file.ts';
import { start } from './made-mcap.ts';

export function fileOf(bytes: Uint8Array): FileBytes {
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

export const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** All values of a file by channel, and the times of each topic in ms after the first message of made files. */
export async function columnsOf(log: LoggedFile): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  const add = (name: string, value: unknown): void => {
    found[name] = [...(found[name] ?? []), value];
  };
  for await (const { table, row } of rowsOf(log)) {
    const { channels, name } = log.tables[table]!;
    add(`${name} times`, Number(row.time - start) / 1e6);
    for (const [i, channel] of channels.entries()) {
      add(`${channel.name}${channel.isText === true ? ' text' : ''}`, row.values[i]);
    }
  }
  return found;
}
