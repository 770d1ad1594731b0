import type { Example } from './example.ts';

const car = { topic: 'cars', streamId: 'car-7' };

/** What a car at a track would write: a stream with properties, rows, definitions, events. */
export const writerExamples: readonly Example[] = [
  {
    call: 'POST /topics/:topic/streams',
    summary: 'A stream that others are parts of',
    params: { topic: 'cars' },
    body: { streamId: 'race-1', name: 'Race of Monza', location: '/season/monza' },
    answer: { streamId: 'race-1' },
  },
  {
    call: 'POST /topics/:topic/streams',
    summary: 'A stream with an id of your own',
    params: { topic: 'cars' },
    body: {
      streamId: 'car-7',
      name: 'Car 7',
      location: '/season/monza',
      metadata: { driver: 'Ada' },
      parents: ['race-1'],
      timeOfRecording: '2020-06-09T20:19:49.000Z',
    },
    answer: { streamId: 'car-7' },
  },
  {
    call: 'POST /topics/:topic/streams',
    summary: 'A stream with a new id',
    params: { topic: 'scratch' },
    body: {},
    answer: { streamId: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' },
    varying: ['streamId'],
  },
  {
    call: 'PUT /topics/:topic/streams/:streamId',
    summary: 'Replace all properties',
    params: car,
    body: {
      name: 'Car 7',
      location: '/season/monza',
      metadata: { driver: 'Ada', team: 'Lovelace' },
      parents: ['race-1'],
    },
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/parameters/data',
    summary: 'Three rows with a tag',
    params: car,
    body: {
      timestamps: [1591733989000000000, 1591733990000000000, 1591733991000000000],
      numericValues: { Speed: [120.5, 180, null], Gear: [3, 4, 5] },
      stringValues: { Note: ['start', null, null] },
      binaryValues: { Frame: [null, 'AAEC', null] },
      tagValues: { LapNumber: ['1', '1', '2'] },
    },
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/parameters/data',
    summary: 'Times that count from an epoch, as strings of digits',
    params: { topic: 'cars', streamId: 'car-8' },
    body: {
      epoch: '1591733989000000000',
      timestamps: ['0', '1000000000'],
      numericValues: { Speed: [90, 92.5] },
    },
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/parameters/data',
    summary: 'An array of another length is refused',
    params: car,
    body: { timestamps: [1591733989000000000, 1591733990000000000], numericValues: { Speed: [120.5] } },
    status: 400,
    answer: {
      type: 'urn:pitwall:error:length_mismatch',
      title: 'An array does not have one element per timestamp',
      status: 400,
      detail: 'numericValues.Speed has 1 elements, timestamps has 2',
      code: 'length_mismatch',
      errors: [{ path: 'numericValues.Speed', message: 'has 1 elements, timestamps has 2' }],
      requestId: '1f0c1727-2',
    },
    varying: ['requestId'],
  },
  {
    call: 'POST /topics/:topic/parameters/data',
    summary: 'Rows of two streams, applied whole or not at all',
    params: { topic: 'cars' },
    body: [
      { streamId: 'car-7', timestamps: [1591733992000000000], numericValues: { Speed: [210] } },
      { streamId: 'car-8', timestamps: [1591733992000000000], numericValues: { Speed: [95] } },
    ],
  },
  {
    call: 'PUT /topics/:topic/streams/:streamId/parameters',
    summary: 'What the parameter Speed is',
    params: car,
    body: [{ id: 'Speed', name: 'Speed over ground', unit: 'km/h', minimumValue: 0, maximumValue: 400 }],
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/events/data',
    summary: 'An event with a tag',
    params: car,
    body: [{ id: 'pit-stop', timestamp: 1591733991000000000, value: 'tyres', tags: { LapNumber: '2' } }],
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/events/:eventId/value',
    summary: 'An event of a client that makes no JSON',
    params: { ...car, eventId: 'radio' },
    query: { timestamp: '1591733992000000000' },
    body: 'Box, box.',
  },
  {
    call: 'PUT /topics/:topic/streams/:streamId/events',
    summary: 'What the event pit-stop is',
    params: car,
    body: [{ id: 'pit-stop', name: 'Pit stop', level: 'Information' }],
  },
  {
    call: 'PUT /topics/:topic/calculated',
    summary: 'A parameter that is calculated for all streams of the topic',
    params: { topic: 'cars' },
    body: [{ id: 'GroundSpeed', expression: 'Speed / 3.6', name: 'Ground speed', unit: 'm/s' }],
  },
  {
    call: 'GET /topics/:topic/calculated',
    summary: 'What the topic keeps',
    params: { topic: 'cars' },
    answer: [{ id: 'GroundSpeed', expression: 'Speed / 3.6', name: 'Ground speed', unit: 'm/s' }],
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/close',
    summary: 'The recording is complete',
    params: { topic: 'cars', streamId: 'car-8' },
    body: { endType: 'Closed' },
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/close',
    summary: 'A stream that nobody made',
    params: { topic: 'cars', streamId: 'car-9' },
    body: {},
    status: 404,
    answer: {
      type: 'urn:pitwall:error:stream_not_found',
      title: 'There is no such stream',
      status: 404,
      detail: "there is no stream 'car-9' in the topic 'cars'",
      code: 'stream_not_found',
      requestId: '1f0c1727-3',
    },
    varying: ['requestId'],
  },
];
