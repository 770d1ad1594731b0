import { checkName } from '../wire/base/name.ts';
import { type LineOptions, type Lines, lineRowSteps } from '../wire/lines/line-protocol.ts';
import type { PayloadLimits } from '../wire/rows/payload-limits.ts';
import { decodedRows } from './decoded.ts';
import { keepingToStreams } from './keeping-to-streams.ts';
import type { TopicCall } from './write-call.ts';
import type { Write } from './write-path.ts';

/** Writes the lines of a body. */
export type WriteLines = (call: TopicCall, body: Uint8Array, form: LinesForm) => Promise<LinesWritten>;

/** How lines are meant. */
export interface LinesForm extends Pick<LineOptions, 'unit' | 'streamTags'> {
  /** Where one line is bad none is written. */
  readonly isWhole: boolean;
}

/** How many lines were good, how many were bad, the first bad one, and how many good ones were expired; integers that were rounded. */
export type LinesWritten = Pick<Lines, 'good' | 'bad' | 'firstBad' | 'rounded'> &
  Pick<LinesForm, 'isWhole'> & { readonly expired: number };

/** @param nextTime ns since the Unix epoch, for lines without a time */
export function writeLines(write: Write, limits: PayloadLimits, nextTime: () => bigint): WriteLines {
  return async (call, body, { isWhole, ...form }) => {
    const topic = checkName(call.topic, 'topic', limits.maxNameBytes);
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    let counted: Omit<LinesWritten, 'expired'> = {
      ...{ good: 0, bad: 0, rounded: 0, firstBad: undefined },
      isWhole,
    };
    const writing = (refuses?: LineOptions['refuses']) =>
      write(call, body, {
        steps: () => lineRowSteps(bytes, { ...form, now: nextTime(), limits, refuses }),
        decoded({ streams, ...rest }) {
          counted = { ...rest, isWhole };
          const { bad } = rest;
          // Of bad lines the answer speaks.
          if (bad === 0) return decodedRows(topic, streams, body.length);
          return { ...decodedRows(topic, isWhole ? [] : streams, body.length), nothing: undefined };
        },
      });
    const expired = await keepingToStreams(
      () => writing(),
      (refuses) => writing((streamId) => refuses(topic, streamId)),
      () => !isWhole && counted.good > 0,
    );
    return { expired, ...counted };
  };
}
