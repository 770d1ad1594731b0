import { number } from '../state/text-parts.ts';

/** Whether keys are text there; a checkbox takes none. */
export function isTyped(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement;
}

/** A number as people type it, with a point or a comma; undefined of what is none. */
export function typedNumber(text: string): number | undefined {
  return number(text.replace(',', '.'));
}
