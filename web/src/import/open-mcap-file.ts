import type { FileBytes } from '../../../src/import/file-bytes.ts';
import type { MessageTime } from '../../../src/import/mcap/message-time.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { openedLog } from './open-log.ts';
import type { Open, OpenedLog } from './opened.ts';
import type { Reading } from './pace.ts';

export const open: Open = ({ bytes }, _settings, reading) => openMessages(bytes, 'log', reading);

/** Its messages are read twice: to learn which fields they have, and from when to when they go. */
export async function openMessages(
  bytes: FileBytes,
  messageTime: MessageTime,
  reading: Reading,
): Promise<OpenedLog> {
  const half = (before: number) => (read: number) => reading.onBytes(before + read / 2);
  const log = await openMcap(bytes, { time: messageTime, onBytes: half(0), pace: reading.pace });
  return {
    ...(await openedLog(log, bytes.size, { ...reading, onBytes: half(bytes.size / 2) })),
    messageTime,
  };
}
