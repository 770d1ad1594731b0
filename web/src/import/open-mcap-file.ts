import type { FileBytes } from '../../../src/import/file-bytes.ts';
import type { MessageTime } from '../../../src/import/mcap/message-time.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { openedTwice } from './open-log.ts';
import type { Open, OpenedLog } from './opened.ts';
import type { Reading } from './pace.ts';

export const open: Open = ({ bytes }, _settings, reading) => openMessages(bytes, 'log', reading);

export async function openMessages(
  bytes: FileBytes,
  messageTime: MessageTime,
  reading: Reading,
): Promise<OpenedLog> {
  const opened = await openedTwice(bytes.size, reading, ({ onBytes, pace }) =>
    openMcap(bytes, { time: messageTime, onBytes, pace }),
  );
  return { ...opened, messageTime };
}
