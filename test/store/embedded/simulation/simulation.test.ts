import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./simulate-run.js', import.meta.url));

function simulate(...options: string[]) {
  return spawnSync(process.execPath, ['--enable-source-maps', program, ...options], { encoding: 'utf8' });
}

describe('the simulation', () => {
  // More of it: npm run test:simulate
  it('finds nothing wrong in the first steps of two seeds', () => {
    const { status, stdout, stderr } = simulate('--seed', '1', '--rounds', '2', '--steps', '65');
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    const summary = /130 steps in \d+ s: (.*)/.exec(stdout)?.[1];
    assert.ok(summary !== undefined, stdout);
    for (const name of ['kills', 'cuts', 'faults', 'damages', 'restarts'])
      assert.ok(Number(new RegExp(`${name} (\\d+)`).exec(summary)?.[1]) > 0, `${name}: ${summary}`);
  });

  it('tells what it takes', () => {
    const { status, stdout } = simulate('--help');
    assert.equal(status, 0);
    assert.match(stdout, /--seconds N/);
  });
});
