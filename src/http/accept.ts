import { type AnswerForm, answerForms } from '../wire/answers/answer-forms.ts';

export interface ChosenForm {
  readonly form: AnswerForm;
  /** As the client names it. */
  readonly type: string;
}

interface MediaRange {
  readonly type: string;
  /** From 0 to 1; 0 means not this one. */
  readonly quality: number;
  /** 2 for a type, 1 for a wildcard subtype, 0 for anything. */
  readonly exactness: number;
}

/**
 * The form that an Accept header prefers (RFC 9110, section 12.5.1): a type has the quality of the most exact range
 * that covers it; of equal quality the more exact wins, then the one named earlier. JSON where no form that can be
 * given is named (contract, section 1).
 */
export function chooseForm(accept: string | undefined): ChosenForm {
  let chosen: ChosenForm = { form: 'json', type: 'application/json' };
  if (accept === undefined) return chosen;
  const ranges = readRanges(accept);
  let best: MediaRange | undefined;
  for (const [form, types] of Object.entries(answerForms) as [AnswerForm, readonly string[]][]) {
    for (const type of types) {
      const range = rangeFor(type, ranges);
      if (range === undefined || range.quality === 0) continue;
      if (best !== undefined && !isBetter(range, best, ranges)) continue;
      best = range;
      chosen = { form, type };
    }
  }
  return chosen;
}

function readRanges(accept: string): MediaRange[] {
  return accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    const exactness = type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2;
    return { type, quality: quality > 0 && quality <= 1 ? quality : 0, exactness };
  });
}

/** The most exact range that covers a type. */
function rangeFor(type: string, ranges: readonly MediaRange[]): MediaRange | undefined {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const name of [type, wildcard, '*/*']) {
    const range = ranges.find((one) => one.type === name);
    if (range !== undefined) return range;
  }
  return undefined;
}

function isBetter(range: MediaRange, best: MediaRange, ranges: readonly MediaRange[]): boolean {
  const order = range.quality - best.quality || range.exactness - best.exactness;
  return order > 0 || (order === 0 && ranges.indexOf(range) < ranges.indexOf(best));
}
