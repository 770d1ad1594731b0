import type { Example } from './example.ts';

/** Deletes of what writer.ts has written. */
export const deleteExamples: readonly Example[] = [
  {
    call: 'DELETE /topics/:topic/calculated/:id',
    summary: 'A calculated parameter',
    params: { topic: 'cars', id: 'GroundSpeed' },
  },
  {
    call: 'DELETE /parameters/data',
    summary: 'A second of one parameter',
    body: {
      streamIds: ['car-7'],
      from: 1591733989000000000,
      to: 1591733989000000000,
      numericParameters: [{ parameterName: 'Speed' }],
    },
    answer: { deleted: 1 },
  },
  {
    call: 'POST /parameters/data/delete',
    summary: 'All rows of a topic in a range of time',
    body: { topic: 'cars', from: 1591733992000000000, to: 1591733993000000000 },
    answer: { deleted: 2 },
  },
  {
    call: 'DELETE /streams',
    summary: 'Hide a stream',
    body: { streamIds: ['car-8'] },
    answer: { deleted: 1 },
  },
  {
    call: 'POST /streams/restore',
    summary: 'Bring it back',
    body: { streamIds: ['car-8'] },
    answer: { restored: 1 },
  },
  {
    call: 'POST /streams/delete',
    summary: 'Remove all streams of a topic for good',
    body: { topic: 'scratch', hardDelete: true },
    answer: { deleted: 1 },
  },
];
