import type { PitwallError } from '../../errors.ts';
import type { SeriesWritten } from '../../ingest/write-series.ts';
import type { SeriesRead } from '../../wire/series/series-read.ts';
import { type Answer, type Dialect, written } from '../route.ts';
import { challengesFor } from './door-access.ts';

/** Answers of doors whose clients read text. They log the first line. */
export function plain(status: number, text: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

/** Errors as text, with the status that a door has for them. */
export function refusePlain(statusOf: (error: PitwallError) => number): Dialect['refuse'] {
  return (error, headers) => {
    const status = statusOf(error);
    return {
      ...plain(status, `${error.code}: ${error.message}`),
      ...(status === 401 && { challenges: challengesFor(headers) }),
    };
  };
}

/** Returns the status of an error: 503 for what may be taken later, whatever it failed of. */
export function laterIs503({ status }: PitwallError): number {
  return status >= 500 || status === 408 ? 503 : status;
}

/** The answer to a message of series: 400 where values of it are refused, while the others are written. */
export function seriesAnswer(whole: number, series: SeriesWritten<SeriesRead>): Answer {
  const { refused, values } = series.read;
  const { headers } = written(series);
  const answer: Answer =
    refused.first === undefined
      ? { status: whole }
      : plain(400, `${refused.total} values were not written, ${values} were: ${refused.first}`);
  return headers === undefined ? answer : { ...answer, headers };
}
