import type { Example } from './example.ts';

export const serviceExamples: readonly Example[] = [
  { call: 'GET /healthz', summary: 'The process is alive', answer: { status: 'alive' } },
  { call: 'GET /readyz', summary: 'Writes are taken', answer: { status: 'ready', problems: [] } },
  { call: 'GET /metrics', summary: 'Figures for Prometheus' },
  { call: 'GET /openapi.json', summary: 'This document' },
];
