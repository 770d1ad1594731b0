import type { Example } from './example.ts';

const times = { createdAt: '2020-06-09T20:19:49.000Z', lastUpdate: '2020-06-09T20:19:52.000Z' };

/** What there is, after writer.ts. */
export const listingExamples: readonly Example[] = [
  {
    call: 'POST /streams/models',
    summary: 'Streams as a tree by their parents',
    body: { topic: 'cars', location: '/season' },
    answer: [
      {
        streamId: 'race-1',
        name: 'Race of Monza',
        topic: 'cars',
        ...times,
        status: 'Open',
        metadata: {},
        parents: [],
        location: '/season/monza',
        children: [
          {
            streamId: 'car-7',
            name: 'Car 7',
            topic: 'cars',
            ...times,
            dataStart: 1591733989000000000,
            dataEnd: 1591733992000000000,
            status: 'Open',
            metadata: { driver: 'Ada', team: 'Lovelace' },
            parents: ['race-1'],
            location: '/season/monza',
            children: [],
          },
        ],
      },
    ],
    varying: ['createdAt', 'lastUpdate'],
  },
  {
    call: 'POST /parameters',
    summary: 'Numeric parameters of a topic',
    body: { topic: 'cars', includeTypes: ['Numeric'] },
    answer: [
      { parameterId: 'Gear', name: 'Gear', type: 'Numeric', streamIds: ['car-7'] },
      {
        parameterId: 'Speed',
        name: 'Speed over ground',
        minimumValue: 0,
        maximumValue: 400,
        unit: 'km/h',
        type: 'Numeric',
        streamIds: ['car-7'],
      },
      { parameterId: 'Speed', name: 'Speed', type: 'Numeric', streamIds: ['car-8'] },
    ],
  },
  {
    call: 'POST /parameters',
    summary: 'What the topics have calculated',
    body: { includeTypes: ['Calculated'] },
    answer: [
      {
        parameterId: 'GroundSpeed',
        expression: 'Speed / 3.6',
        name: 'Ground speed',
        unit: 'm/s',
        type: 'Calculated',
        streamIds: ['car-7', 'car-8'],
      },
    ],
  },
  {
    call: 'POST /events',
    summary: 'Events, with data or defined',
    body: { topic: 'cars' },
    answer: [
      { id: 'pit-stop', name: 'Pit stop', level: 'Information', streamIds: ['car-7'] },
      { id: 'radio', name: 'radio', streamIds: ['car-7'] },
    ],
  },
  {
    call: 'POST /topics',
    summary: 'All topics',
    body: {},
    answer: [
      {
        name: 'cars',
        streams: 3,
        dataStart: 1591733989000000000,
        dataEnd: 1591733992000000000,
        lastUpdate: times.lastUpdate,
      },
      { name: 'scratch', streams: 1, lastUpdate: times.lastUpdate },
    ],
    varying: ['lastUpdate'],
  },
];
