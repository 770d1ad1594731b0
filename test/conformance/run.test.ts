import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { adminToken, isOnClickHouse, launchService } from '../e2e/service.ts';
import { type StartTarget, testConformance } from './conformance.ts';
import { readScripts } from './script.ts';

/** CONFORMANCE=writer/null runs the scripts with that in their path. */
const wanted = process.env['CONFORMANCE'] ?? '';
const store = isOnClickHouse ? 'clickhouse' : 'embedded';
const scripts = readScripts().filter(({ name, stores }) => name.includes(wanted) && stores.includes(store));

/** The real process on an empty store of its own. */
const startProcess: StartTarget = async (settings) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pitwall-conformance-'));
  // However slow the machine is, streams stay open unless a script is about their interruption.
  const flags = new Map([['interrupted-after', '1h'], ...settings]);
  const args = [...flags].map(([name, value]) => `--${name}=${value}`);
  const start = () => launchService(dataDir, { args });
  let service = await start();
  return {
    get url() {
      return service.url;
    },
    adminToken,
    async restart(signal) {
      await service.stop(signal);
      service = await start();
    },
    async stop() {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

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
