import { callAround, type ExpressionPart, partsOf, quotedName } from '../lines/expression.ts';
import { type FunctionHelp, functions, overTime, usualSpans } from './functions.ts';

/** What an expression may name. */
export interface Known {
  readonly channels: readonly { readonly id: string; readonly unit: string }[];
  readonly tags: readonly string[];
}

/** What may be meant by what stands before the caret. */
export interface Completion {
  readonly label: string;
  readonly help: string;
  /** Stands in place of the text from `from` to `to`. */
  readonly insert: string;
  readonly from: number;
  readonly to: number;
}

/** More than this nobody reads. */
const mostOffered = 8;

/** What may be meant at the caret: names of channels and functions, or in single quotes of tags and times. */
export function completionsAt(text: string, caret: number, known: Known): Completion[] {
  const parts = partsOf(text);
  const place = parts.findIndex(
    ({ start, end, type, isClosed }) =>
      start < caret && (caret < end || (caret === end && (type === 'name' || !isClosed))),
  );
  const part = parts[place];
  if (part === undefined || part.type === 'other') return [];
  const typed = typedOf(part, text, caret);
  const found =
    part.type === 'text'
      ? textsAt(parts, place, known).map((label) => ({
          label,
          help: '',
          insert: `'${label.replaceAll("'", "''")}'`,
        }))
      : [
          ...known.channels.map(({ id, unit }) => ({ label: id, help: unit, insert: quotedName(id) })),
          ...(part.type === 'name' ? functions.map(functionOffer) : []),
        ];
  // A whole name needs no help, but it may be the beginning of others.
  return ranked(found, typed)
    .slice(0, mostOffered)
    .map((offer) => ({ ...offer, from: part.start, to: endOf(part, text, caret) }));
}

/** Help for the function whose brackets are around the caret. */
export function helpAt(text: string, caret: number): FunctionHelp | undefined {
  const around: (string | undefined)[] = [];
  const parts = partsOf(text).filter(({ start }) => start < caret);
  for (const [i, part] of parts.entries()) {
    if (part.text === '(' && part.type === 'other')
      around.push(parts[i - 1]?.type === 'name' ? parts[i - 1]!.text : undefined);
    if (part.text === ')' && part.type === 'other') around.pop();
  }
  const inner = around.findLast((name) => name !== undefined);
  const last = parts.at(-1);
  const named = last?.type === 'name' ? functions.find(({ name }) => name === last.text) : undefined;
  return named ?? functions.find(({ name }) => name === inner);
}

function functionOffer({ name, operands, help }: FunctionHelp) {
  return { label: `${name}(${operands})`, help, insert: `${name}(` };
}

function typedOf({ type, start }: ExpressionPart, text: string, caret: number): string {
  return text.slice(type === 'name' ? start : start + 1, caret).toLowerCase();
}

/** A quote that is open takes no more than stands before the caret: what follows is not part of the name. */
function endOf({ isClosed, end }: ExpressionPart, text: string, caret: number): number {
  return isClosed && text[end] !== '(' ? end : caret;
}

/** Tags in `over`, times in what goes over a span. */
function textsAt(parts: readonly ExpressionPart[], place: number, { tags }: Known): readonly string[] {
  const name = callAround(parts, place);
  return name === 'over' ? tags : overTime.includes(name) ? usualSpans : [];
}

/** Those that begin so, then those with a word that does, then those that have it anywhere. */
function ranked<Offer extends { readonly label: string }>(offers: readonly Offer[], typed: string): Offer[] {
  const rankOf = ({ label }: Offer) => {
    const name = label.toLowerCase();
    if (name.startsWith(typed)) return 0;
    const at = name.indexOf(typed);
    return at < 0 ? 3 : /[^a-z0-9]/.test(name[at - 1]!) ? 1 : 2;
  };
  return offers
    .map((offer) => ({ offer, rank: rankOf(offer) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ offer }) => offer);
}
