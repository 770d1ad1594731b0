import { describe } from 'node:test';
import { isOnClickHouse } from '../e2e/service.ts';
import { testConformance } from './conformance.ts';
import { readScripts } from './script.ts';
import { startProcess } from './start-process.ts';

/** Exports, patterns and tag values are always read on a thread, where there is one. */
const selection = /^(formats|tag-filters|tags|event-data)\//;

/** With the default number of threads run.test.ts runs all scripts. */
for (const threads of ['0', '1', '4']) {
  describe(`with ${threads} read threads`, { skip: isOnClickHouse }, () => {
    const scripts = readScripts()
      .filter(({ name, stores }) => selection.test(name) && stores.includes('embedded'))
      .map((script) => ({ ...script, settings: new Map([...script.settings, ['read-threads', threads]]) }));
    testConformance(scripts, startProcess);
  });
}
