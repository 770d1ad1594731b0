import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('pages of the client', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });

  it('refuse a limit that makes no sense, as a query does', async () => {
    await client.writeParameterData('cars', 's', { timestamps: [1n], numericValues: { n: [1] } });
    const query = { topic: 'cars', numericParameters: [{ parameterName: 'n' }] };
    await assert.rejects(client.pages({ ...query, limit: Number.NaN }).next(), /^TypeError: limit is NaN/);
    for (const limit of [-1, 0])
      await assert.rejects(client.pages({ ...query, limit }).next(), { status: 400, code: 'invalid_value' });
  });
});
