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

/** A node on ClickHouse keeps nothing of its own: there a kill says what a stop would, behind which all windows are merged. */
const ends = isOnClickHouse ? restarts.slice(1) : restarts;
/** A read of merged windows takes the engine as long as the first one: of each script those of one kind stand for each other. */
const again = isOnClickHouse ? 'each call' : 'all';

/** Where nothing is merged each write leaves a part, and with a thousand of them ClickHouse slows down: so few scripts share a database. */
const together = isOnClickHouse ? 50 : scripts.length;
for (let from = 0; from < scripts.length; from += together) {
  testConformance(scripts.slice(from, from + together), startProcess, ends, again);
}
