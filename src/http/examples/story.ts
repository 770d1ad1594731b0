import { adminExamples } from './admin.ts';
import { deleteExamples } from './deletes.ts';
import type { Example } from './example.ts';
import { listingExamples } from './listings.ts';
import { queryExamples } from './query.ts';
import { serviceExamples } from './service.ts';
import { writerExamples } from './writer.ts';

/** Every example, in an order in which each finds what it needs in a service that was empty before. */
export const examples: readonly Example[] = [
  ...serviceExamples,
  ...writerExamples,
  ...listingExamples,
  ...queryExamples,
  ...deleteExamples,
  ...adminExamples,
];
