import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { notAsked } from '../clickhouse/engine.ts';
import { isOnClickHouse } from '../e2e/service.ts';
import { restarts, testConformance } from './conformance.ts';
import { readScripts } from './script.ts';
import { startProcess } from './start-process.ts';

/** CONFORMANCE=writer/null runs the scripts with that in their path. */
const wanted = process.env['CONFORMANCE'] ?? '';
const store = isOnClickHouse ? 'clickhouse' : 'embedded';
/** What no store decides is tested on ClickHouse where it is asked for. */
const aboveStores = [
  'access',
  'filter',
  'formats',
  'limits',
  'line-protocol',
  'requests',
  'timestamps',
  'views',
];
const isLeftOut = (name: string): boolean =>
  isOnClickHouse && notAsked !== false && wanted === '' && aboveStores.includes(name.split('/')[0]!);
const scripts = readScripts().filter(
  ({ name, stores }) => name.includes(wanted) && stores.includes(store) && !isLeftOut(name),
);

describe('the conformance scripts', () => {
  it('are there, each with the section of its rule and at least one step', () => {
    assert.ok(scripts.length > 0, `no script has ${wanted} in its path`);
    for (const { name, rule, steps } of scripts) {
      assert.match(rule, /^\S.* \(.*§\d.*\)\.$/, name);
      assert.ok(steps.length > 0, name);
    }
  });
});

/** A node on ClickHouse keeps nothing of its own: there a kill says what a stop would. */
const ends = isOnClickHouse && notAsked !== false ? restarts.slice(0, 1) : restarts;

testConformance(scripts, startProcess, ends);
