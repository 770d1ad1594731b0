import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOnClickHouse } from '../e2e/service.ts';
import { testConformance } from './conformance.ts';
import { readScripts } from './script.ts';
import { startProcess } from './start-process.ts';

/** CONFORMANCE=writer/null runs the scripts with that in their path. */
const wanted = process.env['CONFORMANCE'] ?? '';
const store = isOnClickHouse ? 'clickhouse' : 'embedded';
const scripts = readScripts().filter(({ name, stores }) => name.includes(wanted) && stores.includes(store));

describe('the conformance scripts', () => {
  it('are there, each with the section of its rule and at least one step', () => {
    assert.ok(scripts.length > 0, `no script has ${wanted} in its path`);
    for (const { name, rule, steps } of scripts) {
      assert.match(rule, /^\S.* \(.*§\d.*\)\.$/, name);
      assert.ok(steps.length > 0, name);
    }
  });
});

testConformance(scripts, startProcess);
