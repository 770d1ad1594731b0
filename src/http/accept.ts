import { PitwallError } from '../errors.ts';

/** Forms that the contract names and that are to come; JSON in their place would be a wrong answer. */
const laterForms = [
  'text/csv',
  'application/csv',
  'application/vnd.apache.parquet',
  'application/vnd.apache.arrow.stream',
];

/**
 * Lets through every Accept header that JSON satisfies; an unknown form gets JSON too (contract, section 1).
 * Throws `not_supported` (400) where only forms are asked for that cannot be given yet.
 */
export function requireJsonAnswer(accept: string | undefined): void {
  if (accept === undefined) return;
  const forms = accept.split(',').map((form) => form.split(';', 1)[0]!.trim().toLowerCase());
  if (forms.some((form) => form === 'application/json' || form === 'application/*' || form === '*/*')) return;
  const later = forms.find((form) => laterForms.includes(form));
  if (later !== undefined)
    throw new PitwallError('not_supported', { detail: `an answer as ${later} is not supported yet` });
}
