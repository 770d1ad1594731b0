/** Whether keys are text there; a checkbox takes none. */
export function isTyped(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement;
}
