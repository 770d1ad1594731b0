import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError } from '../../src/setting.ts';
import { workspaceOfHost } from '../../src/workspaces/host-pattern.ts';

describe('a host pattern', () => {
  const read = workspaceOfHost('{service}-{organisation}-{workspace}.{domain}', 'example.com');

  it('finds the workspace in an address, whatever its case and port', () => {
    assert.equal(read('writer-acme-racing.example.com'), 'racing');
    assert.equal(read('Query-ACME-Racing.Example.com:8480'), 'racing');
  });

  it('gives hyphens to the workspace, so an address has one reading', () => {
    assert.equal(read('writer-acme-team-a.example.com'), 'team-a');
  });

  it('finds none in other addresses', () => {
    for (const host of [
      undefined,
      '',
      '127.0.0.1:8480',
      'example.com',
      'acme-racing.example.com',
      'a-b-c.example.org',
    ]) {
      assert.equal(read(host), undefined);
    }
    assert.equal(read('writer-acme-racing.exampleXcom'), undefined);
    assert.equal(read('evil.writer-acme-racing.example.com'), undefined);
  });

  it('may hold words of its own', () => {
    const fixed = workspaceOfHost('telemetry-{service}-{workspace}.{domain}', 'x.io');
    assert.equal(fixed('telemetry-query-racing.x.io'), 'racing');
  });

  it('finds nothing where there is no pattern', () => {
    assert.equal(workspaceOfHost(undefined, undefined)('writer-acme-racing.example.com'), undefined);
  });

  it('refuses words that it does not know', () => {
    for (const word of ['team', 'constructor', '__proto__', 'toString']) {
      const pattern = `{${word}}.{workspace}`;
      assert.throws(
        () => workspaceOfHost(pattern, undefined),
        (error: Error) => error instanceof ConfigError && error.message.endsWith(`not {${word}}`),
      );
    }
  });
});
