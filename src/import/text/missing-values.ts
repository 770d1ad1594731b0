const missing = new Set([
  '-',
  '--',
  '---',
  'n/a',
  'n.a.',
  '#nv',
  '<na>',
  'nat',
  '\\n',
  '–',
  '—',
  '#n/a',
  'na',
  'null',
  'none',
  '*',
  '?',
  'no data',
  '<null>',
]);

/** The errors of spreadsheets, in any language: `#DIV/0!`, `#NAME?`, `#WERT!`. */
const errorForm = /^#[\p{L}/0¡]{2,12}[!?]$/u;

/**
 * Tells whether a text is what loggers and spreadsheets write where they have no value; among texts it is text.
 * @param others that somebody says are none either
 */
export function isMissing(text: string, others: readonly string[] = []): boolean {
  if (text.length < 8 && missing.has(text.toLowerCase())) return true;
  return (text.startsWith('#') && errorForm.test(text)) || others.includes(text);
}
