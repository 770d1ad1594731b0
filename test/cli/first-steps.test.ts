import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstSteps } from '../../src/cli/first-steps.ts';

describe('the first steps', () => {
  it('are three commands with the new token and the time of now in nanoseconds', () => {
    const text = firstSteps('http://127.0.0.1:8480', 'pw_new', 1_700_000_000_123);
    assert.equal(text.split('\n').filter((line) => line.startsWith('  curl ')).length, 3);
    assert.match(text, /Bearer pw_new/);
    assert.match(text, /"timestamps":\[1700000000123000000\]/);
  });

  it('take the token from the shell on later starts', () => {
    assert.match(
      firstSteps('http://127.0.0.1:8480', undefined, 0),
      /"Authorization: Bearer \$PITWALL_TOKEN"/,
    );
  });

  it('go to this machine where the service listens on every address', () => {
    assert.match(firstSteps('http://0.0.0.0:80', undefined, 0), /http:\/\/127\.0\.0\.1:80\/streams/);
    assert.match(firstSteps('http://[::]:80', undefined, 0), /http:\/\/\[::1\]:80\/streams/);
  });
});
