import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';
import { endWithTests } from '../end-with-tests.ts';

describe('a writer of the client', async () => {
  const { url } = await startService();

  it('writes all rows in spite of faults of who listens, which are told as such', async () => {
    const program = `
      import { createClient } from ${JSON.stringify(new URL('../../src/client/client.js', import.meta.url).href)};
      process.on('uncaughtException', ({ message }) => console.log(message));
      const onWarning = () => { throw new TypeError('of warnings'); };
      const client = createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(adminToken)}, onWarning });
      const onRejected = () => { throw new Error('of refusals'); };
      const writer = client.writer('listened', { onRejected });
      for (let i = 0; i < 4; i++) {
        const strings = i === 1 ? { ['x'.repeat(600)]: 'too long a name' } : {};
        await writer.write('s', { timestamp: ${2n ** 62n}n + BigInt(i), numeric: { n: i }, strings });
      }
      await writer.close().catch(({ message }) => console.log(message.slice(0, 24)));
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithTests(child);
    let said = '';
    for await (const text of child.stdout) said += text;
    const lines = ['of refusals', 'of warnings', 'the service refused 1 ro'];
    assert.deepEqual(said.trim().split('\n').sort(), lines);
    const { timestamps } = await createClient({ url, token: adminToken }).query({
      topic: 'listened',
      numericParameters: [{ parameterName: 'n' }],
    });
    assert.equal(timestamps.length, 3);
  });
});
