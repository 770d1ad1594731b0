import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type Row, type RowsRejected } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('what is no name', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const data = { timestamps: [1n], numericValues: { n: [1] } };
  const none = undefined as unknown as string;

  /** Each call with a name, as a program in JavaScript may make it. */
  const calls: Record<string, (name: string) => Promise<unknown>> = {
    writeParameterData: (name) => client.writeParameterData(name, 's', data),
    writeEvents: (name) => client.writeEvents('cars', name, []),
    createStream: (name) => client.createStream(name),
    updateStream: (name) => client.updateStream(name, 's', {}),
    closeStream: (name) => client.closeStream('cars', name),
    defineParameters: (name) => client.defineParameters(name, 's', []),
    defineEvents: (name) => client.defineEvents(name, 's', []),
    calculated: (name) => client.calculated(name),
    defineCalculated: (name) => client.defineCalculated(name, []),
    removeCalculated: (name) => client.removeCalculated('cars', name),
    alertRules: (name) => client.alertRules(name),
    putAlertRule: (name) => client.putAlertRule('cars', name, { expression: 'n > 1' }),
    removeAlertRule: (name) => client.removeAlertRule(name, 'rule'),
    view: (name) => client.view(name),
    putView: (name) => client.putView(name, { name: 'view' }),
    deleteView: (name) => client.deleteView(name),
    share: (name) => client.share(name),
    shares: (name) => client.shares(name),
  };
  for (const [method, call] of Object.entries(calls))
    it(`is taken for none by ${method}, which rejects`, async () => {
      await assert.rejects(call(none), {
        name: 'TypeError',
        message: /^(topic|streamId|name|id) is a string, not undefined$/,
      });
      await assert.rejects(call('half \ud800'), {
        name: 'TypeError',
        message: /^(topic|streamId|name|id) has half of a character: a surrogate that stands alone$/,
      });
    });

  it('is taken for none by a writer, which goes on', async () => {
    assert.throws(() => client.writer(none), { message: 'topic is a string, not undefined' });
    const writer = client.writer('rows');
    const row = { timestamp: 1n, numeric: { n: 1 } };
    await writer.write('s', row);
    await assert.rejects(writer.write(none, row), { message: 'streamId is a string, not undefined' });
    await assert.rejects(writer.write('s', null as unknown as Row), {
      message: 'a row is an object, not null',
    });
    await writer.write('s', { ...row, timestamp: 2n });
    await writer.close();
    const { timestamps } = await client.query({
      topic: 'rows',
      numericParameters: [{ parameterName: 'n' }],
    });
    assert.deepEqual(timestamps, [1n, 2n]);
    assert.deepEqual(
      (await client.topics()).map(({ name }) => name),
      ['rows'],
    );
  });
});

describe('a numeric value', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });

  it('that is a bigint is refused as such', async () => {
    const numericValues = { n: [5n as unknown as number] };
    await assert.rejects(client.writeParameterData('cars', 's', { timestamps: [1n], numericValues }), {
      name: 'TypeError',
      message: 'a numeric value is a number, not the bigint 5',
    });
    const writer = client.writer('cars');
    await writer.write('s', { timestamp: 1n, numeric: { n: 5n as unknown as number } });
    await writer.write('s', { timestamp: 2n, numeric: { n: 5 } });
    await assert.rejects(writer.close(), ({ message, rows }: RowsRejected) => {
      assert.match(message, /could not send 1 row\(s\): a numeric value is a number, not the bigint 5/);
      return rows[0]?.row.timestamp === 1n;
    });
  });

  it('that is undefined is none, as a text is', async () => {
    const none = undefined as unknown as null;
    await client.writeParameterData('none', 's', {
      timestamps: [1n, 2n],
      numericValues: { n: [none, 2] },
      stringValues: { t: ['a', none] },
    });
    const { numericValues, stringValues } = await client.query({
      topic: 'none',
      numericParameters: [{ parameterName: 'n' }],
      stringParameters: [{ parameterName: 't' }],
    });
    assert.deepEqual({ ...numericValues, ...stringValues }, { n: [null, 2], t: ['a', null] });
  });

  it('of another type is refused as what it is', async () => {
    for (const [value, what] of [
      [true, 'true'],
      [{}, 'an object'],
    ] as const)
      await assert.rejects(
        client.writeParameterData('cars', 's', {
          timestamps: [1n],
          numericValues: { n: [value as unknown as number] },
        }),
        { name: 'RequestError', message: new RegExp(`^numericValues\\.n\\[0\\] must be .*, not ${what}$`) },
      );
  });
});
