import type { Example } from './example.ts';

/** Reads of what writer.ts has written. */
export const queryExamples: readonly Example[] = [
  {
    call: 'POST /streams',
    summary: 'Streams below a location that have Speed',
    body: { topic: 'cars', location: '/season', parameterIds: ['Speed'], ordering: [{ by: 'dataStart' }] },
    answer: [
      {
        streamId: 'car-7',
        name: 'Car 7',
        topic: 'cars',
        createdAt: '2020-06-09T20:19:49.000Z',
        lastUpdate: '2020-06-09T20:19:52.000Z',
        dataStart: 1591733989000000000,
        dataEnd: 1591733992000000000,
        status: 'Open',
        metadata: { driver: 'Ada', team: 'Lovelace' },
        parents: ['race-1'],
        location: '/season/monza',
      },
    ],
    varying: ['createdAt', 'lastUpdate'],
  },
  {
    call: 'POST /parameters/data',
    summary: 'Rows as they are',
    body: {
      numericParameters: [{ parameterName: 'Speed' }, { parameterName: 'Gear' }],
      streamIds: ['car-7'],
      from: 1591733989000000000,
      to: 1591733991000000000,
      groupBy: ['LapNumber'],
    },
    answer: {
      timestamps: [1591733989000000000, 1591733990000000000, 1591733991000000000],
      numericValues: { Speed: [120.5, 180, null], Gear: [3, 4, 5] },
      stringValues: {},
      binaryValues: {},
      tagValues: { LapNumber: ['1', '1', '2'] },
    },
  },
  {
    call: 'POST /parameters/data',
    summary: 'Times as strings of digits',
    query: { int64: 'string' },
    body: { stringParameters: [{ parameterName: 'Note' }], streamIds: ['car-7'] },
    answer: {
      timestamps: ['1591733989000000000'],
      numericValues: {},
      stringValues: { Note: ['start'] },
      binaryValues: {},
      tagValues: {},
    },
  },
  {
    call: 'POST /parameters/data',
    summary: 'Mean speed of each stream in buckets of two seconds',
    body: {
      numericParameters: [{ parameterName: 'Speed', aggregationType: 'Mean' }],
      topic: 'cars',
      from: 1591733990000000000,
      to: 1591733993000000000,
      groupBy: ['streamId'],
      groupByTime: { timeBucketDuration: 2000000000, interpolationType: 'None' },
    },
    answer: {
      timestamps: [1591733990000000000, 1591733990000000000, 1591733992000000000, 1591733992000000000],
      numericValues: { 'mean(Speed)': [180, 92.5, 210, 95] },
      stringValues: {},
      binaryValues: {},
      tagValues: { streamId: ['car-7', 'car-8', 'car-7', 'car-8'] },
    },
  },
  {
    call: 'POST /parameters/data',
    summary: 'Rows of the laps 2 to 4 as CSV',
    accept: 'text/csv',
    body: {
      numericParameters: [{ parameterName: 'Gear' }],
      tagFilters: [{ tag: 'LapNumber', operator: 'Like', value: '^[2-4]$' }],
      groupBy: ['LapNumber'],
    },
    answer: 'Timestamp,Gear,TAG__LapNumber\r\n1591733991000000000,5,2\r\n',
  },
  {
    call: 'POST /parameters/data',
    summary: 'A request without parameters is refused',
    body: {},
    status: 400,
    answer: {
      type: 'urn:pitwall:error:missing_property',
      title: 'A required property is missing',
      status: 400,
      detail:
        'The body must name a parameter in numericParameters, stringParameters, binaryParameters or calculatedParameters',
      code: 'missing_property',
      errors: [
        {
          path: '',
          message:
            'must name a parameter in numericParameters, stringParameters, binaryParameters or calculatedParameters',
        },
      ],
      requestId: '1f0c1727-4',
    },
    varying: ['requestId'],
  },
  {
    call: 'POST /events/data',
    summary: 'Pit stops of a stream',
    body: { streamIds: ['car-7'], eventIds: ['pit-stop'], from: 1591733989000000000 },
    answer: {
      data: { 'pit-stop': [{ timestamp: 1591733991000000000, value: 'tyres', tags: { LapNumber: '2' } }] },
    },
  },
  {
    call: 'POST /events/data',
    summary: 'The last event of each id and stream in every minute',
    body: {
      topic: 'cars',
      groupBy: ['streamId'],
      aggregation: { aggregationType: 'Last', interval: 60000000000 },
    },
    answer: {
      data: {
        'pit-stop': [{ timestamp: 1591733940000000000, value: 'tyres', tags: { streamId: 'car-7' } }],
        radio: [{ timestamp: 1591733940000000000, value: 'Box, box.', tags: { streamId: 'car-7' } }],
      },
    },
  },
  {
    call: 'POST /tags',
    summary: 'The tags of a stream',
    body: { streamIds: ['car-7'] },
    answer: [{ name: 'LapNumber', values: 2, first: '1', last: '2' }],
  },
  {
    call: 'POST /tags/values',
    summary: 'The laps of a stream',
    body: { tag: 'LapNumber', streamIds: ['car-7'] },
    answer: ['1', '2'],
  },
];
