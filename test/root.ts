import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of package.json: npm runs the tests from there. */
export const root = process.cwd();

const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string };
assert.equal(name, 'pitwall', 'run the tests from the folder of package.json');
