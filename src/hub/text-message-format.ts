import { type Framing, tooLarge } from './message-buffer.ts';

/** Each JSON message ends with this byte, which JSON never holds unescaped. */
export const recordSeparator = 0x1e;

export const textMessageFormat: Framing = (bytes, searched, limit) => {
  const end = bytes.indexOf(recordSeparator, searched);
  if ((end < 0 ? bytes.length : end) > limit) throw tooLarge('a message', limit);
  return end < 0 ? undefined : { start: 0, end, next: end + 1 };
};

export function textMessage(json: string): Buffer {
  return Buffer.from(`${json}\u001e`);
}
