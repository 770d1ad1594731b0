import type { Answer } from '../route.ts';

/** How the client knows where the body ends: by its length in bytes, or by its last chunk. */
export type BodyEnd = number | 'chunked';

/**
 * Makes the heads of answers with status 200, complete with the empty line. The one of an answer without anything, as
 * writes have it, is made once a second, because it tells the time (RFC 9110, section 6.6.1).
 */
export function answerHeads(): (answer: Answer, end: BodyEnd, isLast: boolean) => Buffer {
  let second = 0;
  let date = '';
  let empty: Buffer = Buffer.alloc(0);
  return (answer, end, isLast) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      date = new Date(now * 1000).toUTCString();
      empty = headOf({}, 0, date, false);
    }
    const { type, headers } = answer;
    return end === 0 && !isLast && type === undefined && headers === undefined
      ? empty
      : headOf(answer, end, date, isLast);
  };
}

function headOf({ type, vary, headers = {} }: Answer, end: BodyEnd, date: string, isLast: boolean): Buffer {
  let head = `HTTP/1.1 200 OK\r\nDate: ${date}\r\nConnection: ${isLast ? 'close' : 'keep-alive'}\r\n`;
  if (type !== undefined) head += `Content-Type: ${type}\r\n`;
  if (vary !== undefined) head += `Vary: ${vary}\r\n`;
  for (const name of Object.keys(headers)) head += `${name}: ${headers[name]}\r\n`;
  head += end === 'chunked' ? 'Transfer-Encoding: chunked\r\n\r\n' : `Content-Length: ${end}\r\n\r\n`;
  return Buffer.from(head, 'latin1');
}
