import { STATUS_CODES } from 'node:http';
import type { Answer } from '../route.ts';

/** How the client knows where the body ends: by its length in bytes, or by its last chunk. */
export type BodyEnd = number | 'chunked';

/**
 * Makes the heads of answers, complete with the empty line, in Latin-1. The one of an answer without anything, as
 * writes have it, is made once a second, because it tells the time (RFC 9110, section 6.6.1).
 */
export function answerHeads(): (answer: Answer, end: BodyEnd, isLast: boolean) => string | Buffer {
  let second = 0;
  let date = '';
  let empty: Buffer = Buffer.alloc(0);
  return (answer, end, isLast) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      date = new Date(now * 1000).toUTCString();
      empty = Buffer.from(headOf({}, 0, date, false), 'latin1');
    }
    const { status, type, headers } = answer;
    const isEmpty = end === 0 && status === undefined && type === undefined && headers === undefined;
    return isEmpty && !isLast ? empty : headOf(answer, end, date, isLast);
  };
}

function headOf(answer: Answer, end: BodyEnd, date: string, isLast: boolean): string {
  const { status = 200, type, vary, headers = {} } = answer;
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${date}\r\n`;
  head += `Connection: ${isLast ? 'close' : 'keep-alive'}\r\n`;
  if (type !== undefined) head += `Content-Type: ${type}\r\n`;
  if (vary !== undefined) head += `Vary: ${vary}\r\n`;
  for (const name of Object.keys(headers)) head += `${name}: ${headers[name]}\r\n`;
  return `${head}${end === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${end}`}\r\n\r\n`;
}
