import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStatements } from '../../../src/wire/lines/influxql.ts';

describe('statements of InfluxQL', () => {
  for (const [text, ...statements] of [
    ['SHOW DATABASES', { type: 'showDatabases' }],
    ['  show\tdatabases ; ', { type: 'showDatabases' }],
    ['-- a comment\n/* and\n; another */ SHOW DATABASES--', { type: 'showDatabases' }],
    ['SHOW MEASUREMENTS', { type: 'showMeasurements' }],
    ['SHOW MEASUREMENTS ON "a b;\\"c"', { type: 'showMeasurements', database: 'a b;"c' }],
    ['show measurements limit 2 offset 10', { type: 'showMeasurements', limit: 2, offset: 10 }],
    ['SHOW RETENTION POLICIES ON cars', { type: 'showRetentionPolicies', database: 'cars' }],
    ['CREATE DATABASE "show"', { type: 'createDatabase', name: 'show', hasOptions: false }],
    [
      'CREATE DATABASE a WITH DURATION 3d NAME "x;y"',
      { type: 'createDatabase', name: 'a', hasOptions: true },
    ],
    ['DROP DATABASE a', { type: 'dropDatabase', name: 'a' }],
    ['DROP MEASUREMENT "a\\nb\\\\"', { type: 'dropMeasurement', name: 'a\nb\\' }],
    ['DROP RETENTION POLICY r ON a', { type: 'dropRetentionPolicy', name: 'r', database: 'a' }],
    [
      'SHOW DATABASES;;SHOW MEASUREMENTS ON a;',
      { type: 'showDatabases' },
      { type: 'showMeasurements', database: 'a' },
    ],
  ] as const) {
    it(`reads ${text}`, () => assert.deepEqual(readStatements(text), statements));
  }

  for (const [text, error] of [
    ['SELECT * FROM m', 'found SELECT, expected SHOW, CREATE, DROP at line 1, char 1'],
    [' ; ', 'found EOF, expected SHOW, CREATE, DROP at line 1, char 4'],
    ['SHOW SERIES', 'found SERIES, expected DATABASES, MEASUREMENTS, RETENTION POLICIES at line 1, char 6'],
    ['SHOW DATABASES\n  foo', 'found foo, expected ; at line 2, char 3'],
    ['CREATE DATABASE a-b', 'found -, expected ; at line 1, char 18'],
    ['CREATE DATABASE', 'found EOF, expected identifier at line 1, char 16'],
    ['CREATE DATABASE ""', 'found "", expected identifier at line 1, char 17'],
    ['CREATE USER u', 'found USER, expected DATABASE at line 1, char 8'],
    [
      'DROP SERIES FROM m',
      'found SERIES, expected DATABASE, MEASUREMENT, RETENTION POLICY at line 1, char 6',
    ],
    ['DROP RETENTION POLICY r', 'found EOF, expected ON at line 1, char 24'],
    ['SHOW DATABASES;'.repeat(17), 'found SHOW, expected EOF at line 1, char 241'],
    ['SHOW MEASUREMENTS LIMIT x', 'found x, expected integer at line 1, char 25'],
    ['SHOW MEASUREMENTS ON "a', 'found "a, expected identifier at line 1, char 22'],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}, and says where`, () => {
      assert.throws(() => readStatements(text), {
        code: 'not_supported',
        message: `error parsing query: ${error}; rows are read with POST /parameters/data`,
      });
    });
  }

  it('takes time in proportion to the length', () => {
    for (const text of [
      '/*'.repeat(100_000),
      '"'.repeat(100_001),
      '\\"'.repeat(100_000),
      '-- \n'.repeat(100_000),
    ])
      assert.throws(() => readStatements(text), { code: 'not_supported' });
  });
});
