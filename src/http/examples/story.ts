import { adminExamples } from './admin.ts';
import { alertExamples } from './alerts.ts';
import { deleteExamples } from './deletes.ts';
import type { Example } from './example.ts';
import { listingExamples } from './listings.ts';
import { queryExamples } from './query.ts';
import { viewExamples } from './views.ts';
import { writerExamples } from './writer.ts';

const serviceExamples: readonly Example[] = [
  { call: 'GET /healthz', summary: 'The process is alive', answer: { status: 'alive' } },
  { call: 'GET /readyz', summary: 'Writes are taken', answer: { status: 'ready', problems: [] } },
  { call: 'GET /metrics', summary: 'Figures for Prometheus' },
  { call: 'GET /openapi.json', summary: 'This document' },
];

/** Every example, in an order in which each finds what it needs in a service that was empty before. */
export const examples: readonly Example[] = [
  ...serviceExamples,
  ...writerExamples,
  ...listingExamples,
  ...queryExamples,
  ...viewExamples,
  ...deleteExamples,
  ...adminExamples,
  ...alertExamples,
];
