import type { IncomingHttpHeaders } from 'node:http';
import type { PitwallError } from '../../errors.ts';
import type { LinesWritten } from '../../ingest/write-lines.ts';
import { type Answer, type Dialect, json } from '../route.ts';
import { authorization, challengesFor } from './door-access.ts';
import type { Version } from './line-query.ts';

/**
 * What is different for clients of the line protocol: where they show their token, and the form of errors.
 *
 * No answer has `Retry-After`: @influxdata/influxdb-client 1.35.0 takes its seconds for milliseconds, has used up its
 * tries a moment later, and throws the lines away. Without it clients wait by rules of their own.
 */
export const dialects: Readonly<Record<Version, Dialect>> = {
  1: { authorization, refuse: (error, headers) => refusal(error, headers, version1(error.message)) },
  2: {
    authorization,
    refuse(error, headers) {
      const code = codes[statusOf(error)] ?? 'invalid';
      return refusal(error, headers, json({ code, message: error.message }));
    },
  },
  3: { authorization, refuse: (error, headers) => refusal(error, headers, json({ error: error.message })) },
};

const codes: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  413: 'request too large',
  500: 'internal error',
  503: 'unavailable',
};

function refusal(error: PitwallError, headers: IncomingHttpHeaders, answer: Answer): Answer {
  const challenges = error.status === 401 && { challenges: challengesFor(headers) };
  return { ...answer, status: statusOf(error), ...challenges };
}

/** Clients send again what gets 503. What gets 408 they throw away, though its next try may be faster. */
function statusOf({ code, status }: PitwallError): number {
  return code === 'request_timeout' ? 503 : status;
}

function version1(error: string): Answer {
  return { ...json({ error }), headers: { 'X-Influxdb-Error': headerText(error) } };
}

/** What a header may hold (RFC 9110, section 5.5). */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

/** Names the first bad line, and says whether the good ones were written: status 400. */
export const badLines: Readonly<Record<Version, (lines: LinesWritten) => Answer>> = {
  1: (lines) => {
    const { number, text, reason } = lines.firstBad!;
    const message = `unable to parse line ${number} '${text}': ${reason} dropped=${lines.bad}`;
    return { ...version1(lines.good > 0 ? `partial write: ${message}` : message), status: 400 };
  },
  2: (lines) => {
    const { number, text, reason } = lines.firstBad!;
    const begin = lines.good > 0 ? 'partial write: ' : '';
    const message = `${begin}unable to parse line ${number} '${text}': ${reason} (${lostOf(lines)})`;
    return { ...json({ code: 'invalid', message, line: number }), status: 400 };
  },
  3: (lines) => {
    const { number, text, reason } = lines.firstBad!;
    const what = lines.isWhole
      ? 'parsing failed for write_lp endpoint'
      : 'partial write of line protocol occurred';
    const data = [{ original_line: text, line_number: number, error_message: reason }];
    return { ...json({ error: `${what} (${lostOf(lines)})`, data }), status: 400 };
  },
};

function lostOf({ good, bad, isWhole }: LinesWritten): string {
  const all = good + bad;
  return isWhole
    ? `${bad} of ${all} lines are bad, so none was written`
    : `${bad} of ${all} lines were not written`;
}
