import type { Warn } from '../domain/warning.ts';
import {
  decodeLines,
  type LineOptions,
  type Lines,
  type LinesRead,
  linesSteps,
} from '../wire/line-protocol.ts';
import { checkName } from '../wire/name.ts';
import type { PayloadLimits } from '../wire/payload-limits.ts';
import { decodedRows } from './decoded.ts';
import { isLong, type writePath } from './write-path.ts';

/** Writes the lines of a body. */
export type WriteLines = (
  workspace: string,
  body: Uint8Array,
  form: LinesForm,
  signal?: () => AbortSignal,
  warn?: Warn,
) => Promise<LinesWritten>;

/** How lines are meant, and where they go. */
export interface LinesForm extends Pick<LineOptions, 'unit' | 'streamTags'> {
  readonly topic: string;
  /** Where one line is bad none is written. */
  readonly isWhole: boolean;
}

/** How many lines were good, how many were bad, the first bad one, and how many good ones were expired. */
export type LinesWritten = Pick<Lines, 'good' | 'bad' | 'firstBad'> &
  Pick<LinesForm, 'isWhole'> & { readonly expired: number };

/** @param nextTime ns since the Unix epoch, for lines without a time */
export function writeLines(
  { write, writeLong }: Pick<ReturnType<typeof writePath>, 'write' | 'writeLong'>,
  limits: PayloadLimits,
  nextTime: () => bigint,
): WriteLines {
  return async (...[workspace, body, { topic, isWhole, ...form }, signal, warn]) => {
    checkName(topic, 'topic', limits.maxNameBytes);
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const options = (): LineOptions => ({ ...form, now: nextTime(), limits });
    let counted: Omit<LinesWritten, 'expired'> = { good: 0, bad: 0, firstBad: undefined, isWhole };
    const decoded = ({ streams, good, bad, firstBad }: LinesRead) => {
      counted = { good, bad, firstBad, isWhole };
      // Of bad lines the answer speaks.
      if (bad === 0) return decodedRows(topic, streams, body.length);
      return { ...decodedRows(topic, isWhole ? [] : streams, body.length), nothing: undefined };
    };
    const expired = isLong(body, signal)
      ? await writeLong(workspace, body, signal, () => linesSteps(bytes, options()), decoded, warn)
      : await write(workspace, body, () => decoded(decodeLines(bytes, options())), warn);
    return { expired, ...counted };
  };
}
