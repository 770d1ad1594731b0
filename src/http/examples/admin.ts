import type { Example } from './example.ts';

export const adminExamples: readonly Example[] = [
  {
    call: 'POST /admin/workspaces',
    summary: 'A workspace for a team',
    body: { name: 'racing' },
    answer: { name: 'racing', createdAt: '2030-01-01T00:00:00.000Z' },
    varying: ['createdAt'],
  },
  {
    call: 'PUT /admin/workspaces/:name',
    summary: 'A workspace and its settings',
    params: { name: 'testing' },
    body: { retention: '30d', maxStreams: 1000, maxBytes: 10000000000 },
    answer: {
      name: 'testing',
      createdAt: '2030-01-01T00:00:00.000Z',
      retention: '30d',
      maxStreams: 1000,
      maxBytes: 10000000000,
    },
    varying: ['createdAt'],
  },
  {
    call: 'GET /admin/workspaces',
    summary: 'All workspaces',
    answer: [
      { name: 'default', createdAt: '2030-01-01T00:00:00.000Z' },
      { name: 'racing', createdAt: '2030-01-01T00:00:00.000Z' },
      {
        name: 'testing',
        createdAt: '2030-01-01T00:00:00.000Z',
        retention: '30d',
        maxStreams: 1000,
        maxBytes: 10000000000,
      },
    ],
    varying: ['createdAt'],
  },
  {
    call: 'POST /admin/tokens',
    summary: 'A token for a gateway',
    body: { workspace: 'racing', scopes: ['write'], name: 'gateway' },
    answer: {
      token: 'pw_mFmxdRoPShA0V1b0KfWaDvQkZxK1cWc3y6dT1x8JvYg',
      id: '9f86d081884c7d65',
      workspace: 'racing',
      scopes: ['write'],
      name: 'gateway',
      createdAt: '2030-01-01T00:00:00.000Z',
    },
    varying: ['token', 'id', 'createdAt'],
  },
  {
    call: 'GET /admin/tokens',
    summary: 'All tokens, without what they are',
    answer: [
      {
        id: '9f86d081884c7d65',
        workspace: 'racing',
        scopes: ['write'],
        name: 'gateway',
        createdAt: '2030-01-01T00:00:00.000Z',
      },
    ],
    varying: ['id', 'createdAt'],
  },
  {
    call: 'DELETE /admin/tokens/:id',
    summary: 'The gateway loses its access at once',
    params: { id: '9f86d081884c7d65' },
  },
  {
    call: 'DELETE /admin/tokens/:id',
    summary: 'A token that is not there',
    params: { id: '0000000000000000' },
    status: 404,
    answer: {
      type: 'urn:pitwall:error:token_not_found',
      title: 'There is no such token',
      status: 404,
      detail: "there is no token with the id '0000000000000000'",
      code: 'token_not_found',
      requestId: '1f0c1727-5',
    },
    varying: ['requestId'],
  },
  {
    call: 'DELETE /admin/workspaces/:name',
    summary: 'A workspace with all that is in it',
    params: { name: 'testing' },
  },
  {
    call: 'PUT /topics/:topic',
    summary: 'Keep a topic for a year',
    params: { topic: 'telemetry' },
    body: { retention: '1y' },
  },
  { call: 'POST /admin/backup', summary: 'Everything, as a tar archive' },
  {
    call: 'GET /admin/clock',
    summary: 'A clock that is believed',
    answer: { time: '2030-01-01T00:00:00.000Z', believed: '2030-01-01T00:00:00.000Z', heldBackSeconds: 0 },
    varying: ['time', 'believed'],
  },
  {
    call: 'POST /admin/clock',
    summary: 'The clock is right',
    answer: { time: '2030-01-01T00:00:00.000Z', believed: '2030-01-01T00:00:00.000Z', heldBackSeconds: 0 },
    varying: ['time', 'believed'],
  },
];
