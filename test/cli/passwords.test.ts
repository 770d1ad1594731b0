import assert from 'node:assert/strict';
import { it } from 'node:test';
import { run } from '../e2e/service.ts';

it('repeats no password of an address, wherever it was typed', async () => {
  const address = 'http://me:secret@127.0.0.1:1';
  const typed: readonly (readonly string[])[] = [
    ['token', 'list', '--token', 'x', '--url', address],
    ['token', 'list', '--token', 'x', '--url', 'me:secret@127.0.0.1:1'],
    ['token', 'list', address, '--token', 'x'],
    ['export', '--out', `${address}/rows.csv`, '--token', 'x', '--url', 'http://127.0.0.1:1'],
    ['import', `${address}/rows.csv`, '--token', 'x', '--url', 'http://127.0.0.1:1'],
    ['replay', '--topic', 'a', '--stream', 'b', '--to-topic', 'c', '--token', 'x', '--url', address],
    ['verify', `${address}/data`],
    ['restore', `${address}/file.tar`, '--data-dir', 'x'],
    [address],
    ['help', address],
    ['serve', address],
    ['serve', `--${address}`],
    ['serve', '--listen', address],
    ['serve', '--config', `${address}/file.json`],
  ];
  const said = await Promise.all(typed.map((args) => run(args)));
  for (const [i, { code, stdout, stderr }] of said.entries()) {
    const args = typed[i]!.join(' ');
    assert.notEqual(code, 0, args);
    assert.match(stderr, /^pitwall: [^\n]+\n$/, args);
    assert.doesNotMatch(stdout + stderr, /secret/, args);
  }
  const { stderr } = await run(['clock'], { PITWALL_URL: address, PITWALL_TOKEN: 'x' });
  assert.match(stderr, /^pitwall: the address of the service has a user or a password/);
});
