import type { Example } from './example.ts';

const rule = { topic: 'boilers', name: 'hot' };

/** A rule, what it says of rows, and what fires. */
export const alertExamples: readonly Example[] = [
  {
    call: 'PUT /topics/:topic/alerts/:name',
    summary: 'Tell when water is too hot for two seconds',
    params: rule,
    body: {
      expression: 'WaterTemp > 120',
      for: '2s',
      clear: 'WaterTemp < 110',
      level: 'Warning',
      text: 'The water is too hot',
    },
    answer: {
      name: 'hot',
      expression: 'WaterTemp > 120',
      for: '2s',
      clear: 'WaterTemp < 110',
      level: 'Warning',
      text: 'The water is too hot',
    },
  },
  {
    call: 'PUT /topics/:topic/alerts/:name',
    summary: 'An expression that cannot be understood',
    params: { topic: 'boilers', name: 'cold' },
    body: { expression: 'WaterTemp <' },
    status: 400,
    answer: {
      type: 'urn:pitwall:error:bad_expression',
      title: 'An expression cannot be understood',
      status: 400,
      detail: 'expression at character 12: expected a value, and the expression ends',
      code: 'bad_expression',
      errors: [{ path: 'expression', message: 'at character 12: expected a value, and the expression ends' }],
      requestId: '1f0c1727-9',
    },
    varying: ['requestId'],
  },
  {
    call: 'POST /topics/:topic/streams/:streamId/parameters/data',
    summary: 'Rows that let an alert rule fire',
    params: { topic: 'boilers', streamId: 'boiler-1' },
    body: {
      timestamps: [1591733990000000000, 1591733991000000000, 1591733992000000000, 1591733993000000000],
      numericValues: { WaterTemp: [95, 121, 124.5, 128] },
    },
  },
  {
    call: 'POST /alerts',
    summary: 'What fires now',
    body: {},
    answer: [
      {
        topic: 'boilers',
        name: 'hot',
        streamId: 'boiler-1',
        state: 'firing',
        level: 'Warning',
        text: 'The water is too hot',
        timestamp: 1591733993000000000,
      },
    ],
  },
  {
    call: 'POST /topics/:topic/alerts/:name/test',
    summary: 'What the rule would have said of stored rows',
    params: rule,
    body: { streamIds: ['boiler-1'] },
    answer: [
      {
        streamId: 'boiler-1',
        state: 'firing',
        values: { WaterTemp: 128 },
        timestamp: 1591733993000000000,
      },
    ],
  },
  {
    call: 'GET /topics/:topic/alerts/:name',
    summary: 'A rule',
    params: rule,
    answer: {
      name: 'hot',
      expression: 'WaterTemp > 120',
      for: '2s',
      clear: 'WaterTemp < 110',
      level: 'Warning',
      text: 'The water is too hot',
    },
  },
  {
    call: 'GET /topics/:topic/alerts',
    summary: 'A topic without rules',
    params: { topic: 'cars' },
    answer: [],
  },
  { call: 'DELETE /topics/:topic/alerts/:name', summary: 'The rule goes', params: rule },
];
