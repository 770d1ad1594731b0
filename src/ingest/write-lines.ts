import type { Steps } from '../turns/steps.ts';
import { checkName } from '../wire/base/name.ts';
import { type LineOptions, type Lines, lineRowSteps } from '../wire/lines/line-protocol.ts';
import type { PayloadLimits } from '../wire/rows/payload-limits.ts';
import type { RefusesStream } from '../wire/series/refused.ts';
import { type Decoded, decodedRows } from './decoded.ts';
import { keepingToStreams } from './keeping-to-streams.ts';
import { replacedSteps } from './replaced-rows.ts';
import type { TopicCall, Written } from './write-call.ts';
import type { WritePath } from './write-path.ts';

/** How lines are meant. */
export interface LinesForm extends Pick<LineOptions, 'unit' | 'streamTags'> {
  /** Where one line is bad none is written. */
  readonly isWhole: boolean;
}

interface FittingForm extends LinesForm {
  readonly refuses: RefusesStream | undefined;
}

/** How many lines were good, how many were bad, the first bad one, and how many integers were rounded. */
interface Counted extends Pick<Lines, 'good' | 'bad' | 'firstBad' | 'rounded'> {
  /** How many values a later line of the same time, tags and field replaced. */
  readonly replaced: number;
}

/** What came of a write of lines. `expired` counts good ones that were too old to be kept. */
export type LinesWritten = Counted & Pick<LinesForm, 'isWhole'> & Written;

/** Writes lines of the line protocol: good ones as one unit, bad ones are reported. */
export class LinesWriter {
  readonly #path;
  readonly #limits;
  readonly #nextTime;

  /** @param nextTime ns since the Unix epoch, for lines without a time */
  constructor(path: WritePath, limits: PayloadLimits, nextTime: () => bigint) {
    this.#path = path;
    this.#limits = limits;
    this.#nextTime = nextTime;
  }

  async write(call: TopicCall, body: Uint8Array, form: LinesForm): Promise<LinesWritten> {
    const counted: Counted = { good: 0, bad: 0, rounded: 0, replaced: 0, firstBad: undefined };
    const written = await keepingToStreams(
      (refuses) =>
        this.#path.write(call, body.length, this.#decode(call, body, { ...form, refuses }, counted)),
      () => !form.isWhole && counted.good > 0,
    );
    return { ...written, ...counted, isWhole: form.isWhole };
  }

  *#decode(
    call: TopicCall,
    body: Uint8Array,
    { isWhole, refuses, ...form }: FittingForm,
    counted: Counted,
  ): Steps<Decoded> {
    const topic = checkName(call.topic, 'topic', this.#limits.maxNameBytes);
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const refusesOwn = refuses && ((streamId: string) => refuses(topic, streamId));
    const options = { ...form, now: this.#nextTime(), limits: this.#limits, refuses: refusesOwn };
    const { streams, ...rest } = yield* lineRowSteps(bytes, options);
    const replaced = yield* replacedSteps(streams, call.share);
    Object.assign(counted, rest, { replaced: replaced?.count ?? 0 });
    // Of bad lines the answer speaks.
    if (rest.bad === 0) return decodedRows(topic, streams, body.length, undefined, replaced);
    const decoded = isWhole
      ? decodedRows(topic, [], body.length)
      : decodedRows(topic, streams, body.length, undefined, replaced);
    return { ...decoded, nothing: undefined };
  }
}
