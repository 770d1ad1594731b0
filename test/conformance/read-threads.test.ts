import { describe } from 'node:test';
import { isOnClickHouse } from '../e2e/service.ts';
import { isLong } from '../extent.ts';
import { testConformance } from './conformance.ts';
import { readScripts } from './script.ts';
import { startProcess } from './start-process.ts';

/** Exports, patterns and tag values are always read on a thread, where there is one. */
const selection = /^(formats|tag-filters|tags|event-data)\//;

/** With the default number of threads run.test.ts runs all scripts, also after kills and stops. */
for (const threads of isLong ? ['0', '1', '4'] : ['0']) {
  describe(`with ${threads} read threads`, { skip: isOnClickHouse }, () => {
    const scripts = readScripts()
      .filter(({ name, stores }) => selection.test(name) && stores.includes('embedded'))
      .map((script) => ({ ...script, settings: new Map([...script.settings, ['read-threads', threads]]) }));
    testConformance(scripts, startProcess, []);
  });
}
