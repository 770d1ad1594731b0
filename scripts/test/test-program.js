// A program as one test: it passes where the program ends with 0, and what it said stands in the failure.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

export function testProgram(name, program, args) {
  test([name, '--', ...args].join(' '), async () => {
    const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said = (said + text).slice(-20_000);
      });
    }
    const [code] = await once(child, 'close');
    assert.equal(code, 0, said);
  });
}
