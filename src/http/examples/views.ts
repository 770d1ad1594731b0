import type { Example } from './example.ts';

const view = {
  id: 'lap-times',
  name: 'Lap times',
  topic: 'telemetry',
  streamIds: ['car-1'],
  state: { plots: [['Speed'], ['Throttle', 'Brake']] },
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
};

const share = {
  id: '9f86d081884c7d65',
  topic: 'telemetry',
  streamIds: ['car-1'],
  makerId: 'operator',
  createdAt: '2030-01-01T00:00:00.000Z',
  expires: '2030-01-08T00:00:00.000Z',
};

const varyingShare = ['id', 'makerId', 'createdAt', 'expires', 'token', 'url'];

export const viewExamples: readonly Example[] = [
  {
    call: 'PUT /views/:view',
    summary: 'A view of a stream, with what the page needs to draw it',
    params: { view: 'lap-times' },
    body: { name: view.name, topic: view.topic, streamIds: view.streamIds, state: view.state },
    answer: view,
    varying: ['createdAt', 'updatedAt'],
  },
  {
    call: 'GET /views/:view',
    summary: 'A view',
    params: { view: 'lap-times' },
    answer: view,
    varying: ['createdAt', 'updatedAt'],
  },
  {
    call: 'GET /views',
    summary: 'Views of a topic',
    query: { topic: 'telemetry' },
    answer: [view],
    varying: ['createdAt', 'updatedAt'],
  },
  {
    call: 'POST /views/:view/share',
    summary: 'A link for someone without a token',
    params: { view: 'lap-times' },
    body: {},
    answer: {
      ...share,
      token: 'pw_mFmxdRoPShA0V1b0KfWaDvQkZxK1cWc3y6dT1x8JvYg',
      url: '/#view=lap-times&token=pw_mFmxdRoPShA0V1b0KfWaDvQkZxK1cWc3y6dT1x8JvYg',
    },
    varying: varyingShare,
  },
  {
    call: 'GET /views/:view/shares',
    summary: 'The links of a view, without their tokens',
    params: { view: 'lap-times' },
    answer: [share],
    varying: varyingShare,
  },
  {
    call: 'DELETE /views/:view/shares/:share',
    summary: 'A share that is not there',
    params: { view: 'lap-times', share: '0000000000000000' },
    status: 404,
    answer: {
      type: 'urn:pitwall:error:share_not_found',
      title: 'There is no such share',
      status: 404,
      detail: "there is no share with the id '0000000000000000'",
      code: 'share_not_found',
      requestId: '1f0c1727-5',
    },
    varying: ['requestId'],
  },
  {
    call: 'DELETE /views/:view/shares',
    summary: 'All links of a view end',
    params: { view: 'lap-times' },
    answer: { revoked: 1 },
  },
  { call: 'DELETE /views/:view', summary: 'A view with its shares', params: { view: 'lap-times' } },
];
