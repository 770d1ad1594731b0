import type { Open } from './opened.ts';
import { reviewText } from './review-text.ts';

export const open: Open = async ({ bytes }, settings, reading) => ({
  kind: 'text',
  bytes,
  review: await reviewText(bytes, settings, reading),
});
